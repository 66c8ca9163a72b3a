// Package reply is the kind of skill that answers with what is written in the
// configuration: a text, or texts, pictures, files and cards one after another.
package reply

import (
	"context"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is `reply = "…"` or `reply = [{text = "…"}, {image = "…"}]`.
var Kind = kind.Kind{Key: "reply", Name: "reply", Later: true, Config: config{}, New: build}

// config is a skill that answers with what is written.
//
//	[[skill]]
//	name = "menu"
//	keywords = ["菜单"]
//	where = "group"
//	at = "sender"
//	reply = [{text = "今天的菜单："}, {image = "https://example.com/menu.jpg"}]
type config struct {
	kind.Keys
	// A text (a template), or a list of parts sent one after another: `{text = …}`, `{image = …}`, `{file = …}`,
	// `{voice = …}`, `{video = …}`, `{link = …}`, `{location = …}` and more, see [skills](skills.md).
	Reply any `toml:"reply" is:"$text|$tables" default:"required"`
	// In groups: whom the first text mentions.
	At string `toml:"at" is:"sender|members|all"`
}

// skill sends its parts, and takes its once-key where it has one.
type skill struct {
	kind.Base
	parts []part
}

func build(d *kind.Draft) engine.Skill {
	var c config
	d.Decode(&c)
	s := &skill{Base: d.Base(d.Seen())}
	switch r := c.Reply.(type) {
	case string:
		s.add(d, "reply", r, part{action: engine.SendText})
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
	if d.Has("at") {
		s.mention(d, d.Mentions("at", c.At))
	}
	return s
}

// mention gives the skill's own `at` to its first text, unless that has one.
func (s *skill) mention(d *kind.Draft, at kind.Mention) {
	i := slices.IndexFunc(s.parts, func(p part) bool { return p.action == engine.SendText })
	switch {
	case i >= 0 && s.parts[i].at == kind.Nobody:
		s.parts[i].at = at
	case i < 0 && len(s.parts) > 0:
		d.Problem("at", "only a text can mention somebody, and this reply has none")
	}
}

// Handle implements engine.Skill. What comes to nothing, or goes where nothing can be
// said, is no answer: it takes neither a once-key nor the time of a cooldown.
func (s *skill) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	due, data := s.Due(t), render.Of(t)
	out, granted, err := s.Guard(t, due, data)
	if err != nil || !granted {
		return out, err
	}
	out.Note = "replied"
	for _, p := range s.parts {
		commands, err := s.send(p, t.Event, due, data)
		if err != nil {
			return engine.Outcome{}, err
		}
		out.Commands = append(out.Commands, commands...)
	}
	switch {
	case len(out.Commands) == 0:
		return engine.Outcome{Note: "nothing said: the reply came out empty"}, nil
	case t.Event.Mute != "": // the engine leaves them out, and says why
		return engine.Outcome{Commands: out.Commands}, nil
	}
	return out, nil
}

func (s *skill) send(p part, e *engine.Event, due time.Time, data *render.Data) ([]engine.Command, error) {
	if p.action == engine.SendText {
		return s.SayTo(e, p.at, due, p.text, data)
	}
	url, err := p.text.Execute(data)
	if url = strings.TrimSpace(url); err != nil || url == "" {
		return nil, err
	}
	params := map[string]any{"url": url}
	for _, f := range p.fields {
		if params[f.param], err = f.value(data); err != nil {
			return nil, err
		}
	}
	return []engine.Command{{Action: p.action, Params: params, NotBefore: due}}, nil
}
