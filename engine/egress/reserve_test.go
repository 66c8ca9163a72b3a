package egress

import (
	"errors"
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

// reserved is a reply whose commit is being written.
type reserved struct {
	w       *world
	command engine.Command
	mark    *store.Progress // nil: it waits as all others do
	end     func(error)
}

// reserve asks for a place for a reply of the account shop.
func (w *world) reserve(conversation, task string, change ...func(*engine.Command)) *reserved {
	r := &reserved{w: w, command: engine.Command{Account: "shop", Conversation: conversation, TaskID: task,
		Action: engine.SendText, Created: time.Now()}}
	for _, c := range change {
		c(&r.command)
	}
	r.mark, r.end = w.egress.Reserve(&r.command)
	return r
}

// kept is reserve of what could leave at once.
func (w *world) kept(conversation, task string, change ...func(*engine.Command)) *reserved {
	w.t.Helper()
	r := w.reserve(conversation, task, change...)
	if r.mark == nil {
		w.t.Fatalf("no place was kept for %s", task)
	}
	return r
}

// write puts the row into the outbox, as the commit does before it answers.
func (r *reserved) write() *reserved {
	p := *r.mark
	p.Phase = store.Sending
	r.w.outbox.put(r.command, p)
	return r
}

// attempts is how many acts there were that marked one.
func (m *memory) attempts() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.marks
}

func TestAReservedReplyLeavesWithItsOwnCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.start()
		defer w.stop()
		after(time.Second)
		r := w.kept("c", "1")
		if p := r.mark; p.Phase != store.Sending || p.Attempts != 1 || len(p.Tries) != 1 || !p.Tries[0].Time.Equal(time.Now()) {
			t.Errorf("the mark is %+v", p)
		}
		r.write()
		w.egress.Wake() // another commit was written meanwhile: the row is seen
		after(time.Hour)
		w.wantTasks("shop") // and may not be on disk yet
		r.end(nil)
		after(0)
		w.wantTasks("shop", "1")
		if p := w.wantState("1", "sent"); p.Attempts != 1 || len(p.Tries) != 1 || p.Tries[0].Class != string(store.Sent) || !p.Tries[0].Time.Equal(time.Now()) {
			t.Errorf("the end is %+v", p)
		}
		if n := w.outbox.attempts(); n != 0 {
			t.Errorf("%d attempts were marked in acts of their own", n)
		}
		w.kept("c", "2").write().end(nil) // the row is looked up by whoever is told
		after(0)
		w.wantTasks("shop", "1", "2")
	})
}

func TestWhatWasReservedForACommitThatWasRefusedIsFreeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 1 })))
		w.start()
		defer w.stop()
		after(time.Second)
		r := w.kept("c", "1")
		if w.reserve("d", "x").mark != nil {
			t.Error("there is one slot, and two have a place")
		}
		w.say("shop", "reply c later")
		after(time.Second)
		w.wantTasks("shop")
		w.say("shop", "reply c 1") // the turn is played anew, and what it says seen before this is known
		after(time.Second)
		r.end(store.ErrConflict)
		after(0)
		w.wantTasks("shop", "later", "1")
		r = w.kept("c", "2")
		r.write().end(nil)
		after(0)
		w.wantTasks("shop", "later", "1", "2")
	})
}

// After an outage one request tries whether the platform answers. One that was
// reserved for that and did not come about must not keep all others waiting.
func TestAReservedProbeThatDoesNotComeAboutIsGivenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].answer = func(c *engine.Command) error {
			if c.TaskID == "down" {
				return fails(channel.Unreachable)
			}
			return nil
		}
		w.start()
		defer w.stop()
		w.put("shop", engine.Command{TaskID: "down", Conversation: "a", Deadline: time.Now().Add(500 * time.Millisecond)})
		w.egress.Wake()
		after(0)
		if w.reserve("b", "1").mark != nil {
			t.Error("a place was kept while the platform was down")
		}
		after(5 * time.Second)
		probe := w.kept("b", "1")
		w.say("shop", "reply c 2")
		after(time.Hour)
		w.wantState("2", "waiting")
		probe.end(store.ErrGone)
		after(0)
		w.wantState("2", "sent")
	})
}

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
				w.start()
				defer w.stop()
				after(time.Second)
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
				w.start()
				defer w.stop()
				after(time.Second)
				w.kept("c", "1").end(store.ErrGone)
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

func TestAReservedReplyHoldsItsSuccessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second } // two at once break the test
		w.start()
		defer w.stop()
		after(time.Second)
		r := w.kept("c", "1")
		r.write()
		w.say("shop", "reply c 2", "push c 3", "push d other") // of the same commit, or of another
		after(10 * time.Second)
		w.wantTasks("shop", "other")
		r.end(nil)
		after(10 * time.Second)
		w.wantTasks("shop", "other", "1", "2", "3")
	})
}

func TestAReservedReplyTakesItsAccountsPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = perMinute(60) })))
		w.start()
		defer w.stop()
		after(5 * time.Second)
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

func TestAHoldTakesAReservedReplyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.start()
		defer w.stop()
		after(time.Second)
		r := w.kept("c", "1").write()
		w.egress.Hold("shop", "test", "paused")
		after(0)
		r.end(nil)
		after(time.Hour)
		w.wantTasks("shop")
		if p := w.wantState("1", "waiting"); p.Attempts != 0 || len(p.Tries) != 0 {
			t.Errorf("taking it back left %+v", p)
		}
		w.egress.Hold("shop", "test", "")
		after(0)
		w.wantTasks("shop", "1")
	})
}

// What was said of a reply when its place was kept need not hold when it leaves.
func TestAReservedReplyIsLookedAtAgainBeforeItLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, lax, _ := vetting(t, quick())
		lax.Store(true)
		w.start()
		defer w.stop()
		after(time.Second)
		r := w.kept("c", "1", func(c *engine.Command) { c.Text = "awful" }).write()
		lax.Store(false)
		r.end(nil)
		after(0)
		w.wantTasks("shop")
		w.wantState("1", "dead")
	})
}

func TestTheEndOfTheProcessTakesAReservedReplyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.start()
		after(time.Second)
		r := w.kept("c", "1")
		w.cancel()
		after(time.Minute) // it waits for what the commit answers
		r.write().end(nil)
		w.stop()
		w.wantTasks("shop")
		if p := w.wantState("1", "waiting"); p.Attempts != 0 {
			t.Errorf("taking it back left %+v", p)
		}
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "1")
	})
}

// A process that dies between the commit and the answer does not know whether the
// request left, as after any other mark.
func TestAReservedReplyThatItsProcessLeftIsInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.OnDoubt = Hold })))
		w.start()
		after(time.Second)
		r := w.kept("c", "1")
		r.end(store.ErrClosed) // what this process learns of it
		w.stop()
		r.write()
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop")
		w.wantState("1", "in_doubt")
	})
}

func TestAReservedReplyOfAnAccountThatIsTakenAwayEndsByTheOldTerms(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.start()
		defer w.stop()
		after(time.Second)
		r := w.kept("c", "1")
		w.egress.Reconfigure(nil, engine.Rate{})
		after(time.Second)
		r.write().end(nil)
		after(0)
		w.wantTasks("shop", "1")
		w.wantState("1", "sent")
	})
}

func TestAnOutboxThatCannotBeReadEndsARunWithAReservedReply(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.start()
		after(time.Second)
		r := w.kept("c", "1").write()
		broken := fmt.Errorf("broken: %w", store.ErrFailed)
		w.outbox.mu.Lock()
		w.outbox.fault = func(string, uint64) error { return broken }
		w.outbox.mu.Unlock()
		r.end(nil)
		after(0)
		if err := w.end(); !errors.Is(err, store.ErrFailed) {
			t.Errorf("Run ended with %v", err)
		}
		w.wantTasks("shop")
		w.wantState("1", "sending") // the next start decides
	})
}

func TestWhoAsksBeforeTheFirstRunOrAfterTheLastGetsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.egress = New(w.options)
		w.wantNoPlace()
		w.start()
		after(time.Second)
		w.stop()
		w.wantNoPlace()
		w.outbox.fault = func(string, uint64) error { return store.ErrFailed }
		w.start()
		synctest.Wait() // it ends with its first look
		w.wantNoPlace()
		if err := w.end(); !errors.Is(err, store.ErrFailed) {
			t.Errorf("Run ended with %v", err)
		}
	})
}

// Bulk that rests beside replies rests no longer for their being reserved.
func TestReservedRepliesPassBulkOverNoMoreOftenThanOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.outbox.ride = 600 * time.Millisecond // bulk rests half as long
		w.start()
		defer w.stop()
		after(time.Second)
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

// A platform may confirm what it was sent before it answers the request.
func TestAReservedReplyCanBeConfirmedAheadOfItsAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, resend)
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
		w.start()
		defer w.stop()
		after(time.Second)
		r := w.kept("c", "1")
		if r.mark.Awaits != "1" {
			t.Errorf("the mark awaits %q", r.mark.Awaits)
		}
		r.write().end(nil)
		after(500 * time.Millisecond)
		w.confirm("1", true)
		w.wantState("1", "confirmed")
		w.wantConfirmations(confirmedInTime)
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
				w := newWorld(t, shop(accountWith(limit)))
				w.start()
				defer w.stop()
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
			w.start()
			defer w.stop()
			after(5 * time.Second)
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

// busy is a world with two slots that are taken, and ten replies behind them.
func busy(t *testing.T) *world {
	w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 2 })))
	w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second }
	w.start()
	after(time.Second)
	w.say("shop", "reply a 1", "reply b 2")
	after(0)
	return w
}

func TestNothingIsReservedWhileAPushHasTheNextSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := busy(t)
		defer w.stop()
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
		defer w.stop()
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
