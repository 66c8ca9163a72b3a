package egress

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

func TestCommandsOfAConversationLeaveInTheOrderOfTheirDueTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		now := time.Now()
		w.put("shop", engine.Command{TaskID: "later", Conversation: "c", NotBefore: now.Add(2 * time.Hour)})
		w.put("shop", engine.Command{TaskID: "soon", Conversation: "c", NotBefore: now.Add(time.Hour)})
		w.put("shop", engine.Command{TaskID: "now", Conversation: "c"})
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "now")
		w.put("shop", engine.Command{TaskID: "between", Conversation: "c", NotBefore: now.Add(90 * time.Minute)})
		w.egress.Wake()
		after(3 * time.Hour)
		w.wantTasks("shop", "now", "soon", "between", "later")
		if at := w.platforms["shop"].arrived("between"); at[0] != 90*time.Minute {
			t.Errorf("sent after %v, want exactly when due", at)
		}
	})
}

func TestOrderHoldsUnderRandomFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Attempts = 1000; a.Limits.Parallel = 4 })))
		chance, steps := rand.New(rand.NewPCG(3, 4)), rand.New(rand.NewPCG(5, 6))
		classes := []channel.Class{channel.Transient, channel.Unreachable, channel.Throttled, channel.Credential, channel.Unsure}
		p := w.platforms["shop"]
		delivered := map[string][]string{}
		p.latency = func(*engine.Command) time.Duration {
			p.mu.Lock()
			defer p.mu.Unlock()
			return time.Duration(chance.IntN(1000)) * time.Millisecond
		}
		p.answer = func(c *engine.Command) error {
			p.mu.Lock()
			defer p.mu.Unlock()
			if chance.IntN(2) == 0 {
				return fails(classes[chance.IntN(len(classes))])
			}
			key := c.Conversation + c.Lane.String()
			delivered[key] = append(delivered[key], c.TaskID)
			return nil
		}
		want := map[string][]string{}
		w.start()
		defer w.stop()
		lanes := []string{"reply", "push", "bulk"}
		for i := range 120 {
			conversation, lane, task := fmt.Sprint("c", i%5), lanes[steps.IntN(3)], fmt.Sprint("t", i)
			w.say("shop", lane+" "+conversation+" "+task)
			want[conversation+lane] = append(want[conversation+lane], task)
			after(time.Duration(steps.IntN(300)) * time.Millisecond)
		}
		after(6 * time.Hour)
		for key := range want {
			if !slices.Equal(delivered[key], want[key]) {
				t.Errorf("%s: delivered %v, want %v", key, delivered[key], want[key])
			}
		}
		if p.most > 4 {
			t.Errorf("%d requests in flight, want 4 at most", p.most)
		}
	})
}

func TestWhatHoldsSuccessorsAndWhatReleasesThem(t *testing.T) {
	for _, tt := range []struct {
		name    string
		class   channel.Class
		onDoubt string
		state   string // of the first command
		next    bool   // the second left
	}{
		{"a retry holds them", channel.Transient, Hold, "waiting", false},
		{"a resend after doubt holds them", channel.Unsure, Resend, "waiting", false},
		{"dead releases them", channel.Permanent, Hold, "dead", true},
		{"held in doubt releases them", channel.Unsure, Hold, "in_doubt", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.OnDoubt = tt.onDoubt })))
				w.platforms["shop"].answer = func(c *engine.Command) error {
					if c.TaskID == "first" {
						return fails(tt.class)
					}
					return nil
				}
				w.say("shop", "push c first", "push c second", "reply c other-lane", "push d other-conversation")
				w.start()
				defer w.stop()
				after(0)
				w.wantState("first", tt.state)
				w.wantState("other-lane", "sent")
				w.wantState("other-conversation", "sent")
				want := "waiting"
				if tt.next {
					want = "sent"
				}
				w.wantState("second", want)
			})
		})
	}
}

func TestARetryHoldsItsSuccessorsUntilItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Attempts = 1000 })))
		w.platforms["shop"].answer = func(c *engine.Command) error {
			if c.TaskID == "first" {
				return fails(channel.Transient)
			}
			return nil
		}
		w.put("shop", engine.Command{TaskID: "first", Conversation: "c", Deadline: time.Now().Add(10 * time.Minute)})
		w.put("shop", engine.Command{TaskID: "second", Conversation: "c"})
		w.start()
		defer w.stop()
		after(10*time.Minute - 1)
		w.wantState("first", "waiting")
		after(1)
		w.wantState("first", "dead")
		if at := w.platforms["shop"].arrived("second"); !slices.Equal(at, []time.Duration{10 * time.Minute}) {
			t.Errorf("the successor left after %v, want at the deadline", at)
		}
	})
}

func TestACancelledRetryReleasesItsSuccessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Backoff = engine.Range{Min: time.Hour, Max: time.Hour} })))
		w.platforms["shop"].answer = func(c *engine.Command) error {
			if c.TaskID == "first" {
				return fails(channel.Transient)
			}
			return nil
		}
		w.say("shop", "push c first", "push c second", "push c third")
		w.start()
		defer w.stop()
		after(time.Second)
		for _, task := range []string{"second", "first"} {
			if err := w.outbox.Cancel(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
		w.egress.Cancelled(engine.ConversationKey{Account: "shop", Conversation: "c"})
		after(0)
		w.wantTasks("shop", "first", "third")
	})
}

func TestACancelledRetryReleasesItsSuccessorsOnceTheConversationIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Backoff = engine.Range{Min: time.Hour, Max: time.Hour} })))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
		w.platforms["shop"].answer = func(c *engine.Command) error {
			if c.TaskID == "first" {
				return fails(channel.Transient)
			}
			return nil
		}
		w.say("shop", "push c first", "push c second")
		w.start()
		defer w.stop()
		after(2 * time.Second)
		w.say("shop", "reply c busy")
		after(0)
		if err := w.outbox.Cancel(t.Context(), "first"); err != nil {
			t.Fatal(err)
		}
		w.egress.Cancelled(engine.ConversationKey{Account: "shop", Conversation: "c"})
		after(time.Second)
		w.wantTasks("shop", "first", "busy", "second")
	})
}

func TestACancelledCommandIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.put("shop", engine.Command{TaskID: "x", Conversation: "c", NotBefore: time.Now().Add(time.Hour)})
		w.say("shop", "push c y")
		w.start()
		defer w.stop()
		after(0)
		if err := w.outbox.Cancel(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		after(2 * time.Hour)
		w.wantTasks("shop", "y")
	})
}

func TestASlowRequestDelaysNoOtherConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].latency = func(c *engine.Command) time.Duration {
			if c.Conversation == "slow" {
				return 9 * time.Second
			}
			return 0
		}
		w.say("shop", "push slow a", "push slow b")
		for i := range 50 {
			w.say("shop", fmt.Sprintf("push q%d t%d", i, i))
		}
		w.start()
		defer w.stop()
		after(0)
		if n := len(w.platforms["shop"].tasks()); n != 51 {
			t.Errorf("%d requests at once, want all but the slow one's successor", n)
		}
		after(9 * time.Second)
		w.wantState("a", "sent")
		if at := w.platforms["shop"].arrived("b"); !slices.Equal(at, []time.Duration{9 * time.Second}) {
			t.Errorf("the successor left after %v, want 9s", at)
		}
	})
}

func TestASlowDiskTakesNoSlotOfTheWire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 1 })))
		w.outbox.disk = 100 * time.Millisecond
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 50 * time.Millisecond }
		w.say("shop", "push a a", "push b b", "push c c")
		w.start()
		defer w.stop()
		after(time.Minute)
		p := w.platforms["shop"]
		if p.most != 1 {
			t.Errorf("%d in flight, want 1", p.most)
		}
		// A mark takes 100 ms, a request 50 ms; a settle must not add to that.
		if d := p.arrived("c")[0] - p.arrived("a")[0]; d != 300*time.Millisecond {
			t.Errorf("two further sends took %v, want 300ms", d)
		}
	})
}

func TestLanesGoByPrecedenceWithAShareForTheLower(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = engine.Rate{N: 1, Per: time.Second} })))
		for i := range 100 {
			w.say("shop", fmt.Sprintf("bulk b%d bulk%d", i, i), fmt.Sprintf("push p%d push%d", i, i), fmt.Sprintf("reply r%d reply%d", i, i))
		}
		w.start()
		defer w.stop()
		after(100*time.Second - 1)
		count := map[string]int{}
		for _, task := range w.platforms["shop"].tasks() {
			count[task[:4]]++
		}
		if count["repl"] < 79 || count["push"] < 9 || count["bulk"] < 9 {
			t.Errorf("of 100 sends %v, want about 80 replies, 10 pushes and 10 bulk", count)
		}
		if first := w.platforms["shop"].tasks()[:5]; !slices.Equal(first, []string{"reply0", "reply1", "reply2", "reply3", "reply4"}) {
			t.Errorf("first %v, want the oldest replies", first)
		}
	})
}

func TestAReplyOvertakesAThousandBulkCommands(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = engine.Rate{N: 1, Per: time.Second} })))
		for i := range 1000 {
			w.say("shop", fmt.Sprintf("bulk b%d bulk%d", i, i))
		}
		w.start()
		defer w.stop()
		after(10*time.Second + 1)
		w.say("shop", "reply c answer")
		after(time.Second)
		w.wantState("answer", "sent")
	})
}

func TestNoAccountsBulkDelaysAnothersReplyAtTheGlobalRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]Account{"shop": quick(), "other": quick(), "third": quick()})
		w.options.Global = engine.Rate{N: 1, Per: time.Second}
		for i := range 100 {
			w.say("shop", fmt.Sprintf("bulk b%d shop%d", i, i))
			w.say("other", fmt.Sprintf("bulk b%d other%d", i, i))
		}
		w.start()
		defer w.stop()
		after(20*time.Second + 1)
		if a, b := len(w.platforms["shop"].tasks()), len(w.platforms["other"].tasks()); a+b != 21 || a < 10 || b < 10 {
			t.Errorf("%d and %d sends, want 21 in turns", a, b)
		}
		w.say("third", "reply c 1", "reply c 2", "reply c 3")
		after(3 * time.Second)
		w.wantTasks("third", "1", "2", "3")
	})
}

func TestNoAccountsRepliesStarveAnothersBulkAtTheGlobalRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]Account{"shop": quick(), "other": quick()})
		w.options.Global = engine.Rate{N: 1, Per: time.Second}
		for i := range 100 {
			w.say("shop", fmt.Sprintf("reply r%d r%d", i, i))
			w.say("other", fmt.Sprintf("bulk b%d b%d", i, i))
		}
		w.start()
		defer w.stop()
		after(100*time.Second - 1)
		if n := len(w.platforms["other"].tasks()); n < 9 || n > 11 {
			t.Errorf("%d of 100 sends were bulk, want about 10", n)
		}
	})
}

func TestWithinALaneTheCommandThatIsDueFirstGoesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = engine.Rate{N: 1, Per: time.Second} })))
		now := time.Now()
		for i, back := range []int{3, 1, 4, 2} {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("due-", back), Conversation: fmt.Sprint(i), Created: now.Add(-time.Duration(back) * time.Minute)})
		}
		w.start()
		defer w.stop()
		after(10 * time.Second)
		w.wantTasks("shop", "due-4", "due-3", "due-2", "due-1")
	})
}

func TestInDoubtRowsAreLeftToPeople(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.outbox.put(engine.Command{TaskID: "held", Account: "shop", Conversation: "c", Created: time.Now()}, store.Progress{Phase: store.InDoubt})
		w.say("shop", "push c next")
		w.start()
		defer w.stop()
		after(48 * time.Hour)
		w.wantTasks("shop", "next")
		w.wantState("held", "in_doubt")
	})
}

func TestConversationsAreForgottenWhenEmpty(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.PerConversation = engine.Rate{N: 1, Per: time.Second} })))
		e := New(w.options)
		o := newOwner(t.Context(), e)
		defer o.crew.Close()
		defer o.endGrace()
		o.hear()
		a := o.byName["shop"]
		for i := range 100 {
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
		}
		o.hear()
		if len(a.conversations) != 100 {
			t.Fatalf("%d conversations, want 100", len(a.conversations))
		}
		o.step()
		for o.active > 0 {
			o.report(<-o.acts.reports)
			o.step()
		}
		if n := len(a.conversations) + len(a.limited) + len(a.later) + len(a.expiring); n != 0 {
			t.Errorf("%d traces are left of conversations that are done", n)
		}
	})
}
