// Package reply is the kind of skill that answers with what is written in the
// configuration: a text, or texts, pictures and files one after another.
package reply

import (
	"context"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/nearest"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is `reply = "…"` or `reply = [{text = "…"}, {image = "…"}]`.
var Kind = kind.Kind{Key: "reply", Name: "reply", Config: config{}, New: build}

type config struct {
	kind.Keys
	Reply any `toml:"reply"` // a string or a list of tables
}

// skill sends its parts, and takes its once-key where it has one.
type skill struct {
	kind.Base
	parts []part
}

// part is one message: a text, or a picture or file by its address.
type part struct {
	action engine.Action
	text   *render.Template
}

func build(d *kind.Draft) engine.Skill {
	var c config
	d.Decode(&c)
	s := &skill{Base: d.Base(d.Seen())}
	switch r := c.Reply.(type) {
	case string:
		s.add(d, engine.SendText, "reply", r)
	case []any:
		for i, table := range r {
			s.addTable(d, kind.Path("reply", i), table)
		}
		if len(r) == 0 {
			d.Problem("reply", "an empty list says nothing")
		}
	case nil: // it could not be read, and that has been said
	default:
		d.Problem("reply", `reply is a text or a list of parts (reply = "Hi" or reply = [{text = "Hi"}, {image = "https://…"}])`)
	}
	return s
}

// partKeys are what a part can be, and the action that sends it.
var partKeys = []struct {
	key    string
	action engine.Action
}{
	{"text", engine.SendText},
	{"image", engine.SendImage},
	{"file", engine.SendFile},
}

func (s *skill) addTable(d *kind.Draft, key string, v any) {
	table, ok := v.(map[string]any)
	if !ok {
		d.Problem(key, `a part is a table: {text = "…"}, {image = "…"} or {file = "…"}`)
		return
	}
	found := 0
	names := make([]string, len(partKeys))
	for i, p := range partKeys {
		names[i] = p.key
		value, ok := table[p.key]
		if !ok {
			continue
		}
		found++
		text, ok := value.(string)
		if !ok {
			d.Problem(key+"."+p.key, "%s is a text in quotes", p.key)
			continue
		}
		s.add(d, p.action, key+"."+p.key, text)
	}
	for name := range table {
		if !slices.Contains(names, name) {
			d.Problem(key+"."+name, "unknown part %q%s", name, nearest.Hint(name, names))
		}
	}
	if found != 1 && found == len(table) {
		d.Problem(key, "a part is one of text, image and file, not %d of them (one table each)", found)
	}
}

func (s *skill) add(d *kind.Draft, a engine.Action, key, text string) {
	if strings.TrimSpace(text) == "" {
		if d.Lacks(key, true) {
			d.Problem(key, "an empty text says nothing")
		}
		return
	}
	d.Need(a, key)
	s.parts = append(s.parts, part{a, d.Text(key, text, d.Seen())})
}

// Handle implements engine.Skill.
func (s *skill) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	due, data := s.Due(t), render.Of(t)
	out, granted, err := s.Guard(t, due, data)
	if err != nil || !granted {
		return out, err
	}
	out.Note = "replied"
	for _, p := range s.parts {
		commands, err := s.send(p, due, data)
		if err != nil {
			return engine.Outcome{}, err
		}
		out.Commands = append(out.Commands, commands...)
	}
	return out, nil
}

func (s *skill) send(p part, due time.Time, data *render.Data) ([]engine.Command, error) {
	if p.action == engine.SendText {
		return s.Say(due, p.text, data)
	}
	url, err := p.text.Execute(data)
	if url = strings.TrimSpace(url); err != nil || url == "" {
		return nil, err
	}
	return []engine.Command{{Action: p.action, Params: map[string]any{"url": url}, NotBefore: due}}, nil
}
