package dispatch_test

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store"
)

func TestSuspectsRunAloneInLogOrderBeforeAllOthers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		r := newRig(t, l, takes(time.Second))
		r.say("u1", "u2", "u3", "u2", "u4")
		l.suspects = []uint64{2, 3}
		r.start()
		for _, want := range []struct {
			running int
			handled []uint64
		}{{1, nil}, {1, []uint64{2}}, {3, []uint64{2, 3}}} {
			pass(500 * time.Millisecond)
			if got := r.dispatch.Stats().Running; got != want.running {
				t.Errorf("%d running, want %d", got, want.running)
			}
			l.wantHandled(t, want.handled...)
			pass(500 * time.Millisecond)
		}
		r.stop()
		if !slices.Equal(l.charged, []uint64{2, 3}) {
			t.Errorf("charged %v, want the suspects and no neighbour", l.charged)
		}
	})
}

func TestASuspectThatIsHandledIsNotHandledAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		r := newRig(t, l, takes(time.Second)) // long enough for the reader to bring it as well
		r.say("u1", "u1")
		l.suspects = []uint64{1}
		r.start()
		pass(time.Minute)
		l.wantHandled(t, 1, 2)
		if s := r.dispatch.Stats(); s.Waiting != 0 || s.Gone != 1 {
			t.Errorf("%+v", s)
		}
		r.stop()
	})
}

func TestASuspectThatFailsWaitsLikeAnyOther(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		runs := 0
		r := newRig(t, l, poison(func(context.Context, *engine.Turn) (engine.Outcome, error) {
			if runs++; runs == 1 {
				panic("once")
			}
			return reply("ok")
		}))
		r.append(poisoned("u1"))
		r.say("u1", "u2")
		l.suspects = []uint64{1}
		r.start()
		synctest.Wait()
		l.wantHandled(t, 3)
		if got := l.tries(1); got.Count != 1 {
			t.Errorf("charged %d times for one attempt", got.Count)
		}
		pass(time.Second)
		l.wantHandled(t, 3, 1, 2)
		r.stop()
	})
}

// An event that kills the process at each attempt: the handler stands still and
// the process is ended around it.
func TestAnEventThatKillsTheProcessIsBuriedInTheEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		runs := 0
		deadly := poison(func(ctx context.Context, _ *engine.Turn) (engine.Outcome, error) {
			runs++
			<-ctx.Done()
			return engine.Outcome{}, ctx.Err()
		})
		l := newLedger()
		r := newRig(t, l, deadly)
		r.say("u2")
		r.append(poisoned("u1"))
		r.say("u1", "u3")
		lives := 0
		for ; lives < 20; lives++ {
			r.start()
			synctest.Wait()
			if len(r.ledger.buried) > 0 {
				break
			}
			r = newRig(t, r.kill(), deadly) // attempts: 3
		}
		pass(time.Second)
		r.ledger.wantBuried(t, 2)
		if got := r.ledger.ended; len(got) != 4 || got[2] != 2 || got[3] != 3 {
			t.Errorf("ended %v, want its neighbours 1 and 4 first, then itself, then its successor", got)
		}
		if want := "the process died while handling it, 4 times"; r.ledger.buried[0].Tries.Error != want {
			t.Errorf("buried with %q, want %q", r.ledger.buried[0].Tries.Error, want)
		}
		if runs != 4 || lives != 4 { // the first without a charge, then three charged ones
			t.Errorf("it ran %d times in %d lives, want 4 in 4", runs, lives)
		}
		r.stop()
	})
}

func TestAShutdownGivesASuspectItsChargeBack(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		r := newRig(t, l, takes(time.Hour), grace(time.Second))
		r.say("u1")
		before := store.Tries{Count: 1, Error: "earlier"}
		l.log[0].Tries = before
		l.suspects = []uint64{1}
		r.start()
		synctest.Wait()
		if got := l.tries(1).Count; got != 2 {
			t.Errorf("while it runs %d attempts are on disk, want 2", got)
		}
		r.stop()
		if got := l.tries(1); got != before {
			t.Errorf("after the shutdown %+v, want %+v", got, before)
		}
		pass(2 * time.Hour)
		l.wantHandled(t)
	})
}

func TestASuspectOfAnUnknownAccountIsHeldUncharged(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		r := newRig(t, l, answering)
		r.append(message("removed", "u1"))
		r.say("u1")
		l.suspects = []uint64{1}
		r.start()
		synctest.Wait()
		l.wantHandled(t, 2)
		if s := r.dispatch.Stats(); s.Held != 1 || len(l.charged) != 0 {
			t.Errorf("%+v, charged %v", s, l.charged)
		}
		r.stop()
	})
}

// A suspect that waits for another system stalls nobody: neither the suspects
// behind it nor those who have nothing to do with it.
func TestSuspectsThatWaitForAnotherSystemHoldUpNobody(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		m := &model{handle: takes(4 * time.Second)}
		r := newRig(t, l, nil, workers(2)).route(mixed{m, 100})
		r.say(slow(6)...)
		r.say("u1", "slow0", "u2")
		l.suspects = []uint64{1, 2, 3, 4, 5, 6}
		r.start()
		pass(time.Second)
		if s := r.dispatch.Stats(); s.Away != 6 || s.Running != 0 {
			t.Errorf("%+v, want all suspects away", s)
		}
		if n := len(l.waiting()); n != 7 {
			t.Errorf("%d events wait, want the six and the one behind slow0", n)
		}
		pass(10 * time.Second)
		if s := r.dispatch.Stats(); s.Waiting != 0 || m.most.Load() != 6 {
			t.Errorf("%+v, at most %d at once", s, m.most.Load())
		}
		if !slices.Equal(l.charged, []uint64{1, 2, 3, 4, 5, 6}) {
			t.Errorf("charged %v", l.charged)
		}
		inOrder(t, l)
		r.stop()
	})
}
