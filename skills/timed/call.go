package timed

import (
	"context"
	"fmt"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
	"bot/skills/webcall"
)

// call asks a web service. Its answer is of no use but for its status.
type call struct {
	service *webcall.Service
	skill   string
}

func newCall(d *kind.Draft, c *config) deed {
	return &call{webcall.New(d, "http", c.HTTP, scope), d.Name}
}

func (c *call) Do(ctx context.Context, t *engine.Turn, d *render.Data) (engine.Outcome, error) {
	r, err := c.service.Call(ctx, d, webcall.Key(t, c.skill, 0))
	switch {
	case err != nil:
		return engine.Outcome{}, err
	case r.Why != "":
		return engine.Outcome{}, fmt.Errorf("web service: %s", r.Why)
	case !r.OK():
		return engine.Outcome{}, fmt.Errorf("web service: status %s", r.StatusText())
	}
	return engine.Outcome{Note: "http " + r.StatusText()}, nil
}

func (c *call) String() string { return "http" }
