package egress

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/quota"
	"bot/store"
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

// flood is so many commands of a lane, each of a conversation of its own.
func flood(lane string, n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("%s %s%d %s%d", lane, lane, i, lane, i))
	}
	return lines
}

// What waits marked for a slot need not wait for the disk when there is one. It is in
// doubt should the process die, so that is for replies alone, where a doubt does no harm.
func TestRepliesAreMarkedWhileAllSlotsAreTaken(t *testing.T) {
	for name, tt := range map[string]struct {
		lane, onDoubt string
		least, most   int
	}{
		"replies":                     {"reply", Resend, 4 + 4*marksPerSlot, 4 + 4*marksPerSlot},
		"pushes":                      {"push", Resend, 4*marksPerSlot - 4, 4*marksPerSlot - 1}, // what was marked while a slot was free, less the four that have left
		"replies that may be held":    {"reply", Hold, 4, 7},
		"pushes that may be held too": {"push", Hold, 4, 7},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 4; a.OnDoubt = tt.onDoubt })))
				w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second }
				w.say("shop", flood(tt.lane, 100)...) // before the start, so that all wait when the first is chosen
				w.start()
				defer w.stop()
				after(6 * time.Second)
				if got := w.outbox.sending(); got < tt.least || got > tt.most {
					t.Errorf("%d are marked, want %d to %d", got, tt.least, tt.most)
				}
			})
		})
	}
}

// sending is how many commands are marked.
func (m *memory) sending() (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, d := range m.rows {
		if m.gone[d.ID] == "" && d.Progress.Phase == store.Sending {
			n++
		}
	}
	return n
}

func TestAPushIsNotKeptWaitingByRepliesThatAreMarkedAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 4 })))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
		w.start()
		defer w.stop()
		w.say("shop", flood("reply", 200)...)
		after(1500 * time.Millisecond)
		w.say("shop", "push p push")
		after(10 * time.Minute)
		// Those that had left, those that were marked, and those that it lets pass.
		if at, most := slices.Index(w.platforms["shop"].tasks(), "push"), 3*4*(1+marksPerSlot); at < 0 || at > most {
			t.Errorf("it was sent as number %d of 201, want %d at most", at, most)
		}
	})
}
