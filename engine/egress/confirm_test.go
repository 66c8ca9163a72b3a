package egress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// confirming is a platform that confirms what it accepts, by the task id.
type confirming struct{ *platform }

func (confirming) Awaits(c *engine.Command, _ string) string { return c.TaskID }

// noting is one that confirms by an id which it gives with its answer.
type noting struct {
	*platform
	ids int
}

func (n *noting) Send(ctx context.Context, c *engine.Command) (string, error) {
	if _, err := n.platform.Send(ctx, c); err != nil {
		return "", err
	}
	n.ids++
	return fmt.Sprint("id-", n.ids), nil
}

func (*noting) Awaits(_ *engine.Command, note string) string { return note }

// newConfirmer is a world whose account "shop" is confirmed within 5 s.
func newConfirmer(t *testing.T, change func(*Account)) *world {
	w := newWorld(t, shop(accountWith(func(a *Account) {
		a.ConfirmWithin = 5 * time.Second
		change(a)
	})))
	w.confirmBy(confirming{w.platforms["shop"]})
	return w
}

func (w *world) confirmBy(s channel.Sender) {
	a := w.options.Accounts["shop"]
	a.Sender = s
	w.options.Accounts["shop"] = a
}

func hold(a *Account)   { a.OnDoubt = Hold }
func resend(a *Account) { a.OnDoubt = Resend }

// confirm tells what the platform says and returns once that is on disk.
func (w *world) confirm(key string, ok bool) {
	w.t.Helper()
	if err := w.egress.Confirm(w.t.Context(), "shop", key, ok, "so it says"); err != nil {
		w.t.Errorf("confirm %s: %v", key, err)
	}
}

func (w *world) wantConfirmations(outcomes ...string) {
	w.t.Helper()
	counts := map[string]float64{}
	for _, o := range outcomes {
		counts[o]++
	}
	for _, o := range []string{confirmedInTime, confirmedFailed, confirmedLate, confirmTimeout, confirmUnknown} {
		if got := w.total("bot_confirmations_total", o); got != counts[o] {
			w.t.Errorf("%v confirmations are %s, want %v", got, o, counts[o])
		}
	}
}

// wantSent is wantTasks for commands that may leave in any order.
func (w *world) wantSent(want ...string) {
	w.t.Helper()
	if got := slices.Sorted(slices.Values(w.platforms["shop"].tasks())); !slices.Equal(got, want) {
		w.t.Errorf("sent %v, want %v", got, want)
	}
}

func (w *world) wantUnconfirmed(n int) {
	w.t.Helper()
	if got := w.egress.Unconfirmed()["shop"]; got != n {
		w.t.Errorf("%d unconfirmed, want %d", got, n)
	}
}

func TestASentCommandWaitsForItsConfirmationAndHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		w.say("shop", "push u 1", "push u 2", "push v 3")
		w.start()
		after(time.Second)
		w.wantSent("1", "2", "3")
		p := w.wantState("1", "unconfirmed")
		if p.Awaits != "1" || time.Until(p.AwaitsUntil) != 4*time.Second {
			t.Errorf("awaits %q for %v", p.Awaits, time.Until(p.AwaitsUntil))
		}
		w.wantUnconfirmed(3)
		w.confirm("1", true)
		if p := w.wantState("1", "confirmed"); len(p.Tries) != 1 || p.Tries[0].Class != "confirmed" || p.Tries[0].Note != "so it says" {
			t.Errorf("tries %+v", p.Tries)
		}
		w.wantUnconfirmed(2)
		after(time.Hour)
		w.wantState("2", "in_doubt")
		w.wantUnconfirmed(0)
		w.stop()
		w.wantConfirmations(confirmedInTime, confirmTimeout, confirmTimeout)
		if got := w.total("bot_commands_sent_total"); got != 3 {
			t.Errorf("%v sent", got)
		}
	})
}

func TestWhatIsNotConfirmedInTimeIsHeldInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		w.say("shop", "push u 1")
		w.start()
		after(5*time.Second - time.Millisecond)
		w.wantState("1", "unconfirmed")
		after(2 * confirmTick)
		p := w.wantState("1", "in_doubt")
		if p.Reason != "nobody knows whether it went out: unknown: not confirmed within 5s" || p.Tries[0].Class != "unknown" {
			t.Errorf("because of %q, %+v", p.Reason, p.Tries)
		}
		after(24 * time.Hour)
		w.wantTasks("shop", "1") // never twice
		w.stop()
	})
}

func TestWhatIsNotConfirmedInTimeIsSentAgainAfterAWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, func(a *Account) { resend(a); a.Attempts = 3 })
		w.options.Chance = func() float64 { return 0.999 } // the longest waits
		w.say("shop", "push u 1")
		w.start()
		after(5*time.Second + confirmTick)
		if p := w.wantState("1", "waiting"); p.NotBefore.IsZero() || p.Awaits != "1" {
			t.Errorf("waits until %v for %q", p.NotBefore, p.Awaits)
		}
		after(time.Hour)
		at := w.platforms["shop"].arrived("1")
		if len(at) != 3 || at[1]-at[0] < 5900*time.Millisecond || at[2]-at[1] < 6900*time.Millisecond {
			t.Errorf("sent at %v; want 5 s and about one more in between, then about two", at)
		}
		if p := w.wantState("1", "dead"); p.Attempts != 3 {
			t.Errorf("%d attempts: %s", p.Attempts, p.Reason)
		}
		w.wantConfirmations(confirmTimeout, confirmTimeout, confirmTimeout)
		w.stop()
	})
}

func TestACommandThatMustNotBeRepeatedIsHeldThoughTheAccountResends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, resend)
		w.confirmBy(unrepeatable{confirming{w.platforms["shop"]}})
		w.say("shop", "push u 1")
		w.start()
		after(time.Hour)
		w.wantState("1", "in_doubt")
		w.wantTasks("shop", "1")
		w.stop()
	})
}

type unrepeatable struct{ confirming }

func (unrepeatable) Repeatable(*engine.Command) bool { return false }

func TestALateConfirmationStillConfirms(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*Account)
		state  string
		sent   int
	}{
		{"what is held in doubt", hold, "in_doubt", 1},
		{"what waits to be sent again", func(a *Account) { resend(a); a.Backoff = engine.Range{Min: time.Minute, Max: time.Minute} }, "waiting", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newConfirmer(t, tt.change)
				w.options.Chance = func() float64 { return 0.9 }
				w.say("shop", "push u 1")
				w.start()
				after(10 * time.Second)
				w.wantState("1", tt.state)
				w.say("shop", "push u 2")
				w.confirm("1", true)
				w.wantState("1", "confirmed")
				after(time.Second)
				w.confirm("2", true)
				w.confirm("1", true) // told twice
				after(time.Hour)
				w.wantTasks("shop", "1", "2")
				w.wantConfirmations(confirmTimeout, confirmedLate, confirmedInTime, confirmUnknown)
				w.stop()
			})
		})
	}
}

func TestWhatThePlatformSaysHasFailedIsAFailedAttempt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		after time.Duration
		want  string // of the state then
	}{
		{"in time", time.Second, "unconfirmed"},
		{"when it is in doubt already", time.Minute, "in_doubt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newConfirmer(t, func(a *Account) { hold(a); a.Attempts = 2 })
				w.say("shop", "push u 1")
				w.start()
				after(tt.after)
				w.wantState("1", tt.want)
				w.confirm("1", false)
				p := w.wantState("1", "waiting")
				if p.Reason != "transient: so it says" || p.NotBefore.IsZero() || p.Awaits != "1" || p.Attempts != 1 {
					t.Errorf("waits by %+v", p)
				}
				after(2 * time.Second)
				w.wantState("1", "unconfirmed")
				w.confirm("1", false)
				w.wantState("1", "dead")
				w.wantTasks("shop", "1", "1")
				w.stop()
			})
		})
	}
}

// A platform that tries by itself says that it failed, and then that it went.
func TestASuccessAfterAFailureConfirms(t *testing.T) {
	for _, tt := range []struct {
		name   string
		after  time.Duration // the failure, which may be told twice
		sent   []string
		counts []string
	}{
		{"before it is sent again", time.Second, []string{"1"}, []string{confirmedFailed, confirmedFailed, confirmedLate}},
		{"once it was sent again", 2 * time.Minute, []string{"1", "1"}, []string{confirmedFailed, confirmedFailed, confirmTimeout, confirmedLate}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newConfirmer(t, func(a *Account) { hold(a); a.Backoff = engine.Range{Min: time.Minute, Max: time.Minute} })
				w.options.Chance = func() float64 { return 0.9 }
				w.say("shop", "push u 1")
				w.start()
				after(time.Second)
				w.confirm("1", false)
				w.confirm("1", false)
				after(tt.after)
				w.confirm("1", true)
				w.wantState("1", "confirmed")
				after(time.Hour)
				w.wantTasks("shop", tt.sent...)
				w.wantConfirmations(tt.counts...)
				w.stop()
			})
		})
	}
}

func TestASuccessOfWhatWasGivenUpIsAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, func(a *Account) { hold(a); a.Attempts = 1 })
		broken := errors.New("store is full")
		w.options.Unheard = func(_ context.Context, account, key, note string) (bool, error) {
			if key == "full" {
				return false, broken
			}
			return account == "shop" && key == "1" && note == "so it says", nil
		}
		w.say("shop", "push u 1")
		w.start()
		after(time.Second)
		w.confirm("1", false)
		w.wantState("1", "dead")
		w.confirm("1", false) // told twice: nothing to ask
		w.confirm("1", true)
		w.confirm("2", true)
		if err := w.egress.Confirm(t.Context(), "shop", "full", true, ""); !errors.Is(err, broken) {
			t.Errorf("what could not be written down was told as done: %v", err)
		}
		w.wantConfirmations(confirmedFailed, confirmUnknown, confirmedLate, confirmUnknown)
		w.stop()
	})
}

func TestAFailureThatIsToldOfWhatWillBeSentAgainChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, func(a *Account) { resend(a); a.Backoff = engine.Range{Min: time.Minute, Max: time.Minute} })
		w.options.Chance = func() float64 { return 0.9 }
		w.say("shop", "push u 1")
		w.start()
		after(6 * time.Second)
		before := w.wantState("1", "waiting")
		w.confirm("1", false)
		if p := w.wantState("1", "waiting"); !p.NotBefore.Equal(before.NotBefore) || p.Attempts != 1 {
			t.Errorf("waits by %+v, before that %+v", p, before)
		}
		after(time.Minute)
		w.wantTasks("shop", "1", "1")
		w.stop()
	})
}

func TestAConfirmationAheadOfTheAnswerIsNotLost(t *testing.T) {
	for _, by := range []string{"task id", "id in the answer"} {
		t.Run("by "+by, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newConfirmer(t, hold)
				w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 3 * time.Second }
				w.outbox.disk = 100 * time.Millisecond
				key := "1"
				if by != "task id" {
					w.confirmBy(&noting{platform: w.platforms["shop"]})
					key = "id-1"
				}
				w.say("shop", "push u 1")
				w.start()
				after(time.Second)
				w.wantState("1", "sending")
				began := time.Now()
				w.confirm(key, true)
				if took := time.Since(began); took < 2*time.Second {
					t.Errorf("it was on disk after %v", took)
				}
				w.wantState("1", "confirmed")
				w.wantConfirmations(confirmedInTime)
				w.stop()
			})
		})
	}
}

func TestAnUnknownKeyWaitsOnlyForWhatWasInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 3 * time.Second }
		w.start()
		w.confirm("nobody's", true) // nothing is in flight
		w.say("shop", "push u 1")
		after(time.Second)
		done := make(chan time.Time, 1)
		go func() { w.confirm("nobody's", true); done <- time.Now() }()
		began := time.Now()
		for i := range 20 { // there is always something in flight
			after(500 * time.Millisecond)
			w.say("shop", fmt.Sprintf("push u%d %d", i, i+2))
		}
		if took := (<-done).Sub(began); took != 2*time.Second {
			t.Errorf("it was ended after %v, want when the flight had landed", took)
		}
		if n := w.total("bot_confirmations_total", confirmUnknown); n != 2 {
			t.Errorf("%v confirmations of commands that wait for none, want 2", n)
		}
		w.stop()
	})
}

func TestAConfirmationWhileItIsMarkedAgainKeepsItFromBeingSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, resend)
		w.options.Chance = func() float64 { return 0.999 }
		w.outbox.disk = 500 * time.Millisecond
		w.say("shop", "push u 1")
		w.start()
		for range 100 { // until the mark of the second attempt is on its way
			after(100 * time.Millisecond)
			if p := w.progress("1"); p.Phase == store.Waiting && !p.NotBefore.IsZero() && time.Since(p.NotBefore) > 0 {
				break
			}
		}
		w.confirm("1", true)
		w.wantState("1", "confirmed")
		w.wantTasks("shop", "1")
		w.stop()
	})
}

func (w *world) progress(task string) store.Progress {
	_, p := w.outbox.state(task)
	return p
}

func TestALostAnswerIsNoDoubtWhileAConfirmationMayCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		w.platforms["shop"].answer = func(*engine.Command) error { return fails(channel.Unsure) }
		w.say("shop", "push u 1", "push v 2")
		w.start()
		after(time.Second)
		w.wantState("1", "unconfirmed")
		w.confirm("1", true)
		w.wantState("1", "confirmed")
		after(5 * time.Second)
		w.wantState("2", "in_doubt")
		w.wantSent("1", "2")
		w.stop()
	})
}

func TestWaitsAreArmedAgainAtStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		now := time.Now()
		for task, p := range map[string]store.Progress{
			"over":    {Phase: store.Unconfirmed, AwaitsUntil: now.Add(-time.Hour)},
			"ahead":   {Phase: store.Unconfirmed, AwaitsUntil: now.Add(time.Hour)}, // by a clock that was wrong
			"told":    {Phase: store.Unconfirmed, AwaitsUntil: now.Add(-time.Hour)},
			"doubted": {Phase: store.InDoubt},
			"marked":  {Phase: store.Sending}, // the answer was not read
			"waiting": {Phase: store.Waiting, NotBefore: now.Add(time.Hour)},
		} {
			p.Awaits, p.Attempts, p.Tries = "key of "+task, 1, []store.Try{{Time: now}}
			w.outbox.put(engine.Command{Account: "shop", Conversation: task, TaskID: task, Action: engine.SendText, Created: now}, p)
		}
		w.start()
		after(time.Second)
		w.wantState("marked", "unconfirmed")
		w.wantUnconfirmed(4)
		for _, task := range []string{"told", "doubted", "marked", "waiting"} {
			w.confirm("key of "+task, true)
			w.wantState(task, "confirmed")
		}
		after(3 * time.Second)
		w.wantState("over", "unconfirmed")
		after(time.Second + confirmTick)
		w.wantState("over", "in_doubt")
		w.wantState("ahead", "in_doubt")
		after(2 * time.Hour)
		w.wantTasks("shop")
		w.stop()
	})
}

func TestTheWaitGoesOnAcrossARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, func(a *Account) { hold(a); a.ConfirmWithin = time.Minute })
		w.say("shop", "push u 1", "push v 2")
		w.start()
		after(20 * time.Second)
		w.stop()
		after(20 * time.Second)
		w.start()
		after(time.Second)
		w.confirm("1", true)
		w.wantState("1", "confirmed")
		after(18 * time.Second)
		w.wantState("2", "unconfirmed")
		after(time.Second + confirmTick)
		w.wantState("2", "in_doubt")
		w.wantSent("1", "2")
		w.stop()
	})
}

func TestAConfirmationIsToldOnlyWhenItIsOnDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		var full atomic.Bool
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "settle" && full.Load() {
				return store.ErrFull
			}
			return nil
		}
		w.say("shop", "push u 1")
		w.start()
		after(time.Second)
		full.Store(true)
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if err := w.egress.Confirm(ctx, "shop", "1", true, ""); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("confirmed while the disk was full: %v", err)
		}
		w.wantState("1", "unconfirmed")
		full.Store(false)
		after(2 * time.Second)
		w.wantState("1", "confirmed") // though nobody waits for it any more
		w.confirm("1", true)
		w.stop()
	})
}

func TestAStoreThatFailsWithAConfirmationEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		var broken atomic.Bool
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "settle" && broken.Load() {
				return store.ErrFailed
			}
			return nil
		}
		w.say("shop", "push u 1")
		w.start()
		after(time.Second)
		broken.Store(true)
		if err := w.egress.Confirm(t.Context(), "shop", "1", true, ""); !errors.Is(err, store.ErrFailed) {
			t.Errorf("confirmed by a store that failed: %v", err)
		}
		if err := w.end(); !errors.Is(err, store.ErrFailed) {
			t.Errorf("the run ended with %v", err)
		}
		w.wantState("1", "unconfirmed")
	})
}

func TestNobodyWaitsForAConfirmationLongerThanForTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		w.platforms["shop"].latency = func(*engine.Command) time.Duration { return 9 * time.Second }
		var broken atomic.Bool
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "settle" && broken.Load() {
				return store.ErrFailed
			}
			return nil
		}
		w.say("shop", "push u 1")
		w.start()
		after(time.Second)
		broken.Store(true)
		began := time.Now()
		if err := w.egress.Confirm(t.Context(), "shop", "1", true, ""); !errors.Is(err, store.ErrFailed) {
			t.Errorf("ahead of an answer that could not be settled: %v", err)
		}
		if took := time.Since(began); took != 8*time.Second {
			t.Errorf("it took %v", took)
		}
		w.end()
		if err := w.egress.Confirm(t.Context(), "shop", "1", true, ""); !errors.Is(err, store.ErrFailed) {
			t.Errorf("when the run is over: %v", err)
		}
	})
}

func TestADoubtThatAPersonEndedIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		w.say("shop", "push u 1")
		w.start()
		after(time.Minute)
		w.wantState("1", "in_doubt")
		// As a store resolves it: sent again under another id.
		d := w.outbox.rows[0]
		w.outbox.mu.Lock()
		w.outbox.gone[d.ID] = store.Cancelled
		w.outbox.mu.Unlock()
		w.outbox.put(*d.Command, store.Progress{Awaits: "1"})
		w.egress.Resolved(d)
		after(time.Second)
		w.wantTasks("shop", "1", "1")
		w.wantUnconfirmed(1)
		w.confirm("1", true)
		if w.outbox.gone[d.ID+1] != store.Confirmed {
			t.Error("the second row was not confirmed")
		}
		w.stop()
	})
}

func TestACancelledCommandIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, func(a *Account) { resend(a); a.Backoff = engine.Range{Min: time.Minute, Max: time.Minute} })
		w.options.Chance = func() float64 { return 0.9 }
		w.say("shop", "push u 1")
		w.start()
		after(6 * time.Second)
		if err := w.outbox.Cancel(t.Context(), "1"); err != nil {
			t.Fatal(err)
		}
		w.egress.Cancelled(engine.ConversationKey{Account: "shop", Conversation: "u"})
		after(time.Second)
		w.confirm("1", true)
		w.wantConfirmations(confirmTimeout, confirmUnknown)
		w.stop()
	})
}

func TestManyTimeOutsAtOnceAreSettledInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		w.outbox.disk = time.Millisecond
		const n = 3 * maxSettling
		for i := range n {
			task := fmt.Sprint(i)
			w.outbox.put(engine.Command{Account: "shop", Conversation: task, TaskID: task, Action: engine.SendText, Created: time.Now()},
				store.Progress{Phase: store.Unconfirmed, Awaits: task, AwaitsUntil: time.Now()})
		}
		w.start()
		after(confirmGrace / 2)
		w.wantUnconfirmed(n)
		after(time.Minute)
		w.wantUnconfirmed(0)
		if got := w.total("bot_confirmations_total", confirmTimeout); got != n {
			t.Errorf("%v timed out, want %d", got, n)
		}
		w.stop()
	})
}

func TestAnAccountThatIsNotConfiguredWaitsWithItsConfirmations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newConfirmer(t, hold)
		accounts := w.options.Accounts
		w.options.Accounts = nil
		for _, task := range []string{"1", "2"} {
			w.outbox.put(engine.Command{Account: "shop", Conversation: task, TaskID: task, Action: engine.SendText, Created: time.Now()},
				store.Progress{Phase: store.Unconfirmed, Awaits: task, AwaitsUntil: time.Now()})
		}
		w.start()
		done := make(chan bool)
		go func() { w.confirm("1", true); close(done) }()
		after(time.Hour)
		w.wantState("1", "unconfirmed")
		w.wantState("2", "unconfirmed")
		w.egress.Reconfigure(accounts, engine.Rate{})
		after(time.Second)
		<-done
		w.wantState("1", "confirmed")
		w.wantState("2", "in_doubt")
		w.stop()
	})
}
