package channel

import (
	"encoding/json"
	"fmt"
	"slices"
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

// list is what a list holds, without the blanks in it.
func list(v any) []string {
	return slices.DeleteFunc(places(v), func(s string) bool { return s == "" })
}

// places are the places of a list, blanks among them.
func places(v any) (all []string) {
	switch v := v.(type) {
	case []string:
		all = slices.Clone(v)
	case []any:
		for _, one := range v {
			all = append(all, text(one))
		}
	default:
		all = strings.Split(text(v), ",")
	}
	for i := range all {
		all[i] = strings.TrimSpace(all[i])
	}
	return all
}

// Mentions are the ids that a text mentions and the names to show for them,
// one for each; everybody is "all". A name stands in the place of its id; a
// member whose name is blank or missing is shown by the id.
func Mentions(c *engine.Command) (ids, names []string) {
	called := places(c.Params["at_names"])
	for i, id := range places(c.Params["at"]) {
		name := id
		switch {
		case id == "":
			continue
		case i < len(called) && called[i] != "":
			name = called[i]
		case id == "all":
			name = "所有人"
		}
		ids, names = append(ids, id), append(names, name)
	}
	return ids, names
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
