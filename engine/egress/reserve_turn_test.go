package egress

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/pace"
	"bot/engine/quota"
	"bot/store"
)

func TestACommandForWhichMoreIsToBeDoneIsNotReserved(t *testing.T) {
	for name, change := range map[string]func(*engine.Command){
		"its account is not known":      func(c *engine.Command) { c.Account = "other" },
		"it is a push":                  func(c *engine.Command) { c.Lane = engine.LanePush },
		"it is due later":               func(c *engine.Command) { c.NotBefore = time.Now().Add(time.Second) },
		"it could be called off":        func(c *engine.Command) { c.Unless = "note" },
		"its time is over":              func(c *engine.Command) { c.Deadline = time.Now() },
		"it is given up":                func(c *engine.Command) { c.Created = time.Now().Add(-25 * time.Hour) },
		"its ticket has expired":        func(c *engine.Command) { c.Ticket = engine.Ticket{Token: "t", Expires: time.Now()} },
		"it is not wanted":              func(c *engine.Command) { c.Skill = "gone" },
		"it says what must not be said": func(c *engine.Command) { c.Text = "awful" },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, _, _ := vetting(t, quick())
				w.options.Unwanted = func(c *engine.Command) string { return map[string]string{"gone": "its skill is gone"}[c.Skill] }
				w.rest()
				w.wantNoPlace(change)
				w.kept("c", "1").end(store.ErrGone) // it is that which was in the way
			})
		})
	}
}

// wantNoPlace asks for a place in vain.
func (w *world) wantNoPlace(change ...func(*engine.Command)) {
	w.t.Helper()
	if r := w.reserve("c", "1", change...); r.mark != nil {
		w.t.Error("a place was kept")
		r.end(store.ErrGone)
	}
}

func TestNothingIsReservedWhereSomethingHasToBeWaitedFor(t *testing.T) {
	const slow = "push d slow"
	for name, tt := range map[string]struct {
		account func(*Account)
		before  func(*world)
	}{
		"replies have a delay":                {account: func(a *Account) { a.Limits.ReplyDelay = engine.Range{Min: time.Second, Max: time.Second} }},
		"a quota counts":                      {account: func(a *Account) { a.Quota = quota.Limits{PushPerDay: 5, Zone: time.UTC} }},
		"the account is held":                 {before: func(w *world) { w.egress.Hold("shop", "test", "paused") }},
		"the account has been taken away":     {before: func(w *world) { w.egress.Reconfigure(nil, engine.Rate{}) }},
		"its conversation has one waiting":    {before: func(w *world) { w.put("shop", inAnHour("c")); w.egress.Wake() }},
		"its conversation has one to read":    {before: func(w *world) { w.put("shop", inAnHour("c")) }},
		"its conversation has one on its way": {before: func(w *world) { w.say("shop", "push c slow") }},
		"another one has its name":            {before: func(w *world) { r := w.kept("d", "1"); time.AfterFunc(time.Second, func() { r.end(store.ErrGone) }) }},
		"another one has the place":           {before: func(w *world) { r := w.kept("c", "0"); time.AfterFunc(time.Second, func() { r.end(store.ErrGone) }) }},
		"all slots are taken":                 {account: func(a *Account) { a.Limits.Parallel = 1 }, before: func(w *world) { w.say("shop", slow) }},
		"the account's rate is used up":       {account: func(a *Account) { a.Limits.Rate = perMinute(1) }, before: func(w *world) { w.say("shop", "push d 0"); after(0) }},
		"the gap has not passed":              {account: func(a *Account) { a.Limits.Gap = engine.Range{Min: time.Minute, Max: time.Minute} }, before: func(w *world) { w.say("shop", "push d 0"); after(0) }},
		"its conversation's rate is used up":  {account: func(a *Account) { a.Limits.PerConversation = perMinute(1) }, before: func(w *world) { w.say("shop", "push c 0"); after(0) }},
		"its action's rate is used up": {account: func(a *Account) {
			a.Limits.Actions = map[engine.Action]pace.ActionLimit{engine.SendText: {Rate: perMinute(1)}}
		}, before: func(w *world) { w.say("shop", "push d 0"); after(0) }},
		"the rate of all accounts is used up": {before: func(w *world) {
			w.egress.Reconfigure(w.options.Accounts, perMinute(1))
			after(time.Minute)
			w.say("shop", "push d 0")
		}},
		"the platform has asked to wait": {before: func(w *world) { w.say("shop", "push d throttled"); after(0) }},
		"too much was committed before": {before: func(w *world) {
			for i := range page {
				w.put("shop", inAnHour(fmt.Sprint("other", i)))
			}
			w.put("shop", inAnHour("c"))
		}},
		"the last slot is another's": {account: func(a *Account) { a.Limits.Parallel = 1 }, before: func(w *world) {
			w.put("shop", engine.Command{TaskID: "0", Conversation: "d"})
		}},
		"the process is about to end": {before: func(w *world) { w.say("shop", slow); after(0); w.cancel(); synctest.Wait() }},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(quick()))
				w.platforms["shop"].latency = func(c *engine.Command) time.Duration {
					if c.TaskID == "slow" {
						return 5 * time.Second
					}
					return 0
				}
				w.platforms["shop"].answer = func(c *engine.Command) error {
					if c.TaskID == "throttled" {
						return fails(channel.Throttled)
					}
					return nil
				}
				w.rest()
				w.kept("c", "1").end(store.ErrGone)
				synctest.Wait() // it has left nothing in the way
				if tt.account != nil {
					a := accountWith(tt.account)
					a.Sender = w.platforms["shop"]
					w.egress.Reconfigure(shop(a), engine.Rate{})
					after(2 * time.Minute)
				}
				if tt.before != nil {
					tt.before(w)
				}
				w.wantNoPlace()
			})
		})
	}
}

// inAnHour is a command that waits for an hour.
func inAnHour(conversation string) engine.Command {
	return engine.Command{TaskID: "later", Conversation: conversation, NotBefore: time.Now().Add(time.Hour)}
}

func TestAReplyIsReservedWhileAllSlotsAreTakenWhereADoubtDoesNoHarm(t *testing.T) {
	for onDoubt, want := range map[string]bool{Resend: true, Hold: false} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 2; a.OnDoubt = onDoubt })))
			w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second }
			w.start()
			defer w.stop()
			w.say("shop", "reply a 1", "reply b 2")
			after(time.Second)
			r := w.reserve("c", "3")
			if got := r.mark != nil; got != want {
				t.Fatalf("%s: a place was kept: %v", onDoubt, got)
			}
			if want {
				r.write().end(nil)
				after(10 * time.Second)
				w.wantState("3", "sent")
			}
		})
	}
}

func TestAReservedReplyTakesItsAccountsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, accountWith(func(a *Account) { a.Limits.Rate = perMinute(60) }))
		r := w.kept("c", "1")
		w.say("shop", "reply d 2")
		after(500 * time.Millisecond)
		w.wantTasks("shop")
		r.write().end(nil)
		after(0)
		w.wantTasks("shop", "1")
		after(time.Second)
		w.wantTasks("shop", "1", "2")
	})
}

// Bulk that rests beside replies rests no longer for their being reserved.
func TestReservedRepliesPassBulkOverNoMoreOftenThanOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.outbox.ride = 600 * time.Millisecond // bulk rests half as long
		w.rest()
		w.kept("c", "first").write().end(nil)
		w.say("shop", "bulk b1 bulk1", "bulk b2 bulk2")
		for i := range 200 {
			time.Sleep(10 * time.Millisecond)
			if r := w.reserve(fmt.Sprint("c", i), fmt.Sprint("reply", i)); r.mark != nil {
				r.write().end(nil)
			}
		}
		after(10 * time.Second)
		tasks := w.platforms["shop"].tasks()
		first, second := slices.Index(tasks, "bulk1"), slices.Index(tasks, "bulk2")
		if first < 0 || second-first > passes+3 { // at one reply every 10 ms the rest alone would be thirty
			t.Errorf("bulk is number %d and %d of what was sent", first, second)
		}
	})
}

func TestACommitThatWasRefusedCostsNoPace(t *testing.T) {
	for name, limit := range map[string]func(*Account){
		"of the account":      func(a *Account) { a.Limits.Rate = perMinute(1) },
		"of the conversation": func(a *Account) { a.Limits.PerConversation = perMinute(1) },
		"between two sends":   func(a *Account) { a.Limits.Gap = engine.Range{Min: time.Minute, Max: time.Minute} },
		"of the action": func(a *Account) {
			a.Limits.Actions = map[engine.Action]pace.ActionLimit{engine.SendText: {Rate: perMinute(1)}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := rested(t, accountWith(limit))
				after(2 * time.Minute)
				w.kept("c", "1").end(store.ErrConflict)
				after(0)
				w.say("shop", "reply c 1")
				after(0)
				w.wantTasks("shop", "1")
			})
		})
	}
}

// A token that comes while the owner is at work belongs to what waits for it.
func TestAReservedReplyTakesNothingFromWhatWaits(t *testing.T) {
	for early := 60 * time.Millisecond; early >= 0; early -= time.Millisecond {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = perMinute(60) })))
			w.options.Now = func() time.Time {
				now := time.Now()
				time.Sleep(20 * time.Millisecond) // each look takes as long
				return now
			}
			w.rest()
			w.say("shop", "reply a 1")
			after(500 * time.Millisecond)
			w.say("shop", "reply b 2")
			after(500*time.Millisecond - early)
			if r := w.reserve("c", "3"); r.mark != nil {
				r.write().end(nil)
			} else {
				w.say("shop", "reply c 3")
			}
			after(10 * time.Second)
			w.wantTasks("shop", "1", "2", "3")
		})
	}
}

// busy is a world whose two slots are taken.
func busy(t *testing.T) *world {
	w := rested(t, accountWith(func(a *Account) { a.Limits.Parallel = 2 }))
	w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second }
	w.say("shop", "reply a 1", "reply b 2")
	after(0)
	return w
}

func TestNothingIsReservedWhileAPushHasTheNextSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := busy(t)
		w.say("shop", "push p push")
		kept := 0
		for i := range 2 * passes {
			if r := w.reserve(fmt.Sprint("c", i), fmt.Sprint("r", i)); r.mark != nil {
				kept++
				r.end(store.ErrGone)
				after(0)
			}
		}
		if kept == 0 || kept > passes {
			t.Errorf("%d places were kept while a push was passed over, want no more than %d", kept, passes)
		}
	})
}

// One that was passed over and is gone, or may not go, has no turn to wait for.
func TestAPushThatIsGoneKeepsNobodyFromAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := busy(t)
		w.put("shop", engine.Command{TaskID: "push", Conversation: "p", Lane: engine.LanePush, Deadline: time.Now().Add(time.Second)})
		for i := range 2 * passes {
			if r := w.reserve(fmt.Sprint("c", i), fmt.Sprint("r", i)); r.mark != nil {
				r.end(store.ErrGone)
				after(0)
			}
		}
		after(2 * time.Second)
		w.wantState("push", "dead")
		w.kept("c", "1").end(store.ErrGone)
	})
}

// Where there is too much for one step of the owner, what is ready may not have had its turn.
func TestNothingIsReservedWhileTheOwnerHasMoreToLookAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := rested(t, accountWith(func(a *Account) { a.Limits.Parallel = 1 }))
		club := with(quota.Limits{PushPerUserPerDay: 1})
		club.Sender = w.platforms["shop"]
		w.egress.Reconfigure(map[string]Account{"shop": w.options.Accounts["shop"], "club": club}, engine.Rate{}) // club is looked at first
		after(time.Second)
		for i := range maxHeld {
			w.outbox.notes["club "+today()+fmt.Sprint("/c", i)] = "1"
			w.put("club", engine.Command{TaskID: fmt.Sprint("over", i), Conversation: fmt.Sprint("c", i), Lane: engine.LanePush})
		}
		w.put("shop", engine.Command{TaskID: "0", Conversation: "d"})
		w.wantNoPlace()
	})
}
