// Package act is what kinds of skills share that act instead of speaking: one
// action as an operator writes it (`do` with its `params`), checked when it is
// loaded, and the command it becomes.
package act

import (
	"fmt"
	"maps"
	"slices"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// Place is where an action stands in a section, and what there is when it is taken.
type Place struct {
	Prefix string       // of its keys in the section: "" or "then.0."
	On     engine.Kind  // the event that it is taken on
	Scope  render.Scope // what its params may refer to
}

// Action is one action with its params. It is safe for concurrent use.
type Action struct {
	sort   sort
	params params
}

// New reads `do` and `params` at a place. What is wrong with them is noted in
// the draft. others are names that are no actions and that the caller knows
// besides, for the hint at a slip.
func New(d *kind.Draft, p Place, name string, values map[string]any, others ...string) Action {
	at := p.Prefix + "do"
	s, known := find(name)
	switch {
	case name == "" && !d.Lacks(at, true): // it could not be read, and that has been said
	case slices.Contains(replies, engine.Action(name)):
		d.Problem(at, `%s is what a reply does (reply = [{text = "…"}, {image = "…"}, {file = "…"}])`, name)
	case !known:
		d.Problem(at, "unknown action %q%s", name, kind.Hint(name, append(names(), others...)))
	default:
		s.check(d, p)
	}
	return Action{sort: s, params: newParams(d, p.Prefix+"params", values, p.Scope)}
}

// Name is the action's.
func (a *Action) Name() string { return string(a.sort.action) }

// Command makes the command, or says why the event does not give what it takes.
func (a *Action) Command(e *engine.Event, data *render.Data) (c engine.Command, why string, err error) {
	c = engine.Command{Action: a.sort.action, Params: make(map[string]any)}
	if a.sort.carried {
		c.Params = carried(e)
	}
	if a.sort.accepts() && len(c.Params) == 0 {
		// The platform would be asked to accept nothing, and might say yes to it.
		return c, "not accepted: the request carries nothing to accept it by", nil
	}
	own, err := a.params.fill(data)
	if err != nil {
		return c, "", err
	}
	maps.Copy(c.Params, own)
	given := func(name string) bool { return !engine.Blank(c.Params[name]) }
	if a.sort.members && !slices.ContainsFunc(a.sort.needs, given) && len(e.Members) > 0 {
		c.Params["members"] = slices.Clone(e.Members)
	}
	if len(a.sort.needs) > 0 && !slices.ContainsFunc(a.sort.needs, given) {
		return c, fmt.Sprintf("%s not done: params.%s came out empty", c.Action, a.sort.needs[0]), nil
	}
	if content, ok := c.Params["content"].(string); ok && c.Action.Speaks() {
		c.Text = content
		delete(c.Params, "content")
	}
	place := c.Action.Place()
	if to, _ := own[place].(string); place != "" && !engine.Blank(to) {
		c.Conversation = to
		return c, "", nil
	}
	return c, a.sort.misplaced(e), nil
}
