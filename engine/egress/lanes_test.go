package egress

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/quota"
)

// perSecond lets one command a second leave, so that their order can be seen.
func perSecond(q quota.Limits) Account {
	a := oneByOne(q)
	a.Limits.Rate = engine.Rate{N: 1, Per: time.Second}
	return a
}

func TestRepliesBeforePushesBeforeBulk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(perSecond(quota.Limits{})))
		w.say("shop", "bulk a b1", "bulk b b2", "push c p1", "push d p2", "reply e r1", "reply f r2")
		w.start()
		defer w.stop()
		after(3500 * time.Millisecond)
		w.wantTasks("shop", "r1", "r2", "p1", "p2")
		w.say("shop", "push g p3", "reply h r3")
		after(time.Minute)
		w.wantTasks("shop", "r1", "r2", "p1", "p2", "r3", "p3", "b1", "b2")
	})
}

func TestLowerLanesKeepAShareOfOneInTen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(perSecond(quota.Limits{})))
		for i := range 200 {
			for _, lane := range []string{"reply", "push", "bulk"} {
				w.say("shop", fmt.Sprintf("%s %s%d %s%d", lane, lane, i, lane, i))
			}
		}
		w.start()
		defer w.stop()
		after(100*time.Second - time.Millisecond)
		tasks := w.platforms["shop"].tasks()
		if len(tasks) != 100 {
			t.Fatalf("%d in 100 s", len(tasks))
		}
		for lane, want := range map[string][2]int{"reply": {80, 82}, "push": {9, 10}, "bulk": {9, 10}} {
			n := 0
			for _, task := range tasks {
				if strings.HasPrefix(task, lane) {
					n++
				}
			}
			if n < want[0] || n > want[1] {
				t.Errorf("%d of 100 are of lane %s, want %v", n, lane, want)
			}
		}
	})
}

func TestALaneThatWaitsForItsQuotaTakesNoTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(perSecond(quota.Limits{PushPerDay: 1})))
		w.say("shop", "push a p1", "bulk b b1", "push c p2")
		for i := range 50 {
			w.say("shop", fmt.Sprintf("reply r%d r%d", i, i))
		}
		w.start()
		defer w.stop()
		after(60 * time.Second)
		tasks := w.platforms["shop"].tasks()
		if len(tasks) != 51 {
			t.Fatalf("%d were sent, want all 50 replies and one push: %v", len(tasks), tasks)
		}
		for i, at := range []string{"r0", "r10", "r49"} {
			if got := w.platforms["shop"].arrived(at)[0]; got > []time.Duration{0, 11 * time.Second, 50 * time.Second}[i] {
				t.Errorf("%s left after %v", at, got)
			}
		}
		w.wantState("p2", "waiting")
		w.wantState("b1", "waiting")
	})
}

func TestAnAccountThatWaitsForItsQuotaHoldsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]Account{"shop": with(quota.Limits{PushPerDay: 1}), "other": quick()})
		w.options.Global = engine.Rate{N: 10, Per: time.Second}
		w.say("shop", "push a 1", "push b 2", "push c 3")
		w.say("other", "push a 4", "bulk b 5", "bulk c 6")
		w.start()
		defer w.stop()
		after(time.Minute)
		for task, want := range map[string]string{"1": "sent", "2": "waiting", "3": "waiting", "4": "sent", "5": "sent", "6": "sent"} {
			if got, _ := w.outbox.state(task); got != want && task != "1" {
				t.Errorf("%s is %s, want %s", task, got, want)
			}
		}
	})
}
