package egress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// leftSending stores a command as a process leaves it that dies in mid-request.
func (w *world) leftSending(account, conversation, task string, attempts int) {
	p := store.Progress{}
	for range attempts {
		p = marked(p, time.Now())
	}
	w.outbox.put(engine.Command{TaskID: task, Account: account, Conversation: conversation, Action: engine.SendText, Lane: engine.LanePush, Created: time.Now()}, p)
}

func TestWhatWasInFlightWhenTheProcessDied(t *testing.T) {
	for _, tt := range []struct {
		name     string
		onDoubt  string
		attempts int
		state    string
		sent     []string
	}{
		{"is repeated in its place", Resend, 1, "sent", []string{"doubtful", "next"}},
		{"is not repeated beyond its attempts", Resend, 5, "dead", []string{"next"}},
		{"is held for a person", Hold, 1, "in_doubt", []string{"next"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.OnDoubt = tt.onDoubt })))
				w.leftSending("shop", "c", "doubtful", tt.attempts)
				w.say("shop", "push c next")
				w.start()
				defer w.stop()
				after(0)
				w.wantTasks("shop", tt.sent...)
				p := w.wantState("doubtful", tt.state)
				if tt.state == "sent" && p.Attempts != 2 {
					t.Errorf("%d attempts, want the lost one and the new one", p.Attempts)
				}
				if p.Tries[tt.attempts-1].Class != string(channel.Unsure) {
					t.Errorf("tries %+v, want the lost one marked", p.Tries)
				}
			})
		})
	}
}

func TestDoubtIsSettledBeforeAnyPaceAllowsASend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.OnDoubt = Hold; a.Limits.Rate = engine.Rate{N: 1, Per: time.Hour} })))
		for i := range 3 {
			w.leftSending("shop", fmt.Sprint("c", i), fmt.Sprint("d", i), 1)
		}
		w.start()
		defer w.stop()
		after(0)
		for i := range 3 {
			w.wantState(fmt.Sprint("d", i), "in_doubt")
		}
	})
}

func TestRowsOfUnknownAccountsAreHeldUntilTheAccountComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		accounts := map[string]Account{"shop": quick(), "club": accountWith(func(a *Account) { a.OnDoubt = Hold })}
		w := newWorld(t, accounts)
		w.options.Accounts = map[string]Account{"shop": accounts["shop"]}
		w.leftSending("club", "c", "doubtful", 1)
		w.say("club", "push c 1", "push d 2")
		w.say("shop", "push c 3")
		w.start()
		defer w.stop()
		after(48 * time.Hour)
		w.wantTasks("shop", "3")
		w.wantTasks("club")
		w.wantState("doubtful", "sending")
		if n := w.log.count("not configured"); n != 1 {
			t.Errorf("%d lines about the held rows, want 1", n)
		}
		club := accounts["club"]
		club.GiveUp = 72 * time.Hour
		accounts["club"] = club
		w.egress.Reconfigure(accounts, engine.Rate{})
		after(0)
		w.wantState("doubtful", "in_doubt")
		w.wantState("1", "sent")
		w.wantState("2", "sent")
	})
}

func TestARetrysTimeOutlivesARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.outbox.put(engine.Command{TaskID: "x", Account: "shop", Conversation: "c", Lane: engine.LanePush, Created: time.Now()},
			store.Progress{Phase: store.Waiting, Attempts: 1, NotBefore: time.Now().Add(time.Hour)})
		w.say("shop", "push c behind")
		w.start()
		defer w.stop()
		after(2 * time.Hour)
		if at := w.platforms["shop"].arrived("x"); !slices.Equal(at, []time.Duration{time.Hour}) {
			t.Errorf("sent at %v, want 1h", at)
		}
		w.wantTasks("shop", "x", "behind")
	})
}

func TestARestartIsNotABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = perMinute(6); a.Limits.Burst = 10 })))
		for i := range 20 {
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
		}
		for range 3 {
			w.start()
			after(time.Second)
			w.stop()
		}
		if n := len(w.platforms["shop"].tasks()); n != 3 {
			t.Errorf("%d sent by three starts, want 3", n)
		}
	})
}

func TestStopLetsRequestsFinishAndStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 1 })))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 5 * time.Second }
		w.say("shop", "push a 1", "push b 2")
		w.start()
		after(time.Second)
		began := time.Now()
		w.stop()
		if d := time.Since(began); d != 4*time.Second {
			t.Errorf("stopped after %v, want the 4s that were left", d)
		}
		w.wantState("1", "sent")
		if p := w.wantState("2", "waiting"); p.Attempts != 0 {
			t.Errorf("%d attempts, want none", p.Attempts)
		}
		w.start()
		after(5 * time.Second)
		w.stop()
		w.wantTasks("shop", "1", "2")
	})
}

func TestWhatTheGraceCutsOffKeepsItsMark(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Timeout = time.Hour })))
		w.options.Grace = 3 * time.Second
		w.platforms["shop"].latency = func(c *engine.Command) time.Duration {
			return map[string]time.Duration{"quick": 2 * time.Second, "slow": time.Minute}[c.TaskID]
		}
		w.say("shop", "push a quick", "push b slow")
		w.start()
		after(0)
		began := time.Now()
		w.stop()
		if d := time.Since(began); d != 3*time.Second {
			t.Errorf("stopped after %v, want 3s", d)
		}
		w.wantState("quick", "sent")
		if p := w.wantState("slow", "sending"); p.Attempts != 1 {
			t.Errorf("%d attempts, want 1", p.Attempts)
		}
	})
}

func TestWhatIsMarkedAtTheStopIsTakenBack(t *testing.T) {
	for name, at := range map[string]time.Duration{
		"while the mark is written":    500 * time.Millisecond,
		"while it waits for the wire":  2500 * time.Millisecond,
		"before anything happened":     0,
		"while the request is written": 1500 * time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 2; a.Timeout = time.Hour })))
				w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Hour }
				w.options.Grace = 0
				w.say("shop", "push a a", "push b b", "push c c")
				w.outbox.fault = func(act string, id uint64) error {
					if act == "attempt" && id == 1 {
						time.Sleep(500 * time.Millisecond)
					}
					if act != "deliveries" {
						time.Sleep(time.Second)
					}
					return nil
				}
				w.start()
				after(at)
				w.stop()
				sent := w.platforms["shop"].tasks()
				for _, task := range []string{"a", "b", "c"} {
					want, attempts := "waiting", 0
					if slices.Contains(sent, task) {
						want, attempts = "sending", 1
					}
					if p := w.wantState(task, want); p.Attempts != attempts {
						t.Errorf("%s: %d attempts, want %d", task, p.Attempts, attempts)
					}
				}
			})
		})
	}
}

func TestRunCanBeStoppedBeforeDuringAndTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.say("shop", "push c 1")
		e := New(w.options)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := e.Run(ctx); err != nil {
			t.Errorf("a run that ended before it began: %v", err)
		}
		w.wantTasks("shop")
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error)
			go func() { done <- e.Run(ctx) }()
			synctest.Wait()
			if err := e.Run(ctx); err == nil {
				t.Error("a second Run began beside the first")
			}
			cancel()
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run: %v", err)
			}
		}
		w.wantTasks("shop", "1")
	})
}

func TestAFullStoreDelaysAndLosesNothing(t *testing.T) {
	for _, act := range []string{"attempt", "settle"} {
		t.Run(act, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(quick()))
				roomAt := time.Now().Add(time.Minute)
				w.outbox.fault = func(a string, _ uint64) error {
					if a == act && time.Now().Before(roomAt) {
						return fmt.Errorf("%s: %w", a, store.ErrFull)
					}
					return nil
				}
				w.say("shop", "push c 1", "push c 2", "push d 3")
				w.start()
				defer w.stop()
				after(time.Minute - time.Second)
				for _, r := range w.platforms["shop"].tasks() {
					if act == "attempt" {
						t.Errorf("%s was sent without a mark", r)
					}
				}
				after(3 * time.Second)
				for _, task := range []string{"1", "2", "3"} {
					w.wantState(task, "sent")
					if n := len(w.platforms["shop"].arrived(task)); n != 1 {
						t.Errorf("%s was sent %d times", task, n)
					}
				}
				if a, b := w.log.count("waits for room"), w.log.count("has room again"); a != 1 || b != 1 {
					t.Errorf("%d and %d lines about it, want one each", a, b)
				}
			})
		})
	}
}

func TestAStoreThatStaysFullDoesNotKeepRunFromEnding(t *testing.T) {
	for act, want := range map[string]string{"attempt": "waiting", "settle": "sending"} {
		t.Run(act, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(quick()))
				w.outbox.fault = func(a string, _ uint64) error {
					if a == act {
						return store.ErrFull
					}
					return nil
				}
				w.say("shop", "push c 1")
				w.start()
				after(time.Minute)
				began := time.Now()
				w.stop()
				if d := time.Since(began); d > w.options.Grace+fullPause {
					t.Errorf("stopped after %v", d)
				}
				w.wantState("1", want)
			})
		})
	}
}

func TestRunEndsWithTheStoresFailure(t *testing.T) {
	for _, act := range []string{"deliveries", "delivery", "attempt", "settle"} {
		for _, failure := range []error{store.ErrFailed, store.ErrClosed} {
			t.Run(fmt.Sprint(act, " ", failure), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, shop(quick()))
					w.platforms["shop"].latency = func(c *engine.Command) time.Duration {
						if c.TaskID == "long" {
							return time.Hour
						}
						return time.Second
					}
					w.outbox.fault = func(a string, _ uint64) error {
						if a == act {
							return fmt.Errorf("%s: %w", a, failure)
						}
						return nil
					}
					w.say("shop", "push b long", "push c 1", "push d 2")
					w.start()
					after(2 * time.Second)
					if err := w.end(); !errors.Is(err, failure) {
						t.Errorf("Run ended with %v, want %v", err, failure)
					}
				})
			})
		}
	}
}

func TestOneUnreadableRowStopsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.outbox.fault = func(act string, id uint64) error {
			if act == "delivery" && id == 1 {
				return errors.New("bad record")
			}
			return nil
		}
		w.say("shop", "push c bad", "push c behind", "push d beside")
		w.start()
		defer w.stop()
		after(0)
		w.wantState("bad", "waiting")
		w.wantState("behind", "sent")
		w.wantState("beside", "sent")
	})
}

func TestTwoRowsOfAConversationFoundInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.leftSending("shop", "c", "1", 1)
		w.leftSending("shop", "c", "2", 1)
		w.say("shop", "push c 3")
		w.start()
		defer w.stop()
		after(0)
		w.wantTasks("shop", "1", "2", "3")
	})
}

func TestACommandInOtherHandsIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		id := w.put("shop", engine.Command{TaskID: "x", Conversation: "c", NotBefore: time.Now().Add(time.Hour)})
		w.start()
		defer w.stop()
		after(0)
		if err := w.outbox.Attempt(t.Context(), id, store.Progress{Phase: store.Sending}); err != nil {
			t.Fatal(err)
		}
		after(2 * time.Hour)
		w.wantTasks("shop")
	})
}

func TestACommandCancelledWhileItIsMarked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.outbox.disk = time.Second
		w.say("shop", "push c x", "push c y")
		w.start()
		defer w.stop()
		after(1500 * time.Millisecond)
		if err := w.outbox.Cancel(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
		after(10 * time.Second)
		w.wantTasks("shop", "y")
	})
}

func TestAFloodIsTakenInPageByPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.start()
		defer w.stop()
		after(0)
		for i := range 3*page + 1 {
			w.put("shop", engine.Command{TaskID: fmt.Sprint("t", i), Conversation: fmt.Sprint("c", i%50)})
		}
		w.egress.Wake()
		after(0)
		if n := len(w.platforms["shop"].tasks()); n != 3*page+1 {
			t.Errorf("%d sent, want %d", n, 3*page+1)
		}
	})
}

func TestOptionsMayBeLeftOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(Account{}))
		w.platforms["shop"].latency = func(c *engine.Command) time.Duration { return time.Hour }
		w.options = Options{Outbox: w.outbox, Accounts: w.options.Accounts}
		w.say("shop", "push c x", "push c y")
		w.start()
		defer w.stop()
		after(30 * time.Second)
		w.wantState("x", "in_doubt")
		w.wantState("y", "sending")
	})
}

func TestSettledByAPersonMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
		w.say("shop", "push c 1", "push c 2")
		w.start()
		defer w.stop()
		after(0)
		w.outbox.mu.Lock()
		w.outbox.gone[1] = store.Cancelled
		w.outbox.mu.Unlock()
		after(5 * time.Second)
		w.wantState("1", "cancelled")
		w.wantState("2", "sent")
	})
}

func TestTheWallClockMayJumpWhileACommandWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		jump := make(chan time.Duration, 1)
		jump <- 0
		w.options.Now = func() time.Time {
			d := <-jump
			jump <- d
			return time.Now().Add(d)
		}
		w.put("shop", engine.Command{TaskID: "x", Conversation: "c", NotBefore: time.Now().Add(10 * time.Hour)})
		w.start()
		defer w.stop()
		after(time.Hour)
		<-jump
		jump <- 9 * time.Hour
		after(time.Minute)
		w.wantState("x", "sent")
	})
}
