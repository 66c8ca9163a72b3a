// Package do is the kind of skill that acts instead of speaking: it accepts a
// friend request, adds somebody to a group, lets somebody unsubscribe.
package do

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"bot/engine"
	"bot/engine/nearest"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is `do = "accept_friend"`. Some actions may hold a `reply` as well.
var Kind = kind.Kind{Key: "do", Name: "action", Also: []string{"reply"}, Config: config{}, New: build}

type config struct {
	kind.Keys
	Do     string            `toml:"do"`
	Params map[string]string `toml:"params"` // templates, added to what the event carries
	Reply  string            `toml:"reply"`  // of a subscription: says that it is done
}

// skill takes one action on every event it answers.
type skill struct {
	kind.Base
	action engine.Action
	params map[string]*render.Template
}

// actions are what an operator may ask for. What is sent to people is left to
// `reply`, which knows how to split and where to find its text.
var (
	actions = []engine.Action{engine.AcceptFriend, engine.AddMember}
	sends   = []engine.Action{engine.SendText, engine.SendImage, engine.SendFile}
)

func build(d *kind.Draft) engine.Skill {
	var c config
	d.Decode(&c)
	if slices.Contains(wishes, engine.Subscription(c.Do)) {
		return newSubscription(d, &c)
	}
	s := &skill{
		Base:   d.Base(d.Seen()),
		action: engine.Action(c.Do),
		params: make(map[string]*render.Template),
	}
	switch {
	case d.Has("reply"):
		d.Problem("reply", "a skill does one thing: this one holds both do and reply (write two skills)")
	case c.Do == "" && !d.Lacks("do", true): // it could not be read, and that has been said
	case slices.Contains(sends, s.action):
		d.Problem("do", `%s is what a reply does (reply = [{text = "…"}, {image = "…"}, {file = "…"}])`, c.Do)
	case !slices.Contains(actions, s.action):
		d.Problem("do", "unknown action %q%s", c.Do, nearest.Hint(c.Do, names()))
	case s.action == engine.AcceptFriend && d.On != string(engine.FriendRequest):
		d.Problem("do", `only a friend request can be accepted (on = "friend_request")`)
	default:
		d.Need(s.action, "do")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Params)) {
		if t := d.Text(kind.Path("params", name), c.Params[name], d.Seen()); t != nil {
			s.params[name] = t
		}
	}
	return s
}

func names() []string {
	var all []string
	for _, a := range actions {
		all = append(all, string(a))
	}
	for _, w := range wishes {
		all = append(all, string(w))
	}
	return all
}

// Handle implements engine.Skill.
func (s *skill) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	due, data := s.Due(t), render.Of(t)
	out, granted, err := s.Guard(t, due, data)
	if err != nil || !granted {
		return out, err
	}
	params, err := s.fill(t.Event, data)
	if err != nil {
		return engine.Outcome{}, err
	}
	if scene, _ := params["scene"].(string); s.action == engine.AcceptFriend && scene == "" {
		// The platform would be asked to accept nothing, and might say yes to it.
		return engine.Outcome{Note: "not accepted: the request carries no scene"}, nil
	}
	out.Note = string(s.action)
	out.Commands = []engine.Command{{Action: s.action, Params: params, NotBefore: due}}
	return out, nil
}

// fill joins what the platform needs back from its event, such as the
// credential of a friend request, with what the operator wrote.
func (s *skill) fill(e *engine.Event, data *render.Data) (map[string]any, error) {
	params := make(map[string]any, len(e.Params)+len(s.params))
	for k, v := range e.Params {
		params[k] = v
	}
	for k, text := range s.params {
		v, err := text.Execute(data)
		if err != nil {
			return nil, fmt.Errorf("params.%s: %w", k, err)
		}
		params[k] = v
	}
	return params, nil
}
