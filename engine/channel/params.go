package channel

import (
	"encoding/json"
	"fmt"
	"strings"

	"bot/engine"
)

// Param reads a command's param as text: the first of the names that is there
// and not empty. Numbers keep the digits they were written with.
func Param(c *engine.Command, names ...string) string {
	for _, name := range names {
		if s := text(c.Params[name]); s != "" {
			return s
		}
	}
	return ""
}

// Params reads a list: one that JSON wrote, or one text with commas in it. The
// first of the names that is there and not empty.
func Params(c *engine.Command, names ...string) []string {
	for _, name := range names {
		if all := list(c.Params[name]); len(all) > 0 {
			return all
		}
	}
	return nil
}

func text(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number, bool, int, int64, uint64:
		return fmt.Sprint(v)
	}
	return ""
}

func list(v any) (all []string) {
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	switch v := v.(type) {
	case []string:
		for _, s := range v {
			add(s)
		}
	case []any:
		for _, one := range v {
			add(text(one))
		}
	default:
		for s := range strings.SplitSeq(text(v), ",") {
			add(s)
		}
	}
	return all
}

// Mentions are the ids that a text mentions and the names to show for them,
// one for each; everybody is "all". A member without a known name is shown by
// the id.
func Mentions(c *engine.Command) (ids, names []string) {
	ids, names = Params(c, "at"), Params(c, "at_names")
	for i, id := range ids {
		switch {
		case i < len(names):
		case id == "all":
			names = append(names, "所有人")
		default:
			names = append(names, id)
		}
	}
	return ids, names[:len(ids)]
}

// Lacking names the first of the needed params that the command does not have,
// "" when it has them all.
func Lacking(c *engine.Command, needs []string) string {
	for _, name := range needs {
		if len(Params(c, name)) == 0 {
			return name
		}
	}
	return ""
}
