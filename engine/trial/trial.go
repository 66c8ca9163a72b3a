// Package trial plays conversations against the skills with no platform, no
// store and a clock of its own: `bot chat` and the tests that operators write
// beside their skills. It runs the same turns as the engine does, so what is
// tried here is what customers will see.
package trial

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/nearest"
	"bot/engine/turn"
	"bot/store"
)

// Options is where and when a trial takes place.
type Options struct {
	Setup   turn.Setup
	Account string // one of Setup.Accounts
	User    string // who speaks first; default "user"
	Group   string // a group's id: everything is said there, to the bot; "" = private chats
	Start   time.Time
	Chance  func() float64
	Timeout time.Duration // of a skill that sets none
	// Explain fills Reply.Verdicts; nil leaves them out.
	Explain func(e *engine.Event, sender, shared engine.State) []engine.Verdict
}

// Trial is one conversation being tried. It is not safe for concurrent use.
type Trial struct {
	opts   Options
	user   string
	now    time.Time
	serial uint64
	raised int // how deep events are nested that skills brought about
	memory *memory
}

// New starts a conversation.
func New(o Options) *Trial {
	if o.User == "" {
		o.User = "user"
	}
	t := &Trial{opts: o, user: o.User, now: o.Start}
	t.memory = newMemory(func() time.Time { return t.now })
	return t
}

// Reply is what came of one line.
type Reply struct {
	Texts    []string // what the bot says
	Actions  []string // what else it does: accept_friend scene=…, unsubscribe
	Verdicts []engine.Verdict
}

func (r *Reply) add(more Reply) {
	r.Texts = append(r.Texts, more.Texts...)
	r.Actions = append(r.Actions, more.Actions...)
	r.Verdicts = append(r.Verdicts, more.Verdicts...)
}

// Do carries out one line of a dialogue: a text to be said, or one of
//
//	/wait 11m             time passes
//	/event friend_added   something happens to the one who speaks; words after it
//	                      are the event's text, such as a group's new name
//	/as u2                somebody else speaks from here on
//	/in 12345@chatroom    everything happens in that group from here on
//
// A text that begins with "//" is said without its first slash; any other
// line with a slash in front is an error, since it is mostly a mistyped command.
func (t *Trial) Do(ctx context.Context, line string) (Reply, error) {
	verb, arg, _ := strings.Cut(line, " ")
	arg = strings.TrimSpace(arg)
	switch verb {
	case "/wait":
		return t.wait(ctx, arg)
	case "/as":
		if arg == "" {
			return Reply{}, fmt.Errorf("/as needs a user's id: /as u2")
		}
		t.user = arg
		return Reply{}, nil
	case "/in":
		if arg == "" {
			return Reply{}, fmt.Errorf("/in needs a group's id: /in 12345@chatroom")
		}
		t.opts.Group = arg
		return Reply{}, nil
	case "/event":
		return t.happen(ctx, arg)
	}
	if strings.HasPrefix(line, "//") {
		line = line[1:]
	} else if strings.HasPrefix(line, "/") {
		return Reply{}, unknown(verb, line)
	}
	e := t.event(engine.Message)
	e.Type, e.Text = "text", line
	if e.Group {
		e.Mention = engine.MentionMe
	}
	return t.play(ctx, e)
}

// commands are what a line can begin with.
var commands = []string{"/event", "/wait", "/as", "/in"}

// unknown refuses a line that begins as a command does and is none.
func unknown(verb, line string) error {
	hint := "known: " + strings.Join(commands, ", ")
	if meant := nearest.Name(verb, commands); meant != "" {
		hint = "did you mean " + meant + "?"
	}
	return fmt.Errorf("there is no command %s (%s; a text that begins with / is sent as %q)", verb, hint, "/"+line)
}

// Silent tells whether a line by itself says nothing to the bot.
func Silent(line string) bool {
	verb, _, _ := strings.Cut(line, " ")
	return verb == "/as" || verb == "/in" || verb == "/wait"
}

// maxExpiries bounds one /wait: a skill that answers each expiry with a new
// time limit would keep it busy for ever.
const maxExpiries = 1000

func (t *Trial) wait(ctx context.Context, arg string) (Reply, error) {
	var d engine.Duration
	if err := d.UnmarshalText([]byte(arg)); err != nil {
		return Reply{}, fmt.Errorf("/wait: %w", err)
	}
	until := t.now.Add(time.Duration(d))
	var all Reply
	for n := 0; ; n++ {
		key, s, ok := t.memory.nextExpiry(until)
		if !ok {
			break
		}
		if n == maxExpiries {
			return all, fmt.Errorf("/wait: skill %q sets its time limit again and again", s.Skill)
		}
		t.advance(s.Expires.Add(time.Nanosecond))
		if !s.Notify {
			delete(t.memory.states, key)
			continue
		}
		r, err := t.play(ctx, t.expiry(key, s))
		all.add(r)
		if err != nil {
			return all, err
		}
		if t.memory.states[key].Version == s.Version {
			delete(t.memory.states, key) // its skill let it be: the store would not ask twice
		}
	}
	t.advance(until)
	return all, nil
}

// advance sets the clock, never back: what is played while time passes takes
// some of it.
func (t *Trial) advance(to time.Time) {
	if to.After(t.now) {
		t.now = to
	}
}

// expiry makes the event that a store would: it knows the state's key and no
// more of the one who was silent.
func (t *Trial) expiry(key engine.StateKey, s engine.State) *engine.Event {
	e := t.event(engine.Expired)
	e.Conversation, e.Sender, e.SenderName, e.Group = key.Conversation, key.Sender, "", false
	e.Params = map[string]string{"version": strconv.FormatUint(s.Version, 10)}
	return e
}

func (t *Trial) play(ctx context.Context, e *engine.Event) (Reply, error) {
	t.now = t.now.Add(time.Millisecond) // two lines are never received at one instant
	e.Received = t.now
	r := Reply{Verdicts: t.explain(e)}
	report, err := turn.Play(ctx, turn.Options{
		Memory: t.memory, Setup: t.opts.Setup, Chance: t.opts.Chance,
		Timeout: t.opts.Timeout, Now: func() time.Time { return t.now },
	}, store.Entry{Seq: t.serial, Event: e})
	for _, c := range t.memory.take() {
		if c.Action == engine.SendText {
			r.Texts = append(r.Texts, elsewhere(e, &c)+mentions(&c)+c.Text)
		} else {
			r.Actions = append(r.Actions, elsewhere(e, &c)+show(&c))
		}
	}
	if report.Subscription != "" {
		r.Actions = append(r.Actions, string(report.Subscription))
	}
	if err != nil {
		return r, err
	}
	raised := t.memory.raised
	t.memory.raised = nil
	for _, e := range raised {
		more, err := t.raise(ctx, e)
		r.add(more)
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// maxRaised bounds the events that come of one line: a skill that answers what it
// raised by raising it again would keep a trial busy for ever.
const maxRaised = 100

// raise plays an event that a skill brought about.
func (t *Trial) raise(ctx context.Context, e *engine.Event) (Reply, error) {
	if t.raised == maxRaised {
		return Reply{}, fmt.Errorf("skills raised more than %d events one after the other", maxRaised)
	}
	t.raised++
	defer func() { t.raised-- }()
	t.serial++
	return t.play(ctx, e)
}

func (t *Trial) explain(e *engine.Event) []engine.Verdict {
	if t.opts.Explain == nil {
		return nil
	}
	key := engine.StateKey{Account: e.Account, Conversation: e.Conversation}
	shared := t.memory.states[key]
	key.Sender = e.Sender
	return t.opts.Explain(e, t.memory.states[key], shared)
}
