package form

import (
	"context"
	"slices"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
	"bot/skills/webcall"
)

// defaultFailed is said where the call at the end came to nothing and the
// operator wrote nothing.
const defaultFailed = "提交没有成功，请稍后再试。\nThat did not go through, please try again later."

// call is what a form tells another system once all answers are collected. It
// comes before everything else of the end, which may use what was answered, and
// is done only if the call succeeded.
type call struct {
	service *webcall.Service
	failed  *render.Template
	thanks  *render.Template // where `done` cannot be filled in from the answer
}

// newCall reads the one table of `then` that holds a call; nil where none does.
func newCall(d *kind.Draft, c *config, s render.Scope) *call {
	var made *call
	for i := range c.Then {
		key := kind.Path("then", i, "http")
		switch {
		case !d.Has(key):
		case made != nil:
			d.Problem(key, "a form calls one web service at its end, and there is a call above already")
		default:
			table := webcall.DefaultsFor(c.Then[i].HTTP, func(k string) bool { return d.Has(kind.Path(key, k)) })
			made = &call{webcall.New(d, key, table, s), d.Text("failed", c.Failed, s), d.Text("", defaultDone, s)}
		}
	}
	if made == nil && d.Has("failed") {
		d.Problem("failed", "failed is what is said when a call at the end fails, and this form makes none ([[skill.then]] with http = {…})")
	}
	return made
}

// WaitsIn implements kind.Waiter: only the turn with the last answer calls.
func (f *form) WaitsIn(st engine.State) bool {
	i := f.open(st.Node)
	switch {
	case f.call == nil || !st.Exists() || i < 0:
		return false
	case i == len(f.steps):
		return true
	}
	return f.confirm == nil && f.mayEnd(i)
}

// mayEnd tells whether some answer to a question is the last one.
func (f *form) mayEnd(i int) bool {
	ends := func(to int) bool {
		for range f.steps {
			if to == len(f.steps) || len(f.steps[to].when) == 0 {
				break
			}
			to = f.steps[to].next // it may be passed over
		}
		return to == len(f.steps)
	}
	s := &f.steps[i]
	return ends(s.next) || slices.ContainsFunc(s.turns, func(t turn) bool { return ends(t.to) })
}

// make calls. why says in words for the log why nothing came of it.
func (c *call) make(ctx context.Context, d *render.Data, key string) (why string, err error) {
	r, err := c.service.Call(ctx, d, key)
	switch {
	case err != nil:
		return "", err
	case r.Why != "":
		return r.Why, nil
	case !r.OK():
		return "status " + r.StatusText(), nil
	}
	d.Response = r.Response
	return "", nil
}
