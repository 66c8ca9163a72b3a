// Package trial plays conversations against the skills with no platform, no
// store and a clock of its own: `bot chat` and the tests that operators write
// beside their skills. It runs the same turns as the engine does, so what is
// tried here is what customers will see.
package trial

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"bot/engine"
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
	// Schedules are those that /run may name.
	Schedules []engine.Schedule
	// Vet is asked of each command what the platform would get, and why it would
	// get nothing ("" it does). nil = everything is sent as it is written.
	Vet func(c *engine.Command) (said *engine.Command, refused string)
	// Explain fills Reply.Verdicts; nil leaves them out.
	Explain func(e *engine.Event, sender, shared engine.State) []engine.Verdict
}

// Trial is one conversation being tried. It is not safe for concurrent use.
type Trial struct {
	opts        Options
	user, group string // who speaks, and in which group
	now         time.Time
	serial      uint64
	raised      int // how deep events are nested that skills brought about
	memory      *memory
}

// New starts a conversation.
func New(o Options) *Trial {
	if o.User == "" {
		o.User = "user"
	}
	if o.Vet == nil {
		o.Vet = func(c *engine.Command) (*engine.Command, string) { return c, "" }
	}
	t := &Trial{opts: o, user: o.User, group: o.Group, now: o.Start}
	t.memory = newMemory(func() time.Time { return t.now })
	return t
}

// Reply is what came of one line.
type Reply struct {
	Texts    []string // what the bot says
	Actions  []string // what else it does: accept_friend scene=…, unsubscribe
	Notes    []string // what the trial itself tells: /state, and what is not sent
	Verdicts []engine.Verdict
	// Remarks are what the skills that ran noted for the log; with Options.Explain.
	Remarks []string
}

func (r *Reply) add(more Reply) {
	r.Texts = append(r.Texts, more.Texts...)
	r.Actions = append(r.Actions, more.Actions...)
	r.Notes = append(r.Notes, more.Notes...)
	r.Verdicts = append(r.Verdicts, more.Verdicts...)
	r.Remarks = append(r.Remarks, more.Remarks...)
}

// Do carries out one line of a dialogue: a text to be said, or one of the
// commands that Help explains, such as "/wait 11m" or "/image 菜单.png".
//
// A text that begins with "//" is said without its first slash; any other
// line with a slash in front is an error, since it is mostly a mistyped command.
func (t *Trial) Do(ctx context.Context, line string) (Reply, error) {
	switch {
	case strings.HasPrefix(line, "//"), !strings.HasPrefix(line, "/"):
		if meant := wide(line); meant != "" {
			return Reply{}, fmt.Errorf("the slash is a full-width one (did you mean %s?)", meant)
		}
		return t.say(ctx, plain(line))
	}
	verb, arg := cut(line)
	c, ok := find(verb)
	switch {
	case !ok:
		return Reply{}, unknown(verb, line)
	case c.args == "" && arg != "":
		return Reply{}, fmt.Errorf("%s stands alone, without %q (a text that begins with / is sent as %q)", verb, arg, "/"+line)
	}
	return c.do(t, ctx, arg)
}

func (t *Trial) as(_ context.Context, user string) (Reply, error) {
	if user == "" {
		return Reply{}, errors.New("/as needs a user's id: /as u2")
	}
	t.user = user
	return Reply{}, nil
}

func (t *Trial) in(_ context.Context, group string) (Reply, error) {
	switch group {
	case "":
		return Reply{}, errors.New("/in needs a group's id: /in 12345@chatroom; /in - goes back to private chats")
	case "-":
		group = ""
	}
	t.group = group
	return Reply{}, nil
}

func (t *Trial) wait(ctx context.Context, arg string) (Reply, error) {
	var d engine.Duration
	if err := d.UnmarshalText([]byte(arg)); err != nil {
		return Reply{}, fmt.Errorf("/wait: %w", err)
	}
	var all Reply
	var failed error
	t.Pass(ctx, t.now.Add(time.Duration(d)), func(_ *engine.Event, r Reply, err error) {
		all.add(r)
		if err != nil && failed == nil {
			failed = fmt.Errorf("/wait: %w", err)
		}
	})
	return all, failed
}

// maxExpiries bounds how often one state may run out in one Pass: a skill that
// answers each expiry with a new time limit would keep it busy for ever.
const maxExpiries = 10_000

// Pass lets time pass until then. Of each time limit that runs out meanwhile
// and asked to be told it hands told the event and what came of it, and of each
// command whose time comes that could have been called off the event it answers.
func (t *Trial) Pass(ctx context.Context, until time.Time, told func(e *engine.Event, r Reply, err error)) {
	var times map[engine.StateKey]int
	for {
		key, s, ok := t.memory.nextExpiry(until)
		if !ok {
			t.leave(until, told)
			t.advance(until)
			return
		}
		t.leave(s.Expires, told)
		t.advance(s.Expires.Add(time.Nanosecond))
		if !s.Notify {
			delete(t.memory.states, key)
			continue
		}
		if times == nil {
			times = make(map[engine.StateKey]int)
		}
		e := t.expiry(key, s)
		var r Reply
		var err error
		if times[key]++; times[key] > maxExpiries {
			err = fmt.Errorf("skill %q sets its time limit again and again", s.Skill)
		} else {
			r, err = t.play(ctx, e)
		}
		told(e, r, err)
		if err != nil || t.memory.states[key].Version == s.Version {
			delete(t.memory.states, key) // the store would not ask twice
		}
	}
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
	e.Account, e.Conversation, e.Sender, e.SenderName, e.Group = key.Account, key.Conversation, key.Sender, "", false
	e.Params = map[string]string{"version": strconv.FormatUint(s.Version, 10)}
	return e
}

func (t *Trial) play(ctx context.Context, e *engine.Event) (Reply, error) {
	t.now = t.now.Add(time.Millisecond) // two lines are never received at one instant
	e.Received = t.now
	return t.turn(ctx, e)
}

// Play puts an event before the skills that happened elsewhere: it keeps its
// account, its conversation and the time of its receipt, to which the clock
// moves. Time limits that ran out before are for Pass.
func (t *Trial) Play(ctx context.Context, e *engine.Event) (Reply, error) {
	t.serial++
	t.advance(e.Received)
	return t.turn(ctx, e)
}

func (t *Trial) turn(ctx context.Context, e *engine.Event) (Reply, error) {
	r := Reply{Verdicts: t.explain(e)}
	report, err := turn.Play(ctx, turn.Options{
		Memory: t.memory, Setup: t.opts.Setup, Chance: t.opts.Chance,
		Timeout: t.opts.Timeout, Now: func() time.Time { return t.now },
	}, store.Entry{Seq: t.serial, Event: e})
	for _, c := range t.memory.take() {
		if c.Unless != "" && c.Due().After(t.now) {
			t.memory.wait(c, e)
			r.Notes = append(r.Notes, fmt.Sprintf("%s of skill %s waits for %v", c.Action, c.Skill, c.Due().Sub(t.now).Round(time.Second)))
			continue
		}
		t.send(&r, e, &c)
	}
	if t.opts.Explain != nil && report.Note != "" {
		r.Remarks = append(r.Remarks, report.Note)
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

// send shows what a command that answers an event does.
func (t *Trial) send(r *Reply, e *engine.Event, c *engine.Command) {
	said, refused := t.opts.Vet(c)
	switch {
	case refused != "":
		r.Notes = append(r.Notes, elsewhere(e, c)+string(c.Action)+" is not sent: "+refused)
	case c.Action == engine.SendText:
		r.Texts = append(r.Texts, elsewhere(e, said)+mentions(said)+said.Text)
	default:
		r.Actions = append(r.Actions, elsewhere(e, said)+show(said))
	}
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
