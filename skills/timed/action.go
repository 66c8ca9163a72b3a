package timed

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"bot/engine"
	"bot/skills/act"
	"bot/skills/kind"
	"bot/skills/render"
)

// action is `do` with its params.
type action struct {
	act   act.Action
	place string           // the param that names where it is done; "" for none
	to    *render.Template // in place of that param; nil where it is given
	whom  string           // to, as the operator wrote it
}

func newAction(d *kind.Draft, c *config) deed {
	name, known := engine.ParseAction(c.Do)
	a := &action{place: name.Place(), whom: c.To}
	switch wish := engine.Subscription(c.Do); {
	case wish == engine.Unsubscribe, wish == engine.Subscribe:
		d.Problem("do", "%s is what people ask for themselves", c.Do)
		return a
	case !known: // which act says
	case a.place == "" && d.Has("to"):
		d.Problem("to", "%s is done to nobody in particular", c.Do)
	case a.place == "":
	case d.Has("to") && d.Has(kind.Path("params", a.place)):
		d.Problem("to", "to and params.%s are one and the same (keep one of them)", a.place)
	case d.Has("to"):
		if a.to = d.Text("to", c.To, scope); d.Lacks("to", strings.TrimSpace(c.To) == "") {
			d.Problem("to", "to is empty: it is the id of whom or what %s is done to", c.Do)
		}
	case !d.Has(kind.Path("params", a.place)):
		d.Problem("do", `%s needs the id of whom or what it is done to (to = "…")`, c.Do)
	}
	a.act = act.New(d, act.Place{On: engine.Due, Scope: scope}, c.Do, c.Params)
	return a
}

// Do implements deed: the action is taken as if the event had happened where `to`
// says. One that cannot be taken is a run that failed, since nobody is there to
// notice otherwise.
func (a *action) Do(_ context.Context, t *engine.Turn, d *render.Data) (engine.Outcome, error) {
	e, to := *t.Event, ""
	if a.to != nil {
		var err error
		if to, err = filled("to", a.to, d); err != nil {
			return engine.Outcome{}, err
		}
		e.Group = a.place == "room_id"
	}
	c, why, err := a.act.Command(&e, d)
	switch {
	case err != nil:
		return engine.Outcome{}, err
	case why != "":
		return engine.Outcome{}, errors.New(why)
	}
	if c.Conversation == "" {
		c.Conversation = to
	}
	if c.Conversation == "" && a.place != "" {
		return engine.Outcome{}, fmt.Errorf("%s not done: params.%s came out empty", c.Action, a.place)
	}
	return engine.Outcome{Commands: []engine.Command{c}, Note: a.String()}, nil
}

func (a *action) String() string {
	if a.whom == "" {
		return a.act.Name()
	}
	return a.act.Name() + " → " + a.whom
}
