package egress

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
)

// barring is a world in which nothing but replies goes to the conversation
// "td" while barred holds.
func barring(t *testing.T, a Account) (w *world, barred *atomic.Bool) {
	w, barred = newWorld(t, shop(a)), new(atomic.Bool)
	barred.Store(true)
	w.options.Unwanted = func(c *engine.Command) string {
		if barred.Load() && c.Conversation == "td" && c.Lane != engine.LaneReply {
			return "unsubscribed"
		}
		return ""
	}
	return w, barred
}

func TestWhatIsNotWantedIsDeadWithoutAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := barring(t, accountWith(func(a *Account) { a.Limits.Rate = perMinute(1); a.Limits.Burst = 1 }))
		w.say("shop", "push td 1", "bulk td 2", "reply td 3", "push c 4")
		w.start()
		defer w.stop()
		after(10 * time.Minute)
		w.wantTasks("shop", "3", "4")
		for _, task := range []string{"1", "2"} {
			if p := w.wantState(task, "dead"); p.Attempts != 0 || len(p.Tries) != 0 || p.Reason != "unsubscribed" {
				t.Errorf("%s: %+v", task, p)
			}
		}
		if n := w.total("bot_dead_letters_total", "shop", "command"); n != 2 {
			t.Errorf("%v counted as dead, want 2", n)
		}
		if n := w.total("bot_commands_failed_total"); n != 0 {
			t.Errorf("%v counted as failed attempts", n)
		}
		if w.log.count(`msg="command dead"`) != 2 || w.log.count("reason=unsubscribed") != 2 {
			t.Errorf("log:\n%s", w.log.all.String())
		}
	})
}

func TestWhatIsNotWantedTakesNoTokenOfTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, _ := barring(t, accountWith(func(a *Account) { a.Limits.Rate = perMinute(1); a.Limits.Burst = 1 }))
		w.say("shop", "push td 1", "push td 2", "push td 3", "bulk c 4", "bulk c 5")
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "4")
		after(time.Minute)
		w.wantTasks("shop", "4", "5")
		after(time.Minute)
		w.wantState("3", "dead")
	})
}

func TestWhetherItIsWantedIsAskedWhenItIsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, barred := barring(t, quick())
		w.put("shop", engine.Command{TaskID: "later", Conversation: "td", Lane: engine.LanePush, NotBefore: time.Now().Add(time.Hour)})
		w.start()
		defer w.stop()
		after(30 * time.Minute)
		w.wantState("later", "waiting")
		barred.Store(false)
		after(30 * time.Minute)
		w.wantState("later", "sent")
	})
}

func TestARetryIsAskedForAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, barred := barring(t, quick())
		barred.Store(false)
		w.platforms["shop"].answer = func(*engine.Command) error { return fails("transient") }
		w.say("shop", "push td 1")
		w.start()
		defer w.stop()
		after(0)
		barred.Store(true)
		after(time.Minute)
		w.wantTasks("shop", "1")
		p := w.wantState("1", "dead")
		if p.Attempts != 1 || !strings.HasPrefix(p.Reason, "unsubscribed; before that: transient") {
			t.Errorf("%+v", p)
		}
	})
}

func TestWhatStopsBeingWantedWhileItIsMarkedDoesNotLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, barred := barring(t, quick())
		barred.Store(false)
		w.outbox.disk = time.Second
		w.say("shop", "push td 1", "push td 2")
		w.start()
		defer w.stop()
		after(1500 * time.Millisecond) // the mark of the first is being written
		barred.Store(true)
		after(time.Minute)
		w.wantTasks("shop")
		for _, task := range []string{"1", "2"} {
			if p := w.wantState(task, "dead"); p.Attempts != 0 || p.Reason != "unsubscribed" {
				t.Errorf("%s: %+v", task, p)
			}
		}
	})
}

func TestWhatStopsBeingWantedWhileItWaitsForASlotDoesNotLeave(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, barred := barring(t, accountWith(func(a *Account) { a.Limits.Parallel = 2 }))
		barred.Store(false)
		w.outbox.fault = func(act string, id uint64) error {
			if act == "attempt" {
				time.Sleep(time.Duration(id) * 100 * time.Millisecond)
			}
			return nil
		}
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second }
		w.say("shop", "push a 1")
		w.start()
		defer w.stop()
		after(150 * time.Millisecond) // the first is on the wire
		w.say("shop", "push b 2", "push td 3")
		after(time.Second) // the second took the last slot before the third was marked
		w.wantState("3", "sending")
		barred.Store(true)
		after(time.Minute)
		w.wantTasks("shop", "1", "2")
		if p := w.wantState("3", "dead"); p.Attempts != 0 || p.Reason != "unsubscribed" {
			t.Errorf("%+v", p)
		}
	})
}
