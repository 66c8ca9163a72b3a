package timed

import (
	"context"
	"strings"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// message is a text to somebody.
type message struct {
	text, to *render.Template
	whom     string // as the operator wrote it
	limit    int
}

func newMessage(d *kind.Draft, c *config) deed {
	m := &message{text: d.Text("text", c.Text, scope), to: d.Text("to", c.To, scope), whom: c.To, limit: d.World.Limit}
	if d.Lacks("text", strings.TrimSpace(c.Text) == "") {
		d.Problem("text", "an empty text says nothing to anybody")
	}
	if d.Lacks("to", strings.TrimSpace(c.To) == "") {
		d.Problem("to", `a text needs the id of the conversation it goes to (to = "12345@chatroom")`)
	}
	d.NeedOf(c.Account, engine.SendText, "text")
	return m
}

func (m *message) Do(_ context.Context, _ *engine.Turn, d *render.Data) (engine.Outcome, error) {
	to, err := filled("to", m.to, d)
	if err != nil {
		return engine.Outcome{}, err
	}
	text, err := m.text.Execute(d)
	if err != nil {
		return engine.Outcome{}, err
	}
	out := engine.Outcome{Commands: kind.Texts(text, d.Longest(m.limit)), Note: "text → " + to}
	if len(out.Commands) == 0 {
		out.Note = "nothing said: text came out empty"
	}
	for i := range out.Commands {
		out.Commands[i].Conversation = to
	}
	return out, nil
}

func (m *message) String() string { return "text → " + m.whom }
