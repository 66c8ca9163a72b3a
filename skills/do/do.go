// Package do is the kind of skill that acts instead of speaking: it accepts a
// friend request, leaves a group, lets somebody unsubscribe.
package do

import (
	"context"
	"slices"

	"bot/engine"
	"bot/skills/act"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is `do = "accept_friend"`. Some actions may hold a `reply` as well.
var Kind = kind.Kind{Key: "do", Name: "action", Also: []string{"reply"}, Aside: true, Later: true, Config: config{}, New: build}

// config is a skill that acts.
//
//	[[skill]]
//	name = "accept"
//	on = "friend_request"
//	do = "accept_friend"
//
//	[[skill]]
//	name = "stop"
//	keywords = ["TD"]
//	match = "exact"
//	do = "unsubscribe"
//	reply = "已退订"
type config struct {
	kind.Keys
	// The action.
	Do string `toml:"do" is:"@actions" default:"required"`
	// What it needs, by the action; texts are templates. See [skills](skills.md).
	Params map[string]any `toml:"params"`
	// Of `subscribe` and `unsubscribe`: says that it is done.
	Reply string `toml:"reply"`
}

// skill takes one action on every event it answers.
type skill struct {
	kind.Base
	action act.Action
}

func build(d *kind.Draft) engine.Skill {
	var c config
	d.Decode(&c)
	if slices.Contains(wishes, engine.Subscription(c.Do)) {
		return newSubscription(d, &c)
	}
	s := &skill{Base: d.Base(d.Seen())}
	if d.Has("reply") {
		d.Problem("reply", "a skill does one thing: this one holds both do and reply (write two skills)")
		return s
	}
	place := act.Place{On: engine.Kind(d.On), Scope: d.Seen()}
	s.action = act.New(d, place, c.Do, c.Params, string(engine.Unsubscribe), string(engine.Subscribe))
	return s
}

// Handle implements engine.Skill.
func (s *skill) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	due, data := s.Due(t), render.Of(t)
	out, granted, err := s.Guard(t, due, data)
	if err != nil || !granted {
		return out, err
	}
	command, why, err := s.action.Command(t.Event, data)
	switch {
	case err != nil:
		return engine.Outcome{}, err
	case why != "": // nothing was given away, so no once-key is taken
		return engine.Outcome{Note: why}, nil
	}
	command.NotBefore = due
	out.Note = s.action.Name()
	out.Commands = []engine.Command{command}
	return out, nil
}
