// Package sandbox is the channel of no platform at all: a chat on the console's own
// page, so that a newcomer sees the bot answer, and an operator can try the
// running engine, before any platform is connected. What is said goes the same road
// as on every other channel: through the log, the skills, the outbox and the
// account's pace.
//
// Nobody calls for such an account. What is typed on the page becomes an event by
// Event; what is sent is kept, both for a week, in notes of the account, one for
// each message: sandbox/<conversation>/<time>.
package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// Adapter is the channel "sandbox".
var Adapter = channel.Adapter{
	Name:  "sandbox",
	Calls: func(channel.Account) bool { return false },
	Receiver: func([]channel.Account, channel.Host) (channel.Receiver, error) {
		return nil, errors.New("nobody calls for a sandbox")
	},
	Sender: func(a channel.Account, h channel.Host) (channel.Sender, error) {
		return &sender{account: a.Name, memory: h.Memory, now: h.Now}, nil
	},
}

// Message is one thing that was said, or done, in a sandbox's conversation.
type Message struct {
	Time   time.Time      `json:"time"`
	ID     string         `json:"id,omitempty"`  // of the event, by which its trace is found
	Who    string         `json:"who,omitempty"` // "" is the bot
	Action engine.Action  `json:"action,omitempty"`
	Kind   engine.Kind    `json:"kind,omitempty"` // of what happened, where that is no message
	Text   string         `json:"text,omitempty"`
	Params map[string]any `json:"params,omitempty"`
}

// Keeps is how long messages are shown.
const Keeps = 7 * 24 * time.Hour

// Prefix begins the keys of a conversation's messages, which are in the order of time.
func Prefix(conversation string) string { return "sandbox/" + url.PathEscape(conversation) + "/" }

// Key is that of a message of that time.
func Key(conversation string, at time.Time) string {
	return fmt.Sprintf("%s%020d", Prefix(conversation), at.UnixNano())
}

// Note is how a message is kept. It fails where there is too much in it.
func Note(conversation string, m Message) (engine.Note, error) {
	value, err := json.Marshal(m)
	if err != nil {
		return engine.Note{}, fmt.Errorf("keep what was said: %w", err)
	}
	const most = 32 << 10
	if len(value) > most {
		return engine.Note{}, fmt.Errorf("keep what was said: %d bytes, more than %d", len(value), most)
	}
	return engine.Note{
		Key: Key(conversation, m.Time), Value: string(value), Expires: m.Time.Add(Keeps),
	}, nil
}

// Read is the messages that notes hold; what cannot be read is left out.
func Read(notes []engine.Note) (all []Message) {
	for _, n := range notes {
		var m Message
		if json.Unmarshal([]byte(n.Value), &m) == nil {
			all = append(all, m)
		}
	}
	return all
}

// Line is what is typed on the page.
type Line struct {
	Account string
	As      string      // who says it
	In      string      // a group's name; "" for a private chat
	Text    string      // may hold @bot
	Kind    engine.Kind // of what is to happen; "" is a message
}

// The limits of a line, in bytes.
const (
	maxName = 128
	maxText = 8 << 10
)

// Conversation is where the line is said.
func (l *Line) Conversation() string {
	if l.In != "" {
		return l.In
	}
	return l.As
}

// Event is what comes of a line, and Heard the note that shows it on the page. id
// makes the event unlike all others.
func Event(l Line, id string, now time.Time) (*engine.Event, engine.Note, error) {
	l.As, l.In = strings.TrimSpace(l.As), strings.TrimSpace(l.In)
	switch {
	case l.As == "" || len(l.As) > maxName || len(l.In) > maxName:
		return nil, engine.Note{}, fmt.Errorf("say who speaks, in at most %d bytes", maxName)
	case l.Kind == "" && strings.TrimSpace(l.Text) == "":
		return nil, engine.Note{}, errors.New("say something")
	case len(l.Text) > maxText:
		return nil, engine.Note{}, fmt.Errorf("%d bytes are too much; at most %d", len(l.Text), maxText)
	}
	e := &engine.Event{
		Account: l.Account, Kind: engine.Message, Type: "text", ID: id, Conversation: l.Conversation(), Sender: l.As, SenderName: l.As,
		Group: l.In != "", Text: l.Text, Time: now,
	}
	if l.Kind != "" && l.Kind != engine.Message {
		e.Kind, e.Type = l.Kind, ""
		e.Params = map[string]string{"scene": "sandbox"} // what accepting a friend takes elsewhere
	}
	if rest, mentioned := strings.CutPrefix(l.Text, "@bot"); mentioned && e.Group {
		e.Mention, e.Text = engine.MentionMe, strings.TrimSpace(rest)
	}
	note, err := Note(e.Conversation, Message{Time: now, ID: id, Who: l.As, Kind: l.Kind, Text: l.Text})
	return e, note, err
}

type sender struct {
	account string
	memory  channel.Memory
	now     func() time.Time
}

// Send keeps what is said for the page. A second attempt at a command shows it twice,
// as any platform would.
func (s *sender) Send(ctx context.Context, c *engine.Command) (string, error) {
	m := Message{Time: s.now(), Action: c.Action, Text: c.Text, Params: c.Params}
	note, err := Note(c.Conversation, m)
	if err != nil {
		return "", &channel.SendError{Class: channel.Permanent, Note: err.Error()}
	}
	if err := s.memory.Remember(ctx, s.account, note); err != nil {
		return "", &channel.SendError{Class: channel.Transient, Note: err.Error()}
	}
	return "", nil
}

// Needs: a page can show anything.
func (s *sender) Needs(engine.Action) (params []string, can bool) { return nil, true }
