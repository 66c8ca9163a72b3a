package dispatch_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
)

func TestEventsOfAnUnknownAccountAreHeldUntilItIsConfigured(t *testing.T) {
	bubble(t, func(t *testing.T) {
		l := newLedger()
		r := newRig(t, l, answering).start()
		r.append(message("removed", "u1"))
		r.append(message("removed", "u1"))
		r.append(message("removed", "u2"))
		r.say("u1")
		pass(time.Hour)
		l.wantHandled(t, 4) // of the same name, on another account
		if s := r.dispatch.Stats(); s.Held != 2 || s.Waiting != 3 || len(l.failed) != 0 {
			t.Errorf("%+v, charged %+v; want 3 events in 2 mailboxes held", s, l.failed)
		}

		r.configure(answering, "shop", "another")
		r.dispatch.Reconfigured()
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Held != 2 {
			t.Errorf("a reload that does not bring the account back: %+v", s)
		}

		r.configure(answering, "shop", "removed")
		r.dispatch.Reconfigured()
		r.dispatch.Reconfigured()
		synctest.Wait()
		if s := r.dispatch.Stats(); s.Held != 0 || s.Waiting != 0 || len(l.handled) != 4 {
			t.Errorf("%+v, handled %v", s, l.handled)
		}
		inOrder(t, l)
		r.stop()
	})
}

func TestABegunTurnKeepsTheSetupItBeganWith(t *testing.T) {
	bubble(t, func(t *testing.T) {
		var said []string
		saying := func(text string) handler {
			return func(context.Context, *engine.Turn) (engine.Outcome, error) {
				time.Sleep(time.Second)
				said = append(said, text)
				return reply(text)
			}
		}
		r := newRig(t, newLedger(), saying("old")).start()
		r.say("u1", "u1")
		synctest.Wait()
		r.configure(saying("new"), "shop")
		r.dispatch.Reconfigured()
		pass(5 * time.Second)
		if len(said) != 2 || said[0] != "old" || said[1] != "new" {
			t.Errorf("said %q, want old, then new", said)
		}
		r.stop()
	})
}
