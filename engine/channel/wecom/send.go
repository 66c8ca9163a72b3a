package wecom

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// newSender makes what carries out the commands of an account of any form. The
// one of an app also pulls customer-service messages and makes any call; the
// one of an AI bot shows answers that are still growing.
func newSender(a channel.Account, h channel.Host) (channel.Sender, error) {
	p, err := newPlatform(&a, &h)
	if err != nil {
		return nil, err
	}
	switch a.Form {
	case FormRobot:
		return newRobotSender(p, &a, &h), nil
	case FormAIBot:
		return newBotSender(p, &a, &h), nil
	default:
		return newAppSender(p, &a, &h), nil
	}
}

// deed is an action of a form: what it needs, and how S does it.
type deed[S any] struct {
	needs []string
	do    func(s S, ctx context.Context, c *engine.Command) (note string, err error)
}

// deeds are all actions of a form.
type deeds[S any] map[engine.Action]deed[S]

func (d deeds[S]) needs(a engine.Action) (params []string, can bool) {
	one, ok := d[a]
	return one.needs, ok
}

func (d deeds[S]) run(s S, ctx context.Context, c *engine.Command) (note string, err error) {
	one, ok := d[c.Action]
	if !ok {
		return "", permanent("this form of account has no action " + string(c.Action))
	}
	if name := channel.Lacking(c, one.needs); name != "" {
		return "", permanent(string(c.Action) + " needs the param " + name)
	}
	if note, err = one.do(s, ctx, c); err != nil {
		return "", sendError(err)
	}
	return note, nil
}

// object is a JSON object. Its members are written in the order of their names,
// so that a command makes the same bytes on every attempt.
type object = map[string]any

// encode writes the body of a request.
func encode(v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, permanent("encode command: " + err.Error())
	}
	return b, nil
}

// limit is a text that the platform cuts silently, or refuses, where it is
// longer than max bytes.
type limit struct {
	name, text string
	max        int
}

// within finds the first text that is too long.
func within(all ...limit) error {
	for _, l := range all {
		if len(l.text) > l.max {
			return permanent(fmt.Sprintf("the %s has %d bytes, and WeCom takes %d", l.name, len(l.text), l.max))
		}
	}
	return nil
}

// spoken is the text of a command that says one.
func spoken(c *engine.Command, max int) (string, error) {
	if c.Text == "" {
		return "", permanent("an empty text cannot be sent")
	}
	return c.Text, within(limit{"text", c.Text, max})
}

// given copies those of the params that are there into an object, under the
// platform's names.
func given(to object, c *engine.Command, names ...string) {
	for _, name := range names {
		if v, ok := c.Params[name]; ok && v != nil && v != "" {
			to[name] = v
		}
	}
}

// over tells whether the time of the command's ticket has passed.
func (p *platform) over(c *engine.Command) bool {
	e := c.Ticket.Expires
	return !e.IsZero() && !p.now().Before(e)
}

// windowClosed refuses what can only be said by a ticket whose time has passed.
func windowClosed(c *engine.Command, why string) error {
	return permanent("the reply window closed at " + clockTime(c.Ticket.Expires) + ": " + why)
}

// clockTime is a moment as a note says it.
func clockTime(t time.Time) string { return t.UTC().Format("15:04:05") + " UTC" }
