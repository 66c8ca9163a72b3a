package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/dispatch"
)

func grace(d time.Duration) func(*dispatch.Options) {
	return func(o *dispatch.Options) { o.Grace = d }
}

func TestAShutdownLetsTurnsInHandFinishAndStartsNoOther(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, newLedger(), takes(3*time.Second)).start()
		r.say("u1", "u1", "u2")
		synctest.Wait()
		start := time.Now()
		r.stop()
		if took := time.Since(start); took != 3*time.Second {
			t.Errorf("stopped after %v, want 3s", took)
		}
		if got := r.ledger.waiting(); len(got) != 1 || got[0] != 2 {
			t.Errorf("left in the log: %v, want 2", got)
		}
		r = newRig(t, r.ledger.restart(), answering).start()
		synctest.Wait()
		if n := len(r.ledger.ended); n != 3 || r.ledger.handled[2] != 2 {
			t.Errorf("after the restart handled %v", r.ledger.handled)
		}
		r.stop()
	})
}

func TestATurnThatIsCutOffCostsNoAttemptAndLosesNothing(t *testing.T) {
	for name, h := range map[string]handler{
		"obeys": func(ctx context.Context, _ *engine.Turn) (engine.Outcome, error) {
			<-ctx.Done()
			return engine.Outcome{}, ctx.Err()
		},
		"ignores its context": takes(time.Hour),
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				l := newLedger()
				r := newRig(t, l, h, grace(time.Second)).start()
				r.say("u1", "u2")
				synctest.Wait()
				start := time.Now()
				r.stop()
				if took := time.Since(start); took != time.Second {
					t.Errorf("stopped after %v, want the grace of 1s", took)
				}
				if len(l.failed) != 0 || len(l.waiting()) != 2 || len(l.begun) != 0 {
					t.Errorf("charged %+v, waiting %v, noted as begun %v", l.failed, l.waiting(), l.begun)
				}
				pass(2 * time.Hour)
				l.wantHandled(t) // what came too late had no effect
			})
		})
	}
}

func TestRunCanBeStoppedBeforeItBeganAndStartedAgain(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		r := newRig(t, l, takes(time.Second))
		r.say("u1", "u1", "u2", "u3", "u3")
		l.suspects = []uint64{4}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for range 2 {
			if err := r.dispatch.Run(ended); err != nil {
				t.Errorf("Run with a context that has ended: %v", err)
			}
		}
		if len(l.handled)+len(l.charged) != 0 {
			t.Errorf("handled %v, charged %v", l.handled, l.charged)
		}
		for range 10 {
			r.start()
			pass(300 * time.Millisecond)
			r.stop() // in the middle of a turn, which ends
		}
		inOrder(t, l)
		if s := r.dispatch.Stats(); s.Waiting != 0 || s.Conversations != 0 {
			t.Errorf("left behind: %+v", s)
		}
	})
}

func TestABackoffDoesNotDelayAShutdown(t *testing.T) {
	bubble(t, func(t *testing.T) {
		r := newRig(t, newLedger(), failing).start()
		r.say("u1")
		synctest.Wait()
		start := time.Now()
		r.stop()
		if took := time.Since(start); took != 0 {
			t.Errorf("stopped after %v", took)
		}
		r.start() // the wait goes on in the next run
		pass(time.Minute)
		r.ledger.wantBuried(t, 1)
		r.stop()
	})
}
