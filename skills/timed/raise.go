package timed

import (
	"context"
	"strings"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// eventConfig is something that happens, for skills to answer.
//
//	[[schedule]]
//	name = "drink"
//	cron = "0 10,15 * * mon-fri"
//	event = {conversation = "12345@chatroom", group = true, text = "该喝水了"}
//
//	[[skill]]
//	name = "reminders"
//	on = "scheduled"
//	reply = "提醒：{{.Text}}"
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
type eventConfig struct {
	// Where it happens, a template.
	Conversation string `toml:"conversation" default:"required"`
	// The conversation is a group.
	Group bool `toml:"group"`
	// What skills see as `.Text`, a template.
	Text string `toml:"text"`
}

// event names one key of the table.
func (eventConfig) key(name string) string { return kind.Path("event", name) }

// raise has something happen in a conversation, for skills to answer.
type raise struct {
	conversation, text *render.Template // text may be nil
	where              string
	group              bool
}

func newRaise(d *kind.Draft, c *config) deed {
	e := c.Event
	r := &raise{
		conversation: d.Text(e.key("conversation"), e.Conversation, scope), text: d.Text(e.key("text"), e.Text, scope),
		where: e.Conversation, group: e.Group,
	}
	if d.Lacks(e.key("conversation"), strings.TrimSpace(e.Conversation) == "") {
		d.Problem("event", `an event happens in a conversation (event = {conversation = "12345@chatroom", group = true, text = "…"})`)
	}
	return r
}

// Do implements deed. In a private chat the other side stands for who it is about.
func (r *raise) Do(_ context.Context, _ *engine.Turn, d *render.Data) (engine.Outcome, error) {
	where, err := filled("event.conversation", r.conversation, d)
	if err != nil {
		return engine.Outcome{}, err
	}
	e := &engine.Event{Kind: engine.Scheduled, Conversation: where, Group: r.group}
	if !r.group {
		e.Sender = where
	}
	if r.text != nil {
		if e.Text, err = r.text.Execute(d); err != nil {
			return engine.Outcome{}, err
		}
	}
	return engine.Outcome{Raise: []*engine.Event{e}, Note: "event in " + where}, nil
}

func (r *raise) String() string { return "event in " + r.where }
