package dispatch_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/store"
)

func TestAFullStoreIsWaitedForWithoutCharge(t *testing.T) {
	for act, h := range map[string]handler{
		"commit": answering,
		"fail":   failing,
	} {
		t.Run(act, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				l := newLedger()
				l.refuse = refusing(act, 100, store.ErrFull)
				var runs atomic.Int64
				r := newRig(t, l, func(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
					runs.Add(1)
					return h(ctx, t)
				}, attempts(1)).start()
				r.say("u1")
				pass(time.Minute)
				if got := l.waiting(); len(got) != 1 || runs.Load() != 1 {
					t.Errorf("while full: %v in the log, ran %d times; want it to wait with its outcome", got, runs.Load())
				}
				pass(time.Minute) // pauses do not grow beyond a second
				if got := l.waiting(); len(got) != 0 || runs.Load() != 1 {
					t.Errorf("with room again: %v in the log, ran %d times", got, runs.Load())
				}
				if len(l.failed) != 0 {
					t.Errorf("charged %+v", l.failed)
				}
				r.stop()
			})
		})
	}
}

func TestAWaitForRoomEndsWithTheProcess(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		l.refuse = refusing("commit", -1, store.ErrFull)
		r := newRig(t, l, answering).start()
		r.say("u1")
		pass(time.Minute)
		start := time.Now()
		r.stop()
		if took := time.Since(start); took > 11*time.Second || len(l.failed) != 0 {
			t.Errorf("stopped after %v, charged %+v", took, l.failed)
		}
	})
}

func TestAnEventThatIsGoneIsSkipped(t *testing.T) {
	for _, act := range []string{"entry", "commit", "fail"} {
		t.Run("when it meets "+act, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				l := newLedger()
				h := handler(answering)
				if act == "fail" {
					h = poison(failing)
				}
				l.refuse = refusing(act, 1, store.ErrGone)
				r := newRig(t, l, h).start()
				r.append(poisoned("u1"))
				r.say("u1")
				synctest.Wait()
				l.wantHandled(t, 2)
				if s := r.dispatch.Stats(); s.Gone != 1 || s.Waiting != 0 || len(l.failed) != 0 {
					t.Errorf("%+v, charged %+v", s, l.failed)
				}
				r.stop()
			})
		})
	}
}

func TestAStoreThatCanDoNoMoreEndsTheRun(t *testing.T) {
	unreadable := errors.New("unreadable")
	for name, tc := range map[string]struct {
		act string
		err error
	}{
		"failed at a commit":           {"commit", store.ErrFailed},
		"closed at a commit":           {"commit", store.ErrClosed},
		"failed at recording":          {"fail", store.ErrFailed},
		"an entry that cannot be read": {"entry", unreadable},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				l := newLedger()
				l.refuse = refusing(tc.act, 1, tc.err)
				h := handler(answering)
				if tc.act == "fail" {
					h = failing
				}
				stalled := handler(func(ctx context.Context, turn *engine.Turn) (engine.Outcome, error) {
					if turn.Event.Conversation == "slow" {
						<-ctx.Done()
						return engine.Outcome{}, ctx.Err()
					}
					time.Sleep(time.Millisecond)
					return h(ctx, turn)
				})
				r := newRig(t, l, stalled)
				if tc.act != "entry" {
					r.say("slow")
				}
				r.say("u1", "u1")
				r.start()
				start := time.Now()
				err := <-r.done
				if !errors.Is(err, tc.err) {
					t.Errorf("Run: %v, want %v", err, tc.err)
				}
				if took := time.Since(start); took > time.Second {
					t.Errorf("ended after %v; turns in hand are to be cancelled at once", took)
				}
				l.wantHandled(t)
				r.cancel()
				<-r.read
			})
		})
	}
}
