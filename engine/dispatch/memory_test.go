package dispatch_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/dispatch"
	"bot/engine/turn"
	"bot/store"
)

// places keeps a place for every command that asks, and notes what it is told and
// what else happened, in order.
type places struct {
	mu    sync.Mutex
	notes []string
	wait  time.Duration // before it answers
}

func (p *places) note(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

func (p *places) reserve(c *engine.Command) (*store.Progress, func(error)) {
	time.Sleep(p.wait)
	p.note("asked for %q", c.Text)
	return &store.Progress{Attempts: 1, Awaits: c.Text}, func(err error) { p.note("ended with %v", err) }
}

// with lets a rig ask for places.
func (p *places) with(o *dispatch.Options) {
	o.Reserve = p.reserve
	o.Handled = func(e *engine.Event, r turn.Report) { p.note("handled") }
	o.Committed = func() { p.note("committed") }
}

func (p *places) want(t *testing.T, want ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Equal(p.notes, want) {
		t.Errorf("got  %q\nwant %q", p.notes, want)
	}
}

// saying is a skill whose commands are these.
func saying(commands ...engine.Command) handler {
	return func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{Commands: slices.Clone(commands)}, nil
	}
}

func says(text string) engine.Command { return engine.Command{Action: engine.SendText, Text: text} }

func TestAReplyThatCanLeaveIsMarkedByItsOwnCommit(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p places
		r := newRig(t, newLedger(), saying(says("hello")), p.with).start()
		r.say("u1")
		pass(time.Second)
		r.stop()
		if c := r.ledger.commits; len(c) != 1 || c[0].Mark == nil || c[0].Mark.Awaits != "hello" {
			t.Errorf("committed %+v", c)
		}
		p.want(t, `asked for "hello"`, "handled", "ended with <nil>") // it leaves when all know of it
	})
}

func TestOnlyTheFirstOfSeveralCommandsIsReserved(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p places
		r := newRig(t, newLedger(), saying(says("one"), says("two")), p.with).start()
		r.say("u1")
		pass(time.Second)
		r.stop()
		p.want(t, `asked for "one"`, "handled", "ended with <nil>", "committed")
	})
}

func TestNothingIsReservedBeforeWhatIsDueEarlier(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p places
		late := says("in a minute")
		late.NotBefore = time.Now().Add(time.Minute)
		r := newRig(t, newLedger(), saying(late, says("now")), p.with).start()
		r.say("u1")
		pass(time.Second)
		r.stop()
		p.want(t, "handled", "committed")
		if c := r.ledger.commits; len(c) != 1 || c[0].Mark != nil {
			t.Errorf("committed %+v", c)
		}
	})
}

func TestNothingIsReservedForAnEventWithoutAnAnswer(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var p places
		r := newRig(t, newLedger(), saying(), p.with).start()
		r.say("u1")
		pass(time.Second)
		r.stop()
		p.want(t, "handled")
	})
}

func TestWhoeverIsRefusedItsCommitGivesItsPlaceBack(t *testing.T) {
	full, unknown := fmt.Errorf("commit: %w", store.ErrFull), errors.New("unknown")
	for name, tt := range map[string]struct {
		err  error
		want []string
	}{
		"as the turn is played anew":             {store.ErrConflict, []string{`asked for "x"`, "ended with state changed meanwhile", `asked for "x"`, "handled", "ended with <nil>"}},
		"while it waits for room":                {full, []string{`asked for "x"`, "ended with commit: store is full", `asked for "x"`, "handled", "ended with <nil>"}},
		"and when the event was another's":       {store.ErrGone, []string{`asked for "x"`, "ended with already settled"}},
		"and when the attempt is to be repeated": {unknown, []string{`asked for "x"`, "ended with unknown", `asked for "x"`, "handled", "ended with <nil>"}},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				var p places
				l := newLedger()
				l.refuse = refusing("commit", 1, tt.err)
				r := newRig(t, l, saying(says("x")), p.with).start()
				r.say("u1")
				pass(time.Minute)
				r.stop()
				p.want(t, tt.want...)
			})
		})
	}
}

// The end of the process must not leave unknown whether a marked reply is on disk: it
// would be neither sent nor taken back.
func TestACommitWithAMarkIsSeenThrough(t *testing.T) {
	bubble(t, func(t *testing.T) {
		p := places{wait: 11 * time.Second} // longer than the time for turns in hand
		r := newRig(t, newLedger(), saying(says("x")), p.with).start()
		r.say("u1")
		pass(0)
		r.stop()
		p.want(t, `asked for "x"`, "handled", "ended with <nil>")
		r.ledger.wantHandled(t, 1)
	})
}
