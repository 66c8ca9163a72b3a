package dispatch_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/dispatch"
	"bot/store"
)

// poison fails for the conversation's first event and answers all others.
func poison(fails handler) handler {
	return func(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
		if t.Event.Text == "poison" {
			return fails(ctx, t)
		}
		return reply("ok")
	}
}

func poisoned(conversation string) *engine.Event {
	e := message("shop", conversation)
	e.Text = "poison"
	return e
}

func TestAnEventThatAlwaysFailsIsBuriedAndItsSuccessorsRun(t *testing.T) {
	for name, tc := range map[string]struct {
		fails handler
		says  string
	}{
		"error": {func(context.Context, *engine.Turn) (engine.Outcome, error) {
			return engine.Outcome{}, errors.New("no answer")
		}, `skill "s" failed: no answer`},
		"panic": {func(context.Context, *engine.Turn) (engine.Outcome, error) {
			panic("boom")
		}, `skill "s" panicked: boom`},
		"time-out, obeyed": {func(ctx context.Context, _ *engine.Turn) (engine.Outcome, error) {
			<-ctx.Done()
			return engine.Outcome{}, ctx.Err()
		}, `skill "s" timed out: after 5s`},
		"time-out, ignored": {takes(time.Hour), `skill "s" timed out: after 5s`},
		"a long story": {func(context.Context, *engine.Turn) (engine.Outcome, error) {
			return engine.Outcome{}, errors.New(strings.Repeat("好", 10_000))
		}, `skill "s" failed: 好好`},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				r := newRig(t, newLedger(), poison(tc.fails)).start()
				r.append(poisoned("u1"))
				r.say("u1", "u2")
				synctest.Wait()
				r.ledger.wantHandled(t, 3) // the neighbour does not wait
				pass(30 * time.Second)
				r.ledger.wantBuried(t, 1)
				r.ledger.wantHandled(t, 3, 2)
				got := r.ledger.buried[0]
				if !strings.HasPrefix(got.Tries.Error, tc.says) || len(got.Tries.Error) > 1100 {
					t.Errorf("buried with error %.60q of %d bytes, want %q…", got.Tries.Error, len(got.Tries.Error), tc.says)
				}
				if got.Tries.Count != 3 || got.Skill != "s" {
					t.Errorf("buried after %d attempts of skill %q, want 3 of s", got.Tries.Count, got.Skill)
				}
				r.stop()
				pass(2 * time.Hour) // the abandoned ones end, with no effect
				r.ledger.wantHandled(t, 3, 2)
			})
		})
	}
}

func failing(context.Context, *engine.Turn) (engine.Outcome, error) {
	return engine.Outcome{}, errors.New("no")
}

func TestTheWaitDoublesAndChanceTakesAShare(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var at []time.Duration
		start := time.Now()
		r := newRig(t, newLedger(), func(context.Context, *engine.Turn) (engine.Outcome, error) {
			at = append(at, time.Since(start))
			return engine.Outcome{}, errors.New("no")
		}, attempts(5)).start() // chance is always 0.5
		r.say("u1")
		pass(time.Minute)
		want := []time.Duration{0, 500 * time.Millisecond, 1500 * time.Millisecond, 3500 * time.Millisecond, 7500 * time.Millisecond}
		if len(at) != len(want) {
			t.Fatalf("attempts at %v, want %v", at, want)
		}
		for i := range want {
			if d := at[i] - want[i]; d < 0 || d > 10*time.Millisecond {
				t.Errorf("attempts at %v, want %v", at, want)
			}
		}
		r.stop()
	})
}

func TestAFailingEventHoldsUpItsConversationForABoundedTime(t *testing.T) {
	bubble(t, func(t *testing.T) {
		start := time.Now()
		r := newRig(t, newLedger(), poison(failing), attempts(1000), func(o *dispatch.Options) {
			o.RetryFor, o.Chance = 20*time.Second, func() float64 { return 0.999 }
		}).start()
		r.append(poisoned("u1"))
		r.say("u1")
		for len(r.ledger.waiting()) > 0 {
			pass(50 * time.Millisecond)
		}
		r.ledger.wantBuried(t, 1)
		r.ledger.wantHandled(t, 2)
		if n := r.ledger.buried[0].Tries.Count; n > 10 {
			t.Errorf("%d attempts, want a few with growing waits between", n)
		}
		if held := time.Since(start); held < 19*time.Second || held > 21*time.Second {
			t.Errorf("its successor waited %v, want about 20s", held)
		}
		r.stop()
	})
}

func TestAttemptsAndTheWaitSurviveARestart(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var runs atomic.Int64
		h := handler(func(context.Context, *engine.Turn) (engine.Outcome, error) {
			runs.Add(1)
			return engine.Outcome{}, errors.New("no")
		})
		r := newRig(t, newLedger(), h, attempts(2)).start()
		r.say("u1")
		synctest.Wait()
		first := r.ledger.tries(1)
		if first.Count != 1 || first.First.IsZero() || first.Error == "" || time.Until(first.NotBefore) != 500*time.Millisecond {
			t.Errorf("after one failure %+v", first)
		}
		r.stop()

		r = newRig(t, r.ledger.restart(), h, attempts(2)).start()
		pass(400 * time.Millisecond)
		if n := runs.Load(); n != 1 {
			t.Errorf("ran %d times before its wait was over, want 1", n)
		}
		pass(200 * time.Millisecond)
		r.ledger.wantBuried(t, 1)
		if got := r.ledger.buried[0].Tries; runs.Load() != 2 || got.Count != 2 || !got.First.Equal(first.First) {
			t.Errorf("ran %d times, buried with %+v", runs.Load(), got)
		}
		r.stop()
	})
}

func TestAClockThatWasSetBackDoesNotProlongAWait(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		r := newRig(t, l, answering)
		r.say("u1")
		l.log[0].Tries = store.Tries{Count: 1, NotBefore: time.Now().Add(24 * time.Hour)}
		r.start()
		pass(61 * time.Second) // retry_for is a minute
		l.wantHandled(t, 1)
		r.stop()
	})
}

func TestATakenKeyAndAMovedStateCostNoAttempt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, newLedger(), func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
			if len(t.Taken) > 0 {
				return reply("already")
			}
			return engine.Outcome{Once: []engine.Once{{Key: "grant", Keep: time.Hour}}}, nil
		}, attempts(1)).start()
		r.say("u1", "u1")
		synctest.Wait()
		r.ledger.look(func() { r.ledger.refuse = refusing("commit", 3, store.ErrConflict) })
		r.say("u2")
		synctest.Wait()
		r.ledger.wantHandled(t, 1, 2, 3)
		if len(r.ledger.failed)+len(r.ledger.buried) > 0 {
			t.Errorf("charged %+v, buried %+v", r.ledger.failed, r.ledger.buried)
		}
		r.stop()
	})
}

func TestAnUnplayableEventIsBuriedInNobodysName(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		l.refuse = refusing("state", -1, errors.New("unreadable"))
		r := newRig(t, l, answering).start()
		r.say("u1")
		pass(time.Minute)
		l.wantBuried(t, 1)
		if got := l.buried[0]; got.Skill != "" || !strings.Contains(got.Tries.Error, "unreadable") {
			t.Errorf("buried %+v", got)
		}
		r.stop()
	})
}
