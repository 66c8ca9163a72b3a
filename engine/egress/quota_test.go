package egress

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/quota"
	"bot/store"
)

// with is an account with quotas, in a zone whose midnight is the world's noon.
func with(q quota.Limits) Account {
	q.Zone = time.FixedZone("Test/Noon", 12*3600)
	return accountWith(func(a *Account) { a.Quota = q })
}

// oneByOne is with for tests that look at the order of requests.
func oneByOne(q quota.Limits) Account {
	a := with(q)
	a.Limits.Parallel = 1
	return a
}

// untilNoon is from the beginning of the world, midnight in UTC, to that of the
// next day in the zone.
const untilNoon = 12 * time.Hour

// used is a number as the store has it.
func (w *world) used(key string) int {
	w.outbox.mu.Lock()
	defer w.outbox.mu.Unlock()
	n, _ := strconv.Atoi(w.outbox.notes["shop "+key])
	return n
}

// today is the key of the account's pushes of the first day.
func today() string { return "quota/push/" + time.Now().UTC().Format(time.DateOnly) }

// write has the person write, as a turn commits it.
func (w *world) write(conversation string) {
	w.outbox.mu.Lock()
	w.outbox.notes["shop quota/heard/"+conversation] = strconv.FormatInt(time.Now().UnixNano(), 10)
	w.outbox.mu.Unlock()
	if w.egress != nil {
		w.egress.Spoke(engine.ConversationKey{Account: "shop", Conversation: conversation})
	}
}

func (w *world) waits(task string) string {
	w.outbox.mu.Lock()
	i := slices.IndexFunc(w.outbox.rows, func(d store.Delivery) bool { return d.Command.TaskID == task })
	d := w.outbox.rows[i]
	w.outbox.mu.Unlock()
	return w.egress.Waits(d)
}

func TestPushesBeyondTheDaysQuotaWaitForMidnightAndRepliesGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(oneByOne(quota.Limits{PushPerDay: 2})))
		w.say("shop", "push a 1", "bulk b 2", "push c 3", "bulk d 4", "push e 5")
		w.start()
		defer w.stop()
		after(time.Second)
		w.say("shop", "reply c 6")
		after(time.Hour)
		w.wantTasks("shop", "1", "3", "6") // pushes go before bulk
		if n := w.used(today()); n != 2 {
			t.Errorf("%d pushes counted, want 2", n)
		}
		want := "quota: 2 pushes a day (push_per_day) are used up; goes on " + time.Now().AddDate(0, 0, 1).UTC().Format(time.DateOnly) + " 00:00 Test/Noon"
		if got := w.waits("5"); got != want {
			t.Errorf("waits: %s, want %s", got, want)
		}
		if n := w.log.count("a quota is used up"); n != 1 {
			t.Errorf("%d lines in the log, want 1:\n%s", n, w.log.all.String())
		}
		if n := w.total("bot_commands_throttled_total", "shop", "quota"); n != 1 {
			t.Errorf("%v waits counted, want 1", n)
		}
		looks := w.looks.Load()
		after(untilNoon - time.Hour - 2*time.Second)
		if n := w.looks.Load() - looks; n > 2*11*60+10 {
			t.Errorf("the owner woke %d times while it waited", n)
		}
		w.wantTasks("shop", "1", "3", "6")
		after(2 * time.Second)
		w.wantTasks("shop", "1", "3", "6", "5", "2")
		if at := w.platforms["shop"].arrived("5"); at[0] != untilNoon {
			t.Errorf("sent after %v, want at midnight", at)
		}
		w.wantState("4", "waiting")
		if p, err := w.egress.Pushes(); err != nil || p["shop"].Used != 2 || p["shop"].Left != 0 {
			t.Errorf("%+v, %v", p, err)
		}
	})
}

func TestOneUsersQuotaHoldsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerUserPerDay: 2})))
		w.say("shop", "push a 1", "push a 2", "push a 3", "bulk a 4", "push b 5", "reply a 6")
		w.start()
		defer w.stop()
		after(time.Hour)
		got := w.platforms["shop"].tasks()
		slices.Sort(got)
		if !slices.Equal(got, []string{"1", "2", "5", "6"}) {
			t.Errorf("sent %v", got)
		}
		if why := w.waits("3"); !strings.HasPrefix(why, "quota: 2 pushes a day to one user (push_per_user_per_day) are used up; goes on ") {
			t.Errorf("waits: %s", why)
		}
		if p := w.wantState("3", "waiting"); p.Attempts != 0 || len(p.Tries) != 0 {
			t.Errorf("%+v", p)
		}
		if n := w.log.count("a quota is used up"); n != 1 {
			t.Errorf("%d lines in the log", n)
		}
		after(untilNoon - time.Hour + time.Second)
		w.wantState("3", "sent")
		w.wantState("4", "sent")
	})
}

func TestWhatSaysNothingIsNoPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 1, PushPerUserPerDay: 1, Unanswered: 1, UnansweredFor: time.Hour})))
		w.write("a")
		w.say("shop", "push a 1", "push a 2")
		w.put("shop", engine.Command{TaskID: "label", Conversation: "b", Lane: engine.LanePush, Action: engine.SetLabel})
		w.put("shop", engine.Command{TaskID: "friend", Conversation: "c", Lane: engine.LaneBulk, Action: engine.AddFriend})
		w.start()
		defer w.stop()
		after(time.Minute)
		w.wantState("2", "waiting")
		w.wantState("label", "sent")
		w.wantState("friend", "sent")
	})
}

func TestWhatIsOverAQuotaIsRefusedWhereThatIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 3, PushPerUserPerDay: 1, Refuse: true})))
		w.say("shop", "push a 1", "push a 2")
		w.start()
		defer w.stop()
		after(time.Second)
		w.say("shop", "push b 3", "push c 4")
		after(time.Second)
		w.say("shop", "push d 5", "reply d 6")
		after(time.Minute)
		if p := w.wantState("2", "dead"); p.Attempts != 0 || p.Reason != "quota: 1 push a day to one user (push_per_user_per_day) are used up" {
			t.Errorf("%+v", p)
		}
		if p := w.wantState("5", "dead"); p.Reason != "quota: 3 pushes a day (push_per_day) are used up" {
			t.Errorf("%+v", p)
		}
		w.wantState("4", "sent")
		w.wantState("6", "sent")
	})
}

func TestOnlyWhatMayHaveGoneOutCounts(t *testing.T) {
	for _, tt := range []struct {
		class channel.Class
		want  int
	}{
		{"", 1}, {channel.Unsure, 1},
		{channel.Transient, 0}, {channel.Unreachable, 0}, {channel.Throttled, 0}, {channel.Halted, 0}, {channel.Permanent, 0}, {channel.Credential, 0},
	} {
		t.Run(string(tt.class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := with(quota.Limits{PushPerDay: 1, PushPerUserPerDay: 1})
				a.OnDoubt, a.Attempts = Hold, 1
				w := newWorld(t, shop(a))
				w.platforms["shop"].answer = func(*engine.Command) error {
					if tt.class == "" {
						return nil
					}
					return fails(tt.class)
				}
				w.say("shop", "push a 1")
				w.start()
				defer w.stop()
				after(time.Millisecond)
				if n := w.used(today()); n != tt.want {
					t.Errorf("%d counted of the account, want %d", n, tt.want)
				}
				if n := w.used(today() + "/a"); n != tt.want {
					t.Errorf("%d counted of the user, want %d", n, tt.want)
				}
			})
		})
	}
}

func TestAFailureMakesRoomForAnotherPushAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 1})))
		w.platforms["shop"].answer = func(c *engine.Command) error {
			if c.TaskID == "1" {
				return fails(channel.Permanent)
			}
			return nil
		}
		w.say("shop", "push a 1", "push b 2", "push c 3")
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantTasks("shop", "1", "2")
		w.wantState("3", "waiting")
	})
}

func TestManyAtOnceDoNotExceedTheDaysQuota(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 5})))
		w.outbox.disk = 100 * time.Millisecond
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
		for i := range 50 {
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
		}
		w.start()
		defer w.stop()
		after(time.Hour)
		if n := len(w.platforms["shop"].tasks()); n != 5 {
			t.Errorf("%d sent, want 5", n)
		}
	})
}

func TestARefundGoesToTheDayItWasTakenFrom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 1})))
		first, failed := today(), false
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second }
		w.platforms["shop"].answer = func(*engine.Command) error {
			if !failed {
				failed = true
				return fails(channel.Transient)
			}
			return nil
		}
		w.start()
		defer w.stop()
		after(untilNoon - 2*time.Second)
		w.say("shop", "push a 1")
		after(30 * time.Second)
		w.wantState("1", "sent")
		second := "quota/push/" + time.Now().UTC().Add(untilNoon).Format(time.DateOnly)
		if a, b := w.used(first), w.used(second); a != 0 || b != 1 {
			t.Errorf("%d counted on the first day and %d on the second, want 0 and 1", a, b)
		}
		w.say("shop", "push b 2")
		after(time.Minute)
		w.wantState("2", "waiting")
	})
}

func TestAReloadFreesAndHolds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(oneByOne(quota.Limits{PushPerDay: 2, PushPerUserPerDay: 1})))
		limit := func(q quota.Limits) {
			a := oneByOne(q)
			a.Sender = w.platforms["shop"]
			w.egress.Reconfigure(shop(a), engine.Rate{})
			after(time.Second)
		}
		w.say("shop", "push a 1", "push a 2", "push b 3", "push c 4", "push d 5")
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantTasks("shop", "1", "3")
		limit(quota.Limits{PushPerDay: 3, PushPerUserPerDay: 2})
		w.wantTasks("shop", "1", "3", "2")
		limit(quota.Limits{PushPerDay: 1, PushPerUserPerDay: 2})
		w.say("shop", "push e 6")
		after(time.Second)
		w.wantTasks("shop", "1", "3", "2")
		limit(quota.Limits{})
		after(time.Second)
		for _, task := range []string{"4", "5", "6"} {
			w.wantState(task, "sent")
		}
		limit(quota.Limits{PushPerDay: 4})
		if n := w.used(today()); n != 3 {
			t.Errorf("%d counted, want those while there was a quota: 3", n)
		}
	})
}

// again ends the egress as a process dies and starts another.
func (w *world) again() {
	w.end()
	w.outbox.fault, w.outbox.lost = nil, nil
	w.start()
}

func TestARestartForgetsNoQuotaAndSendsNoBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(oneByOne(quota.Limits{PushPerDay: 3, PushPerUserPerDay: 1, Unanswered: 1, UnansweredFor: 48 * time.Hour})))
		w.write("a")
		w.write("b")
		w.say("shop", "push a 1", "push a 2", "push b 3", "reply c 4")
		w.start()
		after(time.Second)
		w.wantTasks("shop", "1", "3")
		for range 3 {
			w.again()
			after(time.Minute)
		}
		w.wantTasks("shop", "1", "3")
		w.write("c")
		w.again()
		after(time.Minute)
		w.wantTasks("shop", "1", "3", "4")
		w.stop()
	})
}

func TestACrashAtAnyActNeitherForgetsNorDoublesAQuota(t *testing.T) {
	for _, tt := range []struct {
		name     string
		act      string
		lost     bool // the act was done, and nobody learned it
		failing  bool // the platform refuses the first request
		sent     int  // requests in the end
		counted  int
		sentence string
	}{
		{"before the mark is written", "attempt", false, false, 1, 1, "nothing was charged, and it is charged once"},
		{"after the mark was written", "attempt", true, false, 1, 2, "nobody knows that it did not leave, so both count"},
		{"before a success is written", "settle", false, false, 2, 2, "both requests count"},
		{"after a success was written", "settle", true, false, 1, 1, "it counts once"},
		{"before a refusal is written", "settle", false, true, 2, 2, "the first counts, since its answer is lost"},
		{"after a refusal was written", "settle", true, true, 2, 1, "the first was given back, once"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(with(quota.Limits{PushPerDay: 5, PushPerUserPerDay: 5})))
				n := 0
				w.platforms["shop"].answer = func(*engine.Command) error {
					if n++; tt.failing && n == 1 {
						return fails(channel.Transient)
					}
					return nil
				}
				die := func(act string, id uint64) error {
					if act == tt.act {
						return store.ErrFailed
					}
					return nil
				}
				if w.outbox.fault = die; tt.lost {
					w.outbox.fault, w.outbox.lost = nil, die
				}
				w.say("shop", "push a 1")
				w.start()
				after(time.Second)
				w.again()
				after(time.Minute)
				w.stop()
				w.wantState("1", "sent")
				if got := len(w.platforms["shop"].tasks()); got != tt.sent {
					t.Errorf("%d requests, want %d", got, tt.sent)
				}
				for _, key := range []string{today(), today() + "/a"} {
					if got := w.used(key); got != tt.counted {
						t.Errorf("%s: %d counted, want %d: %s", key, got, tt.counted, tt.sentence)
					}
				}
			})
		})
	}
}

func TestAMarkThatIsTakenBackIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 1})))
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "attempt" {
				time.Sleep(time.Second)
			}
			return nil
		}
		w.say("shop", "push a 1")
		w.start()
		defer w.stop()
		after(500 * time.Millisecond) // the mark is being written
		w.egress.Hold("shop", "test", "paused")
		after(10 * time.Second)
		w.wantTasks("shop")
		if n := w.used(today()); n != 0 {
			t.Errorf("%d counted", n)
		}
		if got := w.waits("1"); got != "account held: test: paused" {
			t.Errorf("waits: %s", got)
		}
		w.egress.Hold("shop", "test", "")
		after(10 * time.Second)
		w.wantState("1", "sent")
	})
}

func TestACancelledMarkIsNotCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerDay: 1})))
		w.outbox.disk = time.Second
		w.say("shop", "push a 1", "push b 2")
		w.start()
		defer w.stop()
		after(1500 * time.Millisecond)
		if err := w.outbox.Cancel(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		after(10 * time.Second)
		w.wantTasks("shop", "2")
		if n := w.used(today()); n != 1 {
			t.Errorf("%d counted", n)
		}
	})
}

func TestSoManyMessagesUntilThePersonWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{Unanswered: 2, UnansweredFor: 20 * time.Hour})))
		w.write("a")
		w.say("shop", "reply a 1", "push a 2", "push a 3", "reply a 4", "push b 5")
		w.start()
		defer w.stop()
		after(time.Hour)
		w.wantTasks("shop", "1", "4")
		if got := w.waits("2"); got != "quota: 2 messages without an answer (unanswered) are used up; goes on when they write" {
			t.Errorf("waits: %s", got)
		}
		if got := w.waits("5"); got != "quota: the person has not written for 20h (unanswered_for); goes on when they write" {
			t.Errorf("waits: %s", got)
		}
		w.write("a")
		after(0) // at once
		w.wantTasks("shop", "1", "4", "2", "3")
		w.write("b")
		after(0)
		w.wantTasks("shop", "1", "4", "2", "3", "5")
		after(20 * time.Hour)
		w.say("shop", "reply b 6")
		after(time.Minute)
		w.wantState("6", "waiting")
		after(24 * time.Hour)
		if p := w.wantState("6", "dead"); p.Reason != "not sent within 24h0m0s; quota: the person has not written for 20h (unanswered_for)" {
			t.Errorf("%s", p.Reason)
		}
	})
}

func TestAnAnswerByTicketAsksForNoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{Unanswered: 1, UnansweredFor: time.Hour})))
		w.put("shop", engine.Command{TaskID: "welcome", Conversation: "a", Ticket: engine.Ticket{Token: "t", Expires: time.Now().Add(time.Minute)}})
		w.put("shop", engine.Command{TaskID: "more", Conversation: "a"})
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantState("welcome", "sent")
		w.wantState("more", "waiting")
	})
}

func TestAnAnswerThatItsTicketIsNotForCountsAsAny(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{Unanswered: 1, UnansweredFor: time.Hour})))
		newClerk(w)
		w.put("shop", reply("by its ticket", "once-a", time.Minute))
		w.put("shop", reply("with one", "b", time.Minute))
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantState("by its ticket", "sent")
		w.wantState("with one", "waiting")
	})
}

// roomy is a platform whose ids beginning with "room" are groups.
type roomy struct{ *platform }

func (roomy) OneToOne(conversation string) bool { return !strings.HasPrefix(conversation, "room") }

func TestGroupsNeedNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{Unanswered: 1, UnansweredFor: time.Hour})))
		a := w.options.Accounts["shop"]
		a.Sender = roomy{w.platforms["shop"]}
		w.options.Accounts["shop"] = a
		w.say("shop", "push room1 1", "push room1 2", "push a 3")
		w.start()
		defer w.stop()
		after(time.Second)
		w.wantTasks("shop", "1", "2")
	})
}

func TestManyThatAreHeldKeepNobodyWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerUserPerDay: 1})))
		for i := range 3 * maxHeld {
			w.outbox.notes["shop "+today()+fmt.Sprint("/c", i)] = "1"
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
		}
		w.say("shop", "bulk free 1")
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "1")
		recalls := w.outbox.recalls
		after(time.Hour)
		if n := w.outbox.recalls - recalls; n != 0 {
			t.Errorf("%d looks at quotas that can have changed for nobody", n)
		}
	})
}

func TestTheOwnerLooksUpBetweenManyThatAreHeld(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(with(quota.Limits{PushPerUserPerDay: 1})))
		for i := range 2 * maxHeld {
			w.outbox.notes["shop "+today()+fmt.Sprint("/c", i)] = "1"
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
		}
		o := newOwner(t.Context(), New(w.options))
		defer o.endGrace()
		defer o.timer.Stop()
		for o.hear() {
		}
		before := w.outbox.recalls // how the account stood
		for i := range 2 {
			if o.step(); w.outbox.recalls-before != (i+1)*maxHeld {
				t.Errorf("%d quotas were looked up in %d steps, want %d in each", w.outbox.recalls-before, i+1, maxHeld)
			}
			select {
			case <-o.poke:
			default:
				t.Errorf("the owner does not come back after step %d", i+1)
			}
		}
	})
}

func TestAnAccountWithoutQuotasLooksNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.say("shop", "push a 1", "bulk b 2", "reply c 3")
		w.start()
		defer w.stop()
		after(time.Minute)
		if w.outbox.recalls != 1 || len(w.outbox.notes) != 0 { // how it stood with its platform
			t.Errorf("%d reads, notes %v", w.outbox.recalls, w.outbox.notes)
		}
	})
}

func TestAStoreThatCannotTellAQuotaEndsTheRun(t *testing.T) {
	for _, q := range []quota.Limits{{PushPerDay: 1}, {PushPerUserPerDay: 1}} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, shop(with(q)))
			w.outbox.fault = func(act string, _ uint64) error {
				if act == "recall" {
					return store.ErrFailed
				}
				return nil
			}
			w.say("shop", "push a 1")
			w.start()
			after(time.Second)
			if err := w.end(); err == nil || !strings.Contains(err.Error(), `account "shop"`) {
				t.Errorf("Run ended with %v", err)
			}
			w.wantTasks("shop")
		})
	}
}
