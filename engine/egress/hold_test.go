package egress

import (
	"maps"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

func TestAHeldAccountSendsNothingAndLosesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]Account{"shop": quick(), "club": quick()})
		w.start()
		defer w.stop()
		w.egress.Hold("shop", "test", "offline")
		w.say("shop", "push c 1", "reply c 2")
		w.put("shop", engine.Command{TaskID: "welcome", Conversation: "d", Deadline: time.Now().Add(20 * time.Second)})
		w.say("club", "push c x")
		after(time.Hour)
		w.wantTasks("shop")
		w.wantTasks("club", "x")
		w.wantState("welcome", "dead") // its time ran out, held or not
		if p := w.wantState("1", "waiting"); p.Attempts != 0 || len(p.Tries) != 0 {
			t.Errorf("holding cost %+v", p)
		}
		if got := w.egress.Held(); !maps.Equal(got, map[string]string{"shop": "test: offline"}) {
			t.Errorf("held: %v", got)
		}
		w.egress.Hold("shop", "person", "paused")
		w.egress.Hold("shop", "test", "")
		after(time.Second)
		w.wantTasks("shop") // somebody else holds it still
		w.egress.Hold("shop", "person", "")
		after(time.Second)
		w.wantTasks("shop", "2", "1")
		if got := w.egress.Held(); len(got) != 0 {
			t.Errorf("held after the release: %v", got)
		}
	})
}

// A hold that is there before the first command is taken in, as after a
// restart, and for an account that is not configured yet.
func TestAHoldComesBeforeTheFirstCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.say("shop", "push c 1")
		w.options.Accounts = nil
		w.start()
		defer w.stop()
		w.egress.Hold("shop", "test", "paused")
		after(time.Second)
		w.egress.Reconfigure(map[string]Account{"shop": {Sender: w.platforms["shop"]}}, engine.Rate{})
		after(time.Hour)
		w.wantTasks("shop")
		w.egress.Hold("shop", "test", "")
		after(time.Second)
		w.wantTasks("shop", "1")
	})
}

// With one slot, what is marked behind a request in flight has not left yet.
func TestAHoldTakesBackWhatIsMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 2; a.OnDoubt = Resend })))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second } // less than its timeout
		w.start()
		defer w.stop()
		w.say("shop", "push a 1", "push b 2", "push c 3", "push d 4")
		after(time.Second)
		w.egress.Hold("shop", "test", "offline")
		after(time.Minute)
		sent := w.platforms["shop"].tasks() // those that were on the wire
		if len(sent) != 2 {
			t.Errorf("sent %v, want the two that were on the wire", sent)
		}
		for _, task := range []string{"1", "2", "3", "4"} {
			if slices.Contains(sent, task) {
				continue
			}
			if p := w.wantState(task, "waiting"); p.Attempts != 0 {
				t.Errorf("task %s was charged %d attempts", task, p.Attempts)
			}
		}
		w.egress.Hold("shop", "test", "")
		after(time.Minute)
		if all := w.platforms["shop"].tasks(); len(all) != 4 {
			t.Errorf("sent %v, want each once", all)
		}
	})
}

// Who looks at the status sees why nothing leaves, whoever it is that wants so.
func TestARestThatThePlatformWantsIsShown(t *testing.T) {
	for class, want := range map[channel.Class]string{
		channel.Throttled:   "platform asks to wait: no",
		channel.Unreachable: "platform unreachable: no",
		channel.Halted:      "platform does not serve it: no",
	} {
		t.Run(string(class), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(quick()))
				var well atomic.Bool
				w.platforms["shop"].answer = func(*engine.Command) error {
					if well.Load() {
						return nil
					}
					return fails(class)
				}
				w.say("shop", "push c 1")
				w.start()
				defer w.stop()
				after(0)
				if got := w.egress.Held(); !maps.Equal(got, map[string]string{"shop": want}) {
					t.Errorf("held: %v, want %q", got, want)
				}
				well.Store(true)
				after(2 * time.Minute)
				w.wantState("1", "sent")
				if got := w.egress.Held(); len(got) != 0 {
					t.Errorf("held after an answer: %v", got)
				}
			})
		})
	}
}

func TestTheEndOfAHoldEndsTheWaitForTheNextTry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		var well atomic.Bool
		w.platforms["shop"].answer = func(*engine.Command) error {
			if well.Load() {
				return nil
			}
			return fails(channel.Halted)
		}
		var halted []string
		w.options.Halted = func(account, note string) { halted = append(halted, account+" "+note) }
		w.say("shop", "push c 1")
		w.start()
		defer w.stop()
		after(20 * time.Minute) // by now it is tried once in a minute at most
		if len(halted) != 1 || halted[0] != "shop no" {
			t.Errorf("told %q, want once", halted)
		}
		w.egress.Hold("shop", "offline", "asked")
		after(time.Second)
		well.Store(true)
		w.egress.Hold("shop", "offline", "")
		after(time.Second)
		w.wantState("1", "sent")
	})
}
