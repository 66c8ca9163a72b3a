package egress

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

func TestTransientFailuresAreRetriedUntilAttemptsAreUsedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].answer = func(*engine.Command) error { return fails(channel.Transient) }
		w.say("shop", "push c x")
		w.start()
		defer w.stop()
		after(time.Hour)
		p := w.wantState("x", "dead")
		at := w.platforms["shop"].arrived("x")
		if len(at) != 5 || p.Attempts != 5 || len(p.Tries) != 5 {
			t.Errorf("%d requests, %d attempts, %d tries; want 5 each", len(at), p.Attempts, len(p.Tries))
		}
		for i := range at[1:] {
			if wait := at[i+1] - at[i]; wait > time.Second<<i {
				t.Errorf("retry %d after %v, want %v at most", i+1, wait, time.Second<<i)
			}
		}
		if !strings.Contains(p.Reason, "gave up after 5 attempts") || !strings.Contains(p.Reason, "status 500") {
			t.Errorf("reason %q", p.Reason)
		}
		for name, want := range map[string]float64{
			"bot_commands_failed_total transient": 5, "bot_retries_total send": 4, "bot_dead_letters_total command": 1,
			"bot_commands_sent_total shop": 0, "bot_send_seconds": 5,
		} {
			f := strings.Fields(name)
			if got := w.total(f[0], f[1:]...); got != want {
				t.Errorf("%s = %v, want %v", name, got, want)
			}
		}
	})
}

func TestAPermanentFailureIsDeadAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].answer = func(*engine.Command) error {
			return &channel.SendError{Class: channel.Permanent, Status: 400, Note: "not a friend"}
		}
		w.say("shop", "push c x")
		w.start()
		defer w.stop()
		after(0)
		p := w.wantState("x", "dead")
		if p.Reason != "permanent, status 400: not a friend" || len(p.Tries) != 1 || p.Tries[0].Note != "not a friend" {
			t.Errorf("progress %+v", p)
		}
	})
}

func TestARefusedCredentialIsTriedOnceMoreAtOnceAndThenHoldsTheAccount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		var valid atomic.Bool
		w.platforms["shop"].answer = func(*engine.Command) error {
			if valid.Load() {
				return nil
			}
			return fails(channel.Credential)
		}
		w.say("shop", "push c 1")
		w.start()
		defer w.stop()
		after(0)
		if at := w.platforms["shop"].arrived("1"); len(at) != 2 || at[1] != 0 {
			t.Errorf("tried at %v, want twice at once", at)
		}
		w.say("shop", "push d 2")
		after(2 * time.Hour)
		for _, task := range []string{"1", "2"} {
			if p := w.wantState(task, "waiting"); p.Attempts > 1 {
				t.Errorf("task %s was charged %d attempts", task, p.Attempts)
			}
		}
		valid.Store(true)
		after(2 * time.Minute)
		w.wantState("1", "sent")
		w.wantState("2", "sent")
	})
}

func TestRetryAfterThreeHoursParksTheAccountAndCostsNoAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]Account{"shop": quick(), "other": quick()})
		until := time.Now().Add(3 * time.Hour)
		w.platforms["shop"].answer = func(c *engine.Command) error {
			if time.Now().Before(until) {
				return &channel.SendError{Class: channel.Throttled, Status: 429, Until: until, Note: "slow down"}
			}
			return nil
		}
		for i := range 1000 {
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i), fmt.Sprintf("push c%d s%d", i, i))
		}
		w.start()
		defer w.stop()
		after(time.Second)
		parked := len(w.platforms["shop"].tasks())
		if parked > 16 {
			t.Errorf("%d requests before the account was parked, want those in flight", parked)
		}
		if p := w.wantState(w.platforms["shop"].tasks()[0], "waiting"); p.Attempts != 0 || !p.NotBefore.Equal(until) {
			t.Errorf("progress %+v, want no attempt and the platform's time", p)
		}
		looks, marks := w.looks.Load(), w.outbox.marks
		after(3*time.Hour - 2*time.Second)
		if n := w.looks.Load() - looks; n > 181 || w.outbox.marks != marks {
			t.Errorf("woke %d times and marked %d in three hours of waiting", n, w.outbox.marks-marks)
		}
		if n := w.total("bot_commands_throttled_total", "platform"); n != 1 {
			t.Errorf("%v waits counted, want 1", n)
		}
		w.say("other", "push c x")
		after(0)
		w.wantState("x", "sent")
		after(time.Minute)
		for i := range 1000 {
			w.wantState(fmt.Sprint("t", i), "sent")
		}
		if n := w.log.count("platform asks to wait"); n != 1 {
			t.Errorf("%d lines about it, want 1", n)
		}
	})
}

func TestAThrottledCommandStillDiesAtItsDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].answer = func(*engine.Command) error {
			return &channel.SendError{Class: channel.Throttled, Until: time.Now().Add(3 * time.Hour)}
		}
		now := time.Now()
		w.put("shop", engine.Command{TaskID: "sent", Conversation: "c", Deadline: now.Add(time.Hour)})
		w.put("shop", engine.Command{TaskID: "behind", Conversation: "c", Deadline: now.Add(30 * time.Minute)})
		w.put("shop", engine.Command{TaskID: "beside", Conversation: "d", Deadline: now.Add(20 * time.Minute)})
		w.start()
		defer w.stop()
		after(20 * time.Minute)
		w.wantState("beside", "dead")
		after(40*time.Minute - 1)
		w.wantState("sent", "waiting")
		after(1)
		w.wantState("sent", "dead")
		w.wantState("behind", "dead")
	})
}

func TestADeadEndpointSeesFewAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		var down atomic.Bool
		down.Store(true)
		p := w.platforms["shop"]
		p.answer = func(*engine.Command) error {
			if down.Load() {
				return &channel.SendError{Class: channel.Unreachable, Note: "connection refused"}
			}
			return nil
		}
		for i := range 1000 {
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
		}
		w.start()
		defer w.stop()
		after(time.Hour)
		if n := len(p.tasks()); n < 60 || n > 16+130 {
			t.Errorf("%d requests in an hour, want the first ones in flight and a probe or two a minute", n)
		}
		if n := w.log.count("platform unreachable"); n != 1 {
			t.Errorf("%d lines about it, want 1", n)
		}
		if progress := w.wantState("t0", "waiting"); progress.Attempts != 0 {
			t.Errorf("%d attempts charged, want none", progress.Attempts)
		}
		down.Store(false)
		after(time.Minute)
		for i := range 1000 {
			w.wantState(fmt.Sprint("t", i), "sent")
		}
		if n := w.log.count("platform reachable again"); n != 1 {
			t.Errorf("%d lines about the recovery, want 1", n)
		}
	})
}

func TestADeadEndpointDoesNotKeepCommandsAliveForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.GiveUp = 2 * time.Hour })))
		w.platforms["shop"].answer = func(*engine.Command) error { return fails(channel.Unreachable) }
		for i := range 500 {
			w.say("shop", fmt.Sprintf("push c%d t%d", i, i))
		}
		w.put("shop", engine.Command{TaskID: "tomorrow", Conversation: "c0", NotBefore: time.Now().Add(24 * time.Hour)})
		w.start()
		defer w.stop()
		after(2*time.Hour + time.Second)
		for i := range 500 {
			w.wantState(fmt.Sprint("t", i), "dead")
		}
		w.wantState("tomorrow", "waiting")
		after(24 * time.Hour)
		if p := w.wantState("tomorrow", "dead"); !strings.HasPrefix(p.Reason, "not sent within 2h0m0s; before that: unreachable") {
			t.Errorf("reason %q", p.Reason)
		}
	})
}

func TestASendThatNobodyKnowsAbout(t *testing.T) {
	for _, tt := range []struct {
		name string
		send func(ctx context.Context) error
	}{
		{"no answer in time", func(ctx context.Context) error {
			<-ctx.Done()
			return &channel.SendError{Class: channel.Unsure, Note: "timeout"}
		}},
		{"a panic", func(context.Context) error { panic("secret-token") }},
		{"a broken sender", func(context.Context) error { var none []int; _ = none[len(none)]; return nil }},
		{"an error without a class", func(context.Context) error { return errors.New("secret-token") }},
	} {
		for onDoubt, want := range map[string]string{Hold: "in_doubt", Resend: "dead"} {
			t.Run(tt.name+", "+onDoubt, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := newWorld(t, shop(accountWith(func(a *Account) { a.OnDoubt = onDoubt })))
					var calls atomic.Int64
					a := w.options.Accounts["shop"]
					a.Sender = sendFunc(func(ctx context.Context) error { calls.Add(1); return tt.send(ctx) })
					w.options.Accounts["shop"] = a
					w.say("shop", "push c x")
					w.start()
					defer w.stop()
					after(10 * time.Hour)
					p := w.wantState("x", want)
					if n := map[string]int{Hold: 1, Resend: 5}[onDoubt]; calls.Load() != int64(n) || p.Attempts != n {
						t.Errorf("%d requests and %d attempts, want %d", calls.Load(), p.Attempts, n)
					}
					if w.log.count("secret-token") != 0 || strings.Contains(fmt.Sprint(p), "secret-token") {
						t.Error("what the sender said without a class got out")
					}
				})
			})
		}
	}
}

type sendFunc func(context.Context) error

func (f sendFunc) Send(ctx context.Context, _ *engine.Command) (string, error) { return "", f(ctx) }
func (sendFunc) Needs(engine.Action) ([]string, bool)                          { return nil, true }

func TestVerdicts(t *testing.T) {
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	until := now.Add(time.Hour)
	mark := func(earlier ...string) store.Progress {
		p := store.Progress{Attempts: len(earlier)}
		for _, class := range earlier {
			p.Tries = append(p.Tries, store.Try{Time: now, Class: class})
		}
		return marked(p, now)
	}
	for _, tt := range []struct {
		name      string
		progress  store.Progress
		failure   *channel.SendError
		onDoubt   string
		final     store.Final
		phase     store.Phase
		attempts  int
		notBefore time.Time
	}{
		{"success is sent", mark(), nil, Hold, store.Sent, store.Sending, 1, time.Time{}},
		{"transient waits", mark(), &channel.SendError{Class: channel.Transient}, Hold, "", store.Waiting, 1, now.Add(time.Second)},
		{"the second waits longer", mark("transient"), &channel.SendError{Class: channel.Transient}, Hold, "", store.Waiting, 2, now.Add(2 * time.Second)},
		{"the last is dead", mark("transient", "transient"), &channel.SendError{Class: channel.Transient}, Hold, store.Dead, store.Waiting, 3, time.Time{}},
		{"unreachable is free", mark("transient", "transient"), &channel.SendError{Class: channel.Unreachable}, Hold, "", store.Waiting, 2, time.Time{}},
		{"throttled is free and waits as told", mark("transient", "transient"), &channel.SendError{Class: channel.Throttled, Until: until}, Hold, "", store.Waiting, 2, until},
		{"the first refused credential goes on at once", mark(), &channel.SendError{Class: channel.Credential}, Hold, "", store.Waiting, 1, time.Time{}},
		{"the first refused credential at the last attempt is dead", mark("transient", "transient"), &channel.SendError{Class: channel.Credential}, Hold, store.Dead, store.Waiting, 3, time.Time{}},
		{"permanent is dead", mark(), &channel.SendError{Class: channel.Permanent}, Hold, store.Dead, store.Waiting, 1, time.Time{}},
		{"unsure is held", mark(), &channel.SendError{Class: channel.Unsure}, Hold, "", store.InDoubt, 1, time.Time{}},
		{"unsure is held even at the last attempt", mark("unknown", "unknown"), &channel.SendError{Class: channel.Unsure}, Hold, "", store.InDoubt, 3, time.Time{}},
		{"unsure is repeated", mark(), &channel.SendError{Class: channel.Unsure}, Resend, "", store.Waiting, 1, now.Add(time.Second)},
		{"unsure is dead at the last attempt", mark("unknown", "unknown"), &channel.SendError{Class: channel.Unsure}, Resend, store.Dead, store.Waiting, 3, time.Time{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := Account{Attempts: 3, OnDoubt: tt.onDoubt}
			tries := slices.Clone(tt.progress.Tries)
			f := flight{conf: a, delivery: store.Delivery{ID: 7, Command: &engine.Command{}}, progress: tt.progress, failure: tt.failure}
			s := f.verdict(now, func(n int) time.Duration { return time.Duration(n) * time.Second })
			p := s.Progress
			if s.ID != 7 || s.Final != tt.final || p.Phase != tt.phase || p.Attempts != tt.attempts || !p.NotBefore.Equal(tt.notBefore) {
				t.Errorf("settlement %+v", s)
			}
			if last := p.Tries[len(p.Tries)-1]; last.Class == "" || len(p.Tries) != len(tries) {
				t.Errorf("tries %+v", p.Tries)
			}
			if !slices.Equal(tries, tt.progress.Tries) {
				t.Error("the record that was passed in changed")
			}
		})
	}
}

func TestBackoffHasFullJitterBelowADoublingCeiling(t *testing.T) {
	r := engine.Range{Min: time.Second, Max: 10 * time.Second}
	for i, ceiling := range []time.Duration{1, 2, 4, 8, 10, 10} {
		ceiling *= time.Second
		if d := backoff(r, i+1, func() float64 { return 0 }); d != 0 {
			t.Errorf("attempt %d: the shortest wait is %v, want 0", i+1, d)
		}
		if d := backoff(r, i+1, func() float64 { return 0.5 }); d != ceiling/2 {
			t.Errorf("attempt %d: the middle wait is %v, want %v", i+1, d, ceiling/2)
		}
	}
	if d := backoff(engine.Range{}, 1_000_000, func() float64 { return 0.5 }); d != 0 {
		t.Errorf("without a range the wait is %v", d)
	}
}

func TestTriesAreBounded(t *testing.T) {
	p := store.Progress{}
	for range 3 * store.MaxTries {
		p = marked(p, time.Now())
	}
	if len(p.Tries) != store.MaxTries || p.Attempts != 3*store.MaxTries {
		t.Errorf("%d tries and %d attempts", len(p.Tries), p.Attempts)
	}
}

// choosy is a platform that recognises a repeat of some commands only.
type choosy struct{ sendFunc }

func (choosy) Repeatable(c *engine.Command) bool { return c.Conversation == "person" }

func TestWhatThePlatformWouldDoTwiceIsHeldWhateverTheAccountSays(t *testing.T) {
	for conversation, want := range map[string]store.Phase{"person": store.Waiting, "group": store.InDoubt} {
		f := flight{
			conf:     Account{Sender: choosy{}, OnDoubt: Resend, Attempts: 3},
			delivery: store.Delivery{ID: 7, Command: &engine.Command{Conversation: conversation}},
			progress: store.Progress{Attempts: 1}, failure: &channel.SendError{Class: channel.Unsure},
		}
		if s := f.verdict(time.Now(), func(int) time.Duration { return 0 }); s.Progress.Phase != want {
			t.Errorf("%s: %q, want %q", conversation, s.Progress.Phase, want)
		}
	}
}

func TestASenderIsToldOfADoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var doubted []bool
		w := newWorld(t, shop(accountWith(func(a *Account) { a.OnDoubt = Resend; a.Attempts = 5 })))
		conf := w.options.Accounts["shop"]
		conf.Sender = sendFunc(func(ctx context.Context) error {
			doubted = append(doubted, channel.Doubted(ctx))
			switch len(doubted) {
			case 1:
				return &channel.SendError{Class: channel.Transient}
			case 2:
				return &channel.SendError{Class: channel.Unsure}
			}
			return nil
		})
		w.options.Accounts["shop"] = conf
		w.say("shop", "push c 1")
		w.start()
		defer w.stop()
		after(time.Hour)
		w.wantState("1", "sent")
		if !slices.Equal(doubted, []bool{false, false, true}) {
			t.Errorf("told of a doubt: %v, want at the third attempt alone", doubted)
		}
	})
}

// A token that is refused is tried once more at once; that first refusal, by each
// command anew, is no sign that an account which is served no more is served again.
func TestAnAccountWhoseTokenIsRefusedIsNotToldToBeServedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].answer = func(*engine.Command) error { return fails(channel.Credential) }
		w.say("shop", "push c 1", "push d 2", "push e 3")
		w.start()
		after(2 * time.Hour)
		if n := w.log.count("platform reachable again"); n != 0 {
			t.Errorf("told %d times that it is served again", n)
		}
		if n := w.log.count("platform serves this account no more"); n != 1 {
			t.Errorf("told %d times that it is served no more", n)
		}
		if w.egress.Held()["shop"] == "" {
			t.Error("it is not held")
		}
		w.stop()
	})
}
