package do

import (
	"context"
	"strings"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// subscription lets its sender out of what is sent unasked, or back in. It is
// the engine's own doing: no platform needs to be able to.
type subscription struct {
	kind.Base
	wish  engine.Subscription
	reply *render.Template // nil: no confirmation
}

var wishes = []engine.Subscription{engine.Unsubscribe, engine.Subscribe}

// newSubscription builds `do = "unsubscribe"` and `do = "subscribe"`.
func newSubscription(d *kind.Draft, c *config) engine.Skill {
	if d.On != string(engine.Message) {
		d.Problem("on", "%s answers messages only: people ask for it", c.Do)
	}
	if d.Has("once") {
		d.Problem("once", "%s is done as often as it is asked for; once would refuse it the second time", c.Do)
	}
	for _, key := range []string{"unless", "unless_keywords"} {
		if d.Has(key) {
			d.Problem(key, "%s is done at once, so that there is nothing to call off", c.Do)
		}
	}
	if d.Has("params") {
		d.Problem("params", "%s takes no params", c.Do)
	}
	if strings.TrimSpace(c.Reply) != "" {
		d.Need(engine.SendText, "reply")
	}
	return &subscription{
		Base:  d.Base(d.Seen()),
		wish:  engine.Subscription(c.Do),
		reply: d.Text("reply", c.Reply, d.Seen()),
	}
}

// Handle implements engine.Skill.
func (s *subscription) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	confirmation, err := s.Say(s.Due(t), s.reply, render.Of(t))
	if err != nil {
		return engine.Outcome{}, err
	}
	return engine.Outcome{Subscription: s.wish, Commands: confirmation, Note: string(s.wish)}, nil
}
