package egress

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// reserved is a reply whose commit is being written.
type reserved struct {
	w       *world
	command engine.Command
	mark    *store.Progress // nil: it waits as all others do
	end     func(error)
}

// reserve asks for a place for a reply of the account shop.
func (w *world) reserve(conversation, task string, change ...func(*engine.Command)) *reserved {
	r := &reserved{w: w, command: engine.Command{Account: "shop", Conversation: conversation, TaskID: task,
		Action: engine.SendText, Created: time.Now()}}
	for _, c := range change {
		c(&r.command)
	}
	r.mark, r.end = w.egress.Reserve(&r.command)
	return r
}

// kept is reserve of what could leave at once.
func (w *world) kept(conversation, task string, change ...func(*engine.Command)) *reserved {
	w.t.Helper()
	r := w.reserve(conversation, task, change...)
	if r.mark == nil {
		w.t.Fatalf("no place was kept for %s", task)
	}
	return r
}

// write puts the row into the outbox, as the commit does before it answers.
func (r *reserved) write() *reserved {
	p := *r.mark
	p.Phase = store.Sending
	r.w.outbox.put(r.command, p)
	return r
}

// rested is a running world whose pace has no reason to hold anything any more.
func rested(t *testing.T, a Account) *world {
	w := newWorld(t, shop(a))
	w.rest()
	return w
}

func (w *world) rest() {
	w.start()
	w.t.Cleanup(func() { w.stop() })
	after(5 * time.Second)
}

// attempts is how many acts there were that marked one.
func (m *memory) attempts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.marks
}

func TestAReservedReplyLeavesWithItsOwnCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, quick())
		r := w.kept("c", "1")
		if p := r.mark; p.Phase != store.Sending || p.Attempts != 1 || len(p.Tries) != 1 || !p.Tries[0].Time.Equal(time.Now()) {
			t.Errorf("the mark is %+v", p)
		}
		r.write()
		w.egress.Wake() // another commit was written meanwhile: the row is seen
		after(time.Hour)
		w.wantTasks("shop") // and may not be on disk yet
		r.end(nil)
		after(0)
		w.wantTasks("shop", "1")
		if p := w.wantState("1", "sent"); p.Attempts != 1 || len(p.Tries) != 1 || p.Tries[0].Class != string(store.Sent) || !p.Tries[0].Time.Equal(time.Now()) {
			t.Errorf("the end is %+v", p)
		}
		if n := w.outbox.attempts(); n != 0 {
			t.Errorf("%d attempts were marked in acts of their own", n)
		}
		w.kept("c", "2").write().end(nil) // the row is looked up by whoever is told
		after(0)
		w.wantTasks("shop", "1", "2")
	})
}

func TestWhatWasReservedForACommitThatWasRefusedIsFreeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, accountWith(func(a *Account) { a.Limits.Parallel = 1 }))
		r := w.kept("c", "1")
		if w.reserve("d", "x").mark != nil {
			t.Error("there is one slot, and two have a place")
		}
		w.say("shop", "reply c later")
		after(time.Second)
		w.wantTasks("shop")
		w.say("shop", "reply c 1") // the turn is played anew, and what it says seen before this is known
		after(time.Second)
		r.end(store.ErrConflict)
		after(0)
		w.wantTasks("shop", "later", "1")
		r = w.kept("c", "2")
		r.write().end(nil)
		after(0)
		w.wantTasks("shop", "later", "1", "2")
	})
}

// After an outage one request tries whether the platform answers. One that was
// reserved for that and did not come about must not keep all others waiting.
func TestAReservedProbeThatDoesNotComeAboutIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].answer = func(c *engine.Command) error {
			if c.TaskID == "down" {
				return fails(channel.Unreachable)
			}
			return nil
		}
		w.start()
		defer w.stop()
		w.put("shop", engine.Command{TaskID: "down", Conversation: "a", Deadline: time.Now().Add(500 * time.Millisecond)})
		w.egress.Wake()
		after(0)
		if w.reserve("b", "1").mark != nil {
			t.Error("a place was kept while the platform was down")
		}
		after(5 * time.Second)
		probe := w.kept("b", "1")
		w.say("shop", "reply c 2")
		after(time.Hour)
		w.wantState("2", "waiting")
		probe.end(store.ErrGone)
		after(0)
		w.wantState("2", "sent")
	})
}

func TestAReservedReplyHoldsItsSuccessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second } // two at once break the test
		w.rest()
		r := w.kept("c", "1")
		r.write()
		w.say("shop", "reply c 2", "push c 3", "push d other") // of the same commit, or of another
		after(10 * time.Second)
		w.wantTasks("shop", "other")
		r.end(nil)
		after(10 * time.Second)
		w.wantTasks("shop", "other", "1", "2", "3")
	})
}

func TestAHoldTakesAReservedReplyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, quick())
		r := w.kept("c", "1").write()
		w.egress.Hold("shop", "test", "paused")
		after(0)
		r.end(nil)
		after(time.Hour)
		w.wantTasks("shop")
		if p := w.wantState("1", "waiting"); p.Attempts != 0 || len(p.Tries) != 0 {
			t.Errorf("taking it back left %+v", p)
		}
		w.egress.Hold("shop", "test", "")
		after(0)
		w.wantTasks("shop", "1")
	})
}

// What was said of a reply when its place was kept need not hold when it leaves.
func TestAReservedReplyIsLookedAtAgainBeforeItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, lax, _ := vetting(t, quick())
		lax.Store(true)
		w.rest()
		r := w.kept("c", "1", func(c *engine.Command) { c.Text = "awful" }).write()
		lax.Store(false)
		r.end(nil)
		after(0)
		w.wantTasks("shop")
		w.wantState("1", "dead")
	})
}

func TestTheEndOfTheProcessTakesAReservedReplyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, quick())
		r := w.kept("c", "1")
		w.cancel()
		after(time.Minute) // it waits for what the commit answers
		r.write().end(nil)
		w.stop()
		w.wantTasks("shop")
		if p := w.wantState("1", "waiting"); p.Attempts != 0 {
			t.Errorf("taking it back left %+v", p)
		}
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "1")
	})
}

// A process that dies between the commit and the answer does not know whether the
// request left, as after any other mark.
func TestAReservedReplyThatItsProcessLeftIsInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, accountWith(func(a *Account) { a.OnDoubt = Hold }))
		r := w.kept("c", "1")
		r.end(store.ErrClosed) // what this process learns of it
		w.stop()
		r.write()
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop")
		w.wantState("1", "in_doubt")
	})
}

func TestAReservedReplyOfAnAccountThatIsTakenAwayEndsByTheOldTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, quick())
		r := w.kept("c", "1")
		w.egress.Reconfigure(nil, engine.Rate{})
		after(time.Second)
		r.write().end(nil)
		after(0)
		w.wantTasks("shop", "1")
		w.wantState("1", "sent")
	})
}

func TestAnOutboxThatCannotBeReadEndsARunWithAReservedReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.start()
		after(time.Second)
		r := w.kept("c", "1").write()
		broken := fmt.Errorf("broken: %w", store.ErrFailed)
		w.outbox.mu.Lock()
		w.outbox.fault = func(string, uint64) error { return broken }
		w.outbox.mu.Unlock()
		r.end(nil)
		after(0)
		if err := w.end(); !errors.Is(err, store.ErrFailed) {
			t.Errorf("Run ended with %v", err)
		}
		w.wantTasks("shop")
		w.wantState("1", "sending") // the next start decides
	})
}

func TestWhoAsksBeforeTheFirstRunOrAfterTheLastGetsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.egress = New(w.options)
		w.wantNoPlace()
		w.start()
		after(time.Second)
		w.stop()
		w.wantNoPlace()
		w.outbox.fault = func(string, uint64) error { return store.ErrFailed }
		w.start()
		synctest.Wait() // it ends with its first look
		w.wantNoPlace()
		if err := w.end(); !errors.Is(err, store.ErrFailed) {
			t.Errorf("Run ended with %v", err)
		}
	})
}

// A platform may confirm what it was sent before it answers the request.
func TestAReservedReplyCanBeConfirmedAheadOfItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, resend)
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
		w.rest()
		r := w.kept("c", "1")
		if r.mark.Awaits != "1" {
			t.Errorf("the mark awaits %q", r.mark.Awaits)
		}
		r.write().end(nil)
		after(500 * time.Millisecond)
		w.confirm("1", true)
		w.wantState("1", "confirmed")
		w.wantConfirmations(confirmedInTime)
	})
}
