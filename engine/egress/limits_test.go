package egress

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/pace"
)

func perMinute(n float64) engine.Rate { return engine.Rate{N: n, Per: time.Minute} }

func TestTheKthMessageWaitsAKthOfTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = perMinute(30); a.Limits.Burst = 1 })))
		for i := range 300 {
			w.say("shop", fmt.Sprintf("push c t%d", i))
		}
		w.start()
		defer w.stop()
		after(10 * time.Minute)
		requests := w.platforms["shop"].requests
		if len(requests) != 300 {
			t.Fatalf("%d sent in 10 minutes, want 300", len(requests))
		}
		for k, r := range requests {
			if off := r.at - time.Duration(k)*2*time.Second; off.Abs() > time.Millisecond || r.task != fmt.Sprint("t", k) {
				t.Fatalf("%d-th is %s at %v, off by %v", k, r.task, r.at, off)
			}
		}
		if n := w.total("bot_commands_throttled_total", "account"); n != 299 {
			t.Errorf("%v waits counted, want one for each but the first", n)
		}
	})
}

func TestALimitedConversationHoldsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.PerConversation = perMinute(60) })))
		for i := range 20 {
			w.say("shop", fmt.Sprintf("reply busy b%d", i))
		}
		w.start()
		defer w.stop()
		after(500 * time.Millisecond)
		w.say("shop", "bulk quiet q")
		after(0)
		w.wantTasks("shop", "b0", "q")
		after(20 * time.Second)
		w.wantState("b19", "sent")
		if n := w.total("bot_commands_throttled_total", "conversation"); n != 19 {
			t.Errorf("%v waits counted, want 19", n)
		}
	})
}

func TestALimitedConversationIsRememberedAfterItIsEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.PerConversation = perMinute(60) })))
		w.say("shop", "push c a")
		w.start()
		defer w.stop()
		after(400 * time.Millisecond)
		w.say("shop", "push c b")
		after(time.Second)
		if at := w.platforms["shop"].arrived("b"); !slices.Equal(at, []time.Duration{time.Second}) {
			t.Errorf("second at %v, want 1s after the first", at)
		}
	})
}

func TestACommandOfALimitedConversationDiesInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.PerConversation = perMinute(1) })))
		w.say("shop", "push c first")
		w.put("shop", engine.Command{TaskID: "brief", Conversation: "c", Deadline: time.Now().Add(30 * time.Second), Lane: engine.LanePush})
		w.say("shop", "push c last")
		w.start()
		defer w.stop()
		after(30 * time.Second)
		w.wantState("brief", "dead")
		w.wantState("last", "waiting")
		after(30 * time.Second)
		w.wantTasks("shop", "first", "last")
	})
}

func TestManyLimitedConversationsDoNotMakeTheOwnerSpin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) {
			a.Limits.PerConversation = perMinute(1)
			a.Limits.Parallel = 100
		})))
		for i := range 1000 {
			w.say("shop", fmt.Sprintf("push c%d a%d", i, i), fmt.Sprintf("push c%d b%d", i, i))
		}
		w.start()
		defer w.stop()
		after(time.Second)
		before := w.looks.Load()
		after(50 * time.Second)
		if n := w.looks.Load() - before; n > 2 {
			t.Errorf("the owner woke %d times while all conversations were limited", n)
		}
		after(10 * time.Second)
		if n := len(w.platforms["shop"].tasks()); n != 2000 {
			t.Errorf("%d sent, want 2000", n)
		}
	})
}

func TestALimitedActionHoldsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) {
			a.Limits.Actions = map[engine.Action]pace.ActionLimit{engine.AcceptFriend: {Rate: engine.Rate{N: 30, Per: time.Hour}}}
		})))
		for i := range 10 {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("accept", i), Conversation: fmt.Sprint("f", i), Action: engine.AcceptFriend, Lane: engine.LaneReply})
		}
		w.start()
		defer w.stop()
		after(time.Minute)
		w.say("shop", "bulk c text")
		after(0)
		w.wantTasks("shop", "accept0", "text")
		looks := w.looks.Load()
		after(18*time.Minute - time.Minute)
		w.wantState("accept9", "sent")
		if at := w.platforms["shop"].arrived("accept5"); len(at) != 1 || (at[0]-10*time.Minute).Abs() > time.Millisecond {
			t.Errorf("the sixth at %v, want 10m", at)
		}
		if n := w.looks.Load() - looks; n > 200 {
			t.Errorf("woke %d times for 9 sends", n)
		}
		if n := w.total("bot_commands_throttled_total", "account"); n != 9 {
			t.Errorf("%v waits counted, want 9", n)
		}
	})
}

func TestGapsSeparateTheSendsOfAnAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gap := engine.Range{Min: 1500 * time.Millisecond, Max: 4500 * time.Millisecond}
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Gap = gap; a.Limits.Parallel = 1 })))
		for i := range 50 {
			w.say("shop", fmt.Sprintf("reply c%d t%d", i, i))
		}
		w.start()
		defer w.stop()
		after(time.Hour)
		requests := w.platforms["shop"].requests
		if len(requests) != 50 {
			t.Fatalf("%d sent, want 50", len(requests))
		}
		for i := range requests[1:] {
			if d := requests[i+1].at - requests[i].at; d < gap.Min || d > gap.Max {
				t.Errorf("gap %d is %v, want %v", i, d, gap)
			}
		}
		if n := w.total("bot_commands_throttled_total", "gap"); n != 49 {
			t.Errorf("%v waits counted, want 49", n)
		}
	})
}

func TestRepliesWaitTheirDelayInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		delay := engine.Range{Min: 500 * time.Millisecond, Max: 2 * time.Second}
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.ReplyDelay = delay })))
		var want []string
		for i := range 20 {
			w.say("shop", fmt.Sprintf("reply c t%d", i))
			want = append(want, fmt.Sprint("t", i))
		}
		w.say("shop", "push d push")
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "push")
		after(delay.Max)
		w.wantTasks("shop", append([]string{"push"}, want...)...)
		if first := w.platforms["shop"].arrived("t0")[0]; first < delay.Min {
			t.Errorf("the first reply left after %v", first)
		}
	})
}

func TestParallelRequestsStayWithinTheLimit(t *testing.T) {
	for _, parallel := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(parallel), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = parallel })))
				w.outbox.disk = 10 * time.Millisecond
				w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
				for i := range 12 {
					w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
				}
				w.start()
				defer w.stop()
				after(time.Minute)
				if most := w.platforms["shop"].most; most != max(parallel, 1) {
					t.Errorf("%d in flight, want %d", most, max(parallel, 1))
				}
				w.wantState("t11", "sent")
			})
		})
	}
}

func TestNoAccountDelaysAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]Account{
			"shop": accountWith(func(a *Account) { a.Limits.Rate = engine.Rate{N: 1, Per: time.Hour} }),
			"club": quick(),
		})
		w.say("shop", "push c 1", "push c 2", "push d 3")
		w.say("club", "push c 4", "push c 5", "push d 6")
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "1")
		for _, task := range []string{"4", "5", "6"} {
			w.wantState(task, "sent")
		}
	})
}

func TestReconfigureKeepsTokensGapsAndCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hourly := accountWith(func(a *Account) { a.Limits.Rate = engine.Rate{N: 1, Per: time.Hour} })
		w := newWorld(t, shop(hourly))
		w.say("shop", "push c 1", "push c 2", "push d 3")
		w.start()
		defer w.stop()
		after(0)
		for range 10 {
			w.egress.Reconfigure(w.options.Accounts, engine.Rate{})
			after(time.Minute)
		}
		w.wantTasks("shop", "1")
		faster := w.options.Accounts["shop"]
		faster.Limits.Rate = perMinute(1)
		w.egress.Reconfigure(shop(faster), engine.Rate{})
		after(3 * time.Minute)
		w.wantTasks("shop", "1", "2", "3")
	})
}

func TestAnAccountThatIsLeftOutHoldsItsCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
		w.say("shop", "push c 1", "push c 2")
		w.start()
		defer w.stop()
		after(0)
		w.egress.Reconfigure(nil, engine.Rate{})
		after(time.Second)
		w.say("shop", "push d 3")
		after(time.Hour)
		w.wantTasks("shop", "1")
		w.wantState("1", "sent")
		w.egress.Reconfigure(w.options.Accounts, engine.Rate{})
		after(time.Minute)
		w.wantState("2", "sent")
		w.wantState("3", "sent")
	})
}

// Marks wait for the disk; how many may wait at once decides how fast sending
// is, and how much is in doubt when the process dies.
func TestMoreIsMarkedThanCanLeaveOnlyWhereADoubtDoesNoHarm(t *testing.T) {
	for _, tt := range []struct {
		name, onDoubt string
		parallel      int
		marks         int // written in one commit
	}{
		{"resend", Resend, 4, 16},
		{"hold", Hold, 4, 4},
		{"one at a time", Resend, 1, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.OnDoubt, a.Limits.Parallel = tt.onDoubt, tt.parallel })))
				w.outbox.disk = time.Second
				for i := range 40 {
					w.say("shop", fmt.Sprintf("reply c%d t%d", i, i))
				}
				w.start()
				defer w.stop()
				after(2*time.Second + 100*time.Millisecond) // the outbox is read, the first marks are written
				if got := len(w.platforms["shop"].tasks()); got != tt.marks {
					t.Errorf("%d commands left after the first commit of marks, want %d", got, tt.marks)
				}
				if most := w.platforms["shop"].most; most > tt.parallel {
					t.Errorf("%d requests were in flight at once, the limit is %d", most, tt.parallel)
				}
			})
		})
	}
}
