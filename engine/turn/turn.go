// Package turn plays one event through the skills: load the states, choose the
// skills, run them, merge what they want, commit it. It is the same for an
// event of a platform and for a line typed into a trial.
//
// It leaves to its caller when an event has its turn, and what is done when a
// turn fails. It runs each skill on a goroutine of its own and waits for it
// until the skill's time limit; only a skill that ignores its limit outlives it.
package turn

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bot/engine"
	"bot/store"
)

// Memory is what a turn needs to remember; store.Turns says what the methods
// promise.
type Memory interface {
	State(k engine.StateKey) (engine.State, error)
	Commit(ctx context.Context, c store.Commit) error
	Recall(account, key string) (string, error)
	Granted(account, skill, key string) (bool, error)
}

// Setup is one snapshot of the configuration. It is shared and never changed:
// a reload makes a new one, and a turn ends with the one it began with.
type Setup struct {
	Router   engine.Router
	Accounts map[string]engine.Account
	// Broadcast makes the broadcast of an event (engine.Turn.Broadcast); nil: nothing does.
	Broadcast func(ctx context.Context, e *engine.Event, o engine.BroadcastOrder) (note string, err error)
}

// Options is what a turn needs besides its event. All fields but Show, Go,
// Contact and Enter are required.
type Options struct {
	Memory  Memory
	Setup   Setup
	Timeout time.Duration                      // of a skill that sets none
	Chance  func() float64                     // in [0,1), safe for concurrent use
	Now     func() time.Time                   // the clock of Event.Received
	Show    func(e *engine.Event, text string) // what a skill wants seen before its outcome is there; nil = nowhere
	Go      func(f func())                     // runs f on another goroutine at once; nil = a go statement
	// Contact is asked once, with the event as skills see it, for what it says of its
	// conversation as a contact; the notes are remembered in the act that handles
	// it. nil = nobody keeps a directory.
	Contact func(e *engine.Event) ([]engine.Note, error)
	// Enter is asked before a choice that waits, or whose runs are bounded, is
	// run. ok is false where it may not run now; else leave is called when its
	// run is over. nil = all may.
	Enter func(c engine.Choice) (leave func(), ok bool)
	// Confirm is told what a platform says of a command of ours, and returns when
	// that is on disk. nil = nobody asks.
	Confirm func(ctx context.Context, account, key string, ok bool, note string) error
}

// Outcome is in one word what an event came to.
type Outcome string

// The outcomes of a turn.
const (
	Reply   Outcome = "reply"    // commands were committed
	State   Outcome = "state"    // no command, but a state or a subscription changed
	NoReply Outcome = "no_reply" // neither: no skill answered, or it said nothing
	Void    Outcome = "void"     // an expiry whose state had moved on, or a fact told before
)

// Report is what a committed turn did, for counters, logs and people.
type Report struct {
	Skills   []string // that ran, in order
	Why      string   // the rules that chose them
	Outcome  Outcome
	Kind     engine.Kind      // of the event, as skills saw it (engine.Event.KindWhen)
	Commands []engine.Command // committed
	// Subscription is the change of the sender's that was committed.
	Subscription engine.Subscription
	States       string // which state became which, by skill and node; "" where none changed
	Raised       int    // events that were logged with the commit
	Note         string // the skills' own words
	// Presence is engine.Offline or engine.Online where the event told so, and "" else.
	Presence engine.Kind
	Reruns   int // because a once-key was taken or a state had moved
}

// ErrCancelled: the turn's context ended before it was done. Nobody is to
// blame, and nothing was changed unless the commit was already on its way.
var ErrCancelled = errors.New("turn cancelled")

// maxReruns bounds how often one turn starts over without having failed. Each
// rerun answers a change made by somebody else, so more than one is rare.
const maxReruns = 8

// Play plays one event and commits what comes of it; an event that no skill
// answers is committed with no effects. A taken once-key or a state that moved
// meanwhile starts the turn over. Its errors are, to be told apart by
// errors.Is and errors.As:
//
//   - *SkillError: a skill failed, panicked or ran out of time;
//   - *BusyError: a skill may not run now (Options.Enter);
//   - ErrCancelled: ctx ended;
//   - the store's refusals, such as store.ErrGone, store.ErrFull, store.ErrFailed;
//   - anything else: the event cannot be played (an unknown account, a
//     router that panics, states that never hold still).
//
// After an error nothing was changed, with the exception named on ErrCancelled.
// Play may be called by many goroutines at once, for events of different
// conversations.
func Play(ctx context.Context, o Options, e store.Entry) (Report, error) {
	account, ok := o.Setup.Accounts[e.Event.Account]
	if !ok {
		return Report{}, fmt.Errorf("play event: account %q is not configured", e.Event.Account)
	}
	p := &play{Options: o, seq: e.Seq, event: e.Event, ref: e.Event.Ref(), account: account}
	if err := p.read(); err != nil {
		return Report{}, err
	}
	for {
		r, err := p.once(ctx)
		if err == nil || !p.again(err) {
			return r, blame(ctx, err)
		}
		p.reruns++
	}
}

// play is one event at its turn, over all its reruns.
type play struct {
	Options
	seq     uint64
	event   *engine.Event // as skills read it
	ref     string
	known   bool          // its conversation was known before
	told    bool          // its fact was told by another event
	contact []engine.Note // what it says of its conversation as a contact
	gone    time.Time     // since when its account is offline, for an event that says it is back
	heard   time.Time     // when the person was heard before, where that is remembered
	account engine.Account
	taken   map[string][]string // once-keys found taken, by skill
	reruns  int
}

// once plays the event from the beginning.
func (p *play) once(ctx context.Context) (Report, error) {
	if err := ctx.Err(); err != nil {
		return Report{}, err
	}
	b, err := p.load()
	if err != nil {
		return Report{}, err
	}
	d := &draft{play: p, board: b, created: p.now()}
	if p.told || p.event.Kind == engine.Expired && !b.overdue(p.event) {
		d.report.Outcome = Void
		return d.commit(ctx)
	}
	act := d.run
	if p.event.Kind == engine.Confirmed {
		act = d.confirm
	}
	if err := act(ctx); err != nil {
		return Report{}, err
	}
	return d.commit(ctx)
}

// now is the time of what this turn creates. It is never before the event was
// received, so that a delay counted from receipt cannot lie in the past.
func (p *play) now() time.Time {
	now := p.Now()
	if now.Before(p.event.Received) {
		return p.event.Received
	}
	return now
}

// again reports whether err is a reason to play the event anew, and notes what
// the next time must know.
func (p *play) again(err error) bool {
	r, ok := errors.AsType[*rerunError](err)
	if !ok || p.reruns == maxReruns {
		return false
	}
	if r.key != "" {
		if p.taken == nil {
			p.taken = make(map[string][]string)
		}
		p.taken[r.skill] = append(p.taken[r.skill], r.key)
	}
	return true
}

// blame separates what ended because ctx did from what failed by itself.
func blame(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil || !errors.Is(err, ctx.Err()) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrCancelled, err)
}
