// Package do is the kind of skill that acts instead of speaking: it accepts a
// friend request, leaves a group, lets somebody unsubscribe.
package do

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is `do = "accept_friend"`. Some actions may hold a `reply` as well.
var Kind = kind.Kind{Key: "do", Name: "action", Also: []string{"reply"}, Config: config{}, New: build}

type config struct {
	kind.Keys
	Do     string         `toml:"do"`
	Params map[string]any `toml:"params"` // texts in it are templates
	Reply  string         `toml:"reply"`  // of a subscription: says that it is done
}

// skill takes one action on every event it answers.
type skill struct {
	kind.Base
	act    act
	params params
}

func build(d *kind.Draft) engine.Skill {
	var c config
	d.Decode(&c)
	if slices.Contains(wishes, engine.Subscription(c.Do)) {
		return newSubscription(d, &c)
	}
	s := &skill{Base: d.Base(d.Seen())}
	known := false
	s.act, known = find(c.Do)
	switch {
	case d.Has("reply"):
		d.Problem("reply", "a skill does one thing: this one holds both do and reply (write two skills)")
	case c.Do == "" && !d.Lacks("do", true): // it could not be read, and that has been said
	case slices.Contains(replies, engine.Action(c.Do)):
		d.Problem("do", `%s is what a reply does (reply = [{text = "…"}, {image = "…"}, {file = "…"}])`, c.Do)
	case !known:
		d.Problem("do", "unknown action %q%s", c.Do, kind.Hint(c.Do, names()))
	default:
		s.act.check(d)
	}
	s.params = newParams(d, "params", c.Params)
	return s
}

// Handle implements engine.Skill.
func (s *skill) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	due, data := s.Due(t), render.Of(t)
	out, granted, err := s.Guard(t, due, data)
	if err != nil || !granted {
		return out, err
	}
	command, why, err := s.command(t.Event, data)
	switch {
	case err != nil:
		return engine.Outcome{}, err
	case why != "": // nothing was given away, so no once-key is taken
		return engine.Outcome{Note: why}, nil
	}
	command.NotBefore = due
	out.Note = string(s.act.action)
	out.Commands = []engine.Command{command}
	return out, nil
}

// command makes the command, or says why the event does not give what it takes.
func (s *skill) command(e *engine.Event, data *render.Data) (c engine.Command, why string, err error) {
	c = engine.Command{Action: s.act.action, Params: make(map[string]any)}
	if s.act.carried {
		c.Params = carried(e)
	}
	if s.act.accepts() && len(c.Params) == 0 {
		// The platform would be asked to accept nothing, and might say yes to it.
		return c, "not accepted: the request carries nothing to accept it by", nil
	}
	own, err := s.params.fill(data)
	if err != nil {
		return c, "", err
	}
	maps.Copy(c.Params, own)
	given := func(name string) bool { return !blank(c.Params[name]) }
	if s.act.members && !slices.ContainsFunc(s.act.needs, given) && len(e.Members) > 0 {
		c.Params["members"] = slices.Clone(e.Members)
	}
	if len(s.act.needs) > 0 && !slices.ContainsFunc(s.act.needs, given) {
		return c, fmt.Sprintf("%s not done: params.%s came out empty", c.Action, s.act.needs[0]), nil
	}
	if content, ok := c.Params["content"].(string); ok && c.Action.Speaks() {
		c.Text = content
		delete(c.Params, "content")
	}
	place := c.Action.Place()
	if to, _ := own[place].(string); place != "" && !blank(to) {
		c.Conversation = to
		return c, "", nil
	}
	return c, s.act.misplaced(e), nil
}
