// Package relay is the kind of skill that carries what is said in one
// conversation into others: two groups that are to read each other, a group of
// staff that reads along.
package relay

import (
	"cmp"
	"context"
	"strings"

	"bot/engine"
	"bot/skills/carry"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is `relay = {to = ["…@chatroom"]}`.
var Kind = kind.Kind{Key: "relay", Name: "relay", Aside: true, Config: ownDefaults(), New: build}

// config is a skill that carries what is said into other conversations.
//
//	[[skill]]
//	name = "bridge"
//	match = "any"
//	where = "group"
//	mention = false
//	in = ["11111@chatroom"]
//	relay = {to = ["22222@chatroom"], prefix = "{{.UserName}}："}
type config struct {
	kind.Keys
	Relay target `toml:"relay"`
}

// target is where it is carried.
type target struct {
	// Ids of the conversations.
	To []string `toml:"to" default:"required"`
	// The account that speaks there.
	Account string `toml:"account" default:"the one that heard it"`
	// Who said it, a template; `""` for none.
	Prefix string `toml:"prefix"`
}

// whoSaid is the prefix where the operator wrote none.
const whoSaid = "{{.UserName | default .User}}："

// skill relays. It keeps nothing between turns.
type skill struct {
	kind.Base
	to      []string
	account string
	prefix  *render.Template // nil: none
	selves  map[string]bool  // ids of our own accounts
	can     func(account string, a engine.Action) bool
	limit   int
}

func ownDefaults() config { return config{Relay: target{Prefix: whoSaid}} }

func build(d *kind.Draft) engine.Skill {
	c := ownDefaults()
	d.Decode(&c)
	defaults(d)
	s := &skill{
		Base: d.Base(d.Seen()), to: c.Relay.To, account: c.Relay.Account,
		prefix: d.Text("relay.prefix", c.Relay.Prefix, d.Seen()),
		selves: make(map[string]bool), can: d.World.Can, limit: d.World.Limit,
	}
	for _, id := range d.World.Selves {
		s.selves[id] = true
	}
	if d.On != string(engine.Message) {
		d.Problem("on", "a relay carries messages only")
	}
	if d.Has("cooldown") {
		d.Problem("cooldown", "a relay carries everything that is said")
	}
	if d.Has("once") {
		d.Problem("once", "a relay carries everything that is said; it guards against loops by itself")
	}
	if d.Lacks("relay", len(s.to) == 0) {
		d.Problem("relay", `a relay needs the ids of the conversations it carries to (relay = {to = ["12345@chatroom"]})`)
	}
	for i, id := range s.to {
		if at := kind.Path("relay", "to", i); d.Lacks(at, strings.TrimSpace(id) == "") {
			d.Problem(at, "an empty id names no conversation")
		}
	}
	if s.account != "" {
		d.Account("relay.account", s.account)
	}
	d.NeedOf(s.account, engine.SendText, "relay")
	return s
}

// defaults are those of the common keys for which a relay has its own: what
// people say to each other in a group, whatever else answers it. What customers
// say in private is never carried into a group unasked.
func defaults(d *kind.Draft) {
	if !d.Has("where") {
		d.Where = kind.Group
	}
	if !d.Has("mention") {
		d.Mention = false
	}
	if !d.Has("stop") {
		d.Stop = false
	}
}

// Handle implements engine.Skill.
func (s *skill) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	e := t.Event
	if s.selves[e.Sender] {
		return engine.Outcome{Note: "not relayed: one of our own accounts said it"}, nil
	}
	prefix, err := s.who(render.Of(t))
	if err != nil {
		return engine.Outcome{}, err
	}
	b := carry.Read(e)
	if holds(b, prefix) {
		return engine.Outcome{Note: "not relayed: it has been relayed before"}, nil
	}
	if len(t.Taken) >= repeats {
		return engine.Outcome{Note: "not relayed: the same was said too often"}, nil
	}
	out := engine.Outcome{Note: "relayed"}
	if key := key(b, e, len(t.Taken)); key != "" {
		out.Once = []engine.Once{{Key: key, Keep: keep}}
	}
	said, due := s.commands(e, b, prefix), s.Due(t)
	for _, to := range s.to {
		if to == e.Conversation {
			continue
		}
		for _, c := range said {
			c.Conversation, c.NotBefore = to, due
			out.Commands = append(out.Commands, c)
		}
	}
	if len(out.Commands) == 0 {
		return engine.Outcome{Note: "not relayed: there is nothing to carry, or nowhere else"}, nil
	}
	return out, nil
}

// who fills the prefix in.
func (s *skill) who(data *render.Data) (string, error) {
	if s.prefix == nil {
		return "", nil
	}
	return s.prefix.Execute(data)
}

// commands say it once.
func (s *skill) commands(e *engine.Event, b carry.Body, prefix string) []engine.Command {
	account := cmp.Or(s.account, e.Account)
	out := b.Commands(prefix, s.limit, func(a engine.Action) bool { return s.can(account, a) })
	for i := range out {
		out[i].Account, out[i].Lane = s.account, engine.LanePush
	}
	return out
}
