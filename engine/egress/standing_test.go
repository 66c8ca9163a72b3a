package egress

import (
	"encoding/json"
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
	"bot/engine/pace"
	"bot/store"
)

// strict is a platform that throttles while closed is set, and says how long to
// wait where wait is set.
type strict struct {
	closed atomic.Bool
	wait   time.Duration
}

func (s *strict) answer(*engine.Command) error {
	if !s.closed.Load() {
		return nil
	}
	e := &channel.SendError{Class: channel.Throttled, Status: 429, Note: "too often"}
	if s.wait > 0 {
		e.Until = time.Now().Add(s.wait)
	}
	return e
}

func (w *world) wantPace(account string, want Pace) {
	w.t.Helper()
	if got := w.egress.Paces()[account]; got != want {
		w.t.Errorf("pace of %s:\n%+v, want\n%+v", account, got, want)
	}
}

func crowd(n int) (lines []string) {
	for i := range n {
		lines = append(lines, fmt.Sprintf("push c%d t%d", i, i))
	}
	return lines
}

func TestAThrottleOfTwoHoursCostsFewLinesAndNoAttempts(t *testing.T) {
	for name, wait := range map[string]time.Duration{"of unsaid length": 0, "said to be short each time": time.Second} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, map[string]Account{"shop": quick(), "club": quick()})
				var stages []ThrottleStage
				w.options.Throttling = func(s Throttling) { stages = append(stages, s.Stage) }
				p := &strict{wait: wait}
				p.closed.Store(true)
				w.platforms["shop"].answer = p.answer
				w.say("shop", crowd(1000)...)
				w.start()
				defer w.stop()
				after(2 * time.Hour)
				requests := len(w.platforms["shop"].tasks())
				if requests > 16+8+60 {
					t.Errorf("%d requests in two hours, want those in flight at first and a probe now and then", requests)
				}
				for i := range 1000 {
					if p := w.wantState(fmt.Sprint("t", i), "waiting"); p.Attempts != 0 {
						t.Fatalf("t%d was charged %d attempts", i, p.Attempts)
					}
				}
				if n := w.log.count("\n"); n > 6 {
					t.Errorf("%d lines in two hours, want one when it begins, one when it gets bad, one each half hour", n)
				}
				if _, n := w.outbox.learned("shop"); n > 80 {
					t.Errorf("%d notes for %d requests", n, requests)
				}
				if got := w.egress.Paces()["shop"]; got.State != PaceProbing || got.Pace != 1./16 || got.By != pace.ByPlatform ||
					got.WaitsFor != "platform asks to wait: too often" || got.Refused < 10 {
					t.Errorf("shown: %+v", got)
				}
				w.wantPace("club", Pace{Pace: 1, State: PaceFree})
				w.say("club", "push c x")
				after(0)
				w.wantState("x", "sent")

				p.closed.Store(false)
				after(5 * time.Minute)
				if n := w.log.count("platform serves the account again"); n != 1 {
					t.Errorf("%d lines say that it goes on, want 1", n)
				}
				after(2 * time.Hour)
				for i := range 1000 {
					w.wantState(fmt.Sprint("t", i), "sent")
				}
				w.say("shop", "push z z")
				after(0)
				w.wantPace("shop", Pace{Pace: 1, State: PaceFree})
				if !slices.Equal(stages, []ThrottleStage{ThrottleBegan, ThrottleProbing, ThrottleOver}) {
					t.Errorf("told of %v", stages)
				}
				if n := w.log.count("platform lets the account send as before"); n != 1 {
					t.Errorf("%d lines say that it is over, want 1", n)
				}
			})
		})
	}
}

// A pace of sixty a minute is halved by one refusal and grows back in five steps
// of half a minute.
func TestALoweredPaceIsShownAndRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Rate = perMinute(60) })))
		p := &strict{wait: 10 * time.Second}
		p.closed.Store(true)
		w.platforms["shop"].answer = p.answer
		w.say("shop", crowd(1000)...)
		w.start()
		defer w.stop()
		after(0)
		until := time.Now().Add(10 * time.Second)
		w.wantPace("shop", Pace{Pace: 0.5, State: PaceWaiting, By: pace.ByPlatform, WaitsFor: "platform asks to wait: too often", Until: until, Refused: 1})
		p.closed.Store(false)
		after(10 * time.Second)
		requests := func() int { return len(w.platforms["shop"].tasks()) }
		before := requests()
		after(20 * time.Second)
		if n := requests() - before; n != 10 {
			t.Errorf("%d in 20 s, want 10: half of sixty a minute", n)
		}
		w.wantPace("shop", Pace{Pace: 0.5, State: PaceSlowed, By: pace.ByPlatform, WaitsFor: limitOf(pace.ByPlatform)})
		after(5*30*time.Second - 20*time.Second - time.Second)
		if got := w.egress.Paces()["shop"]; got.Pace != 0.9 {
			t.Errorf("shortly before the end: %+v", got)
		}
		after(10 * time.Second)
		w.wantPace("shop", Pace{Pace: 1, State: PaceFree, By: pace.ByAccount, WaitsFor: limitOf(pace.ByAccount)})
		before = requests()
		after(20 * time.Second)
		if n := requests() - before; n != 20 {
			t.Errorf("%d in 20 s after the recovery, want 20", n)
		}
		note, n := w.outbox.learned("shop")
		if note != "" {
			t.Errorf("a note is left: %s", note)
		}
		if n > 8 {
			t.Errorf("%d notes, want one for each turn", n)
		}
	})
}

func TestRequestsInFlightToldOffTogetherHalveOnceAndFewerFollow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		p := &strict{wait: time.Minute}
		p.closed.Store(true)
		platform := w.platforms["shop"]
		platform.answer = p.answer
		var n atomic.Int64
		platform.latency = func(*engine.Command) time.Duration {
			if p.closed.Load() {
				return time.Second + time.Duration(n.Add(1))*100*time.Millisecond
			}
			return 10 * time.Second
		}
		w.outbox.disk = 50 * time.Millisecond // so that more is marked than can leave
		w.say("shop", crowd(200)...)
		w.start()
		defer w.stop()
		after(5 * time.Second)
		if got := w.egress.Paces()["shop"]; got.Pace != 0.5 || got.Refused != 1 {
			t.Errorf("after 16 refusals: %+v, want one that counts", got)
		}
		p.closed.Store(false)
		platform.mu.Lock()
		platform.most = 0
		platform.mu.Unlock()
		after(80 * time.Second)
		platform.mu.Lock()
		defer platform.mu.Unlock()
		if platform.most > 8 || platform.most < 5 {
			t.Errorf("%d on the wire at half the pace, want 8 at most", platform.most)
		}
	})
}

func TestARestartInTheMiddleOfAThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, map[string]Account{"shop": quick(), "club": quick()})
		p := &strict{wait: time.Hour}
		p.closed.Store(true)
		w.platforms["shop"].answer = p.answer
		w.say("shop", crowd(100)...)
		w.start()
		after(30 * time.Minute)
		w.stop()
		requests := len(w.platforms["shop"].tasks())
		var stages []ThrottleStage
		w.options.Throttling = func(s Throttling) { stages = append(stages, s.Stage) }
		for range 5 { // and again and again
			w.start()
			w.say("club", "push c x")
			after(time.Second)
			w.stop()
		}
		if n := len(w.platforms["shop"].tasks()) - requests; n != 0 {
			t.Errorf("%d requests during the hour that the platform asked for", n)
		}
		w.wantState("x", "sent")
		p.closed.Store(false)
		w.start()
		defer w.stop()
		after(time.Second)
		if got := w.egress.Paces()["shop"]; got.Pace != 0.5 || got.State != PaceWaiting || got.WaitsFor != "platform asks to wait: too often" {
			t.Errorf("after the restart: %+v", got)
		}
		after(30 * time.Minute)
		first := w.platforms["shop"].requests[requests].at
		if first < time.Hour || first > time.Hour+time.Second {
			t.Errorf("the next request came after %v, want when the hour was over", first)
		}
		after(time.Hour)
		w.say("shop", "push z z")
		after(0)
		if !slices.Equal(stages, []ThrottleStage{ThrottleOver}) {
			t.Errorf("told of %v, want the end alone: that it began was told before", stages)
		}
	})
}

func TestARestartWithAnOpenBreakerSendsOneProbe(t *testing.T) {
	for class, why := range map[channel.Class]string{
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
				w.platforms["shop"].latency = func(*engine.Command) time.Duration { return time.Second }
				w.say("shop", crowd(100)...)
				w.start()
				after(20 * time.Minute)
				w.stop()
				before := len(w.platforms["shop"].tasks())
				w.start()
				defer w.stop()
				after(0)
				if got := w.egress.Held()["shop"]; got != why {
					t.Errorf("held because of %q, want %q", got, why)
				}
				after(500 * time.Millisecond)
				if n := len(w.platforms["shop"].tasks()) - before; n > 1 {
					t.Errorf("%d requests at once after the restart, want a probe at most", n)
				}
				well.Store(true)
				after(20 * time.Minute)
				for i := range 100 {
					w.wantState(fmt.Sprint("t", i), "sent")
				}
				if got := w.egress.Held(); len(got) != 0 {
					t.Errorf("held at the end: %v", got)
				}
			})
		})
	}
}

func TestAReloadKeepsWhatThePlatformWants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		p := &strict{wait: time.Hour}
		p.closed.Store(true)
		w.platforms["shop"].answer = p.answer
		w.say("shop", crowd(100)...)
		w.start()
		defer w.stop()
		after(time.Minute)
		requests := len(w.platforms["shop"].tasks())
		shown := w.egress.Paces()["shop"]
		w.egress.Reconfigure(nil, engine.Rate{}) // it leaves the configuration and comes back
		after(time.Minute)
		w.egress.Reconfigure(w.options.Accounts, engine.Rate{})
		after(57 * time.Minute)
		if n := len(w.platforms["shop"].tasks()) - requests; n != 0 {
			t.Errorf("%d requests after the reload", n)
		}
		w.wantPace("shop", shown)
	})
}

func TestAWaitBeyondBeliefIsAskedAboutAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		p := &strict{wait: 365 * 24 * time.Hour}
		p.closed.Store(true)
		w.platforms["shop"].answer = p.answer
		w.say("shop", "push c x")
		w.start()
		defer w.stop()
		after(time.Hour - time.Second)
		if n := len(w.platforms["shop"].tasks()); n != 1 {
			t.Errorf("%d requests in the first hour, want 1", n)
		}
		p.closed.Store(false)
		after(time.Second)
		w.wantState("x", "sent")
		if n := w.log.count("longer than a day"); n != 1 {
			t.Errorf("%d lines about it, want 1", n)
		}
	})
}

func TestANoteThatWasNotStoredIsWrittenWithTheNextSettlement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 2 })))
		p := &strict{wait: time.Minute}
		p.closed.Store(true)
		w.platforms["shop"].answer = p.answer
		w.platforms["shop"].latency = func(c *engine.Command) time.Duration {
			return map[string]time.Duration{"1": time.Second, "2": 1500 * time.Millisecond}[c.TaskID]
		}
		var lost atomic.Bool
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "settle" && lost.CompareAndSwap(false, true) {
				return store.ErrGone // a person was faster
			}
			return nil
		}
		w.say("shop", "push c 1", "push d 2")
		w.start()
		defer w.stop()
		after(1200 * time.Millisecond)
		if _, n := w.outbox.learned("shop"); !lost.Load() || n != 0 {
			t.Fatal("the first note was stored; the test shows nothing")
		}
		after(800 * time.Millisecond) // the second refusal changes nothing by itself
		var note paceNote
		value, _ := w.outbox.learned("shop")
		if err := json.Unmarshal([]byte(value), &note); err != nil || note.Level != 40 {
			t.Errorf("note %+v, %v; want half the pace", note, err)
		}
	})
}

// A crash between the refusal and its settlement forgets the refusal, and loses
// and repeats nothing: the mark tells the next start what was on its way.
func TestAStoreThatFailsAtTheRefusalForgetsItAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits.Parallel = 1 })))
		p := &strict{wait: time.Minute}
		p.closed.Store(true)
		w.platforms["shop"].answer = p.answer
		w.outbox.fault = func(act string, _ uint64) error {
			if act == "settle" {
				return fmt.Errorf("disk: %w", store.ErrFailed)
			}
			return nil
		}
		w.say("shop", "push c 1", "push c 2")
		w.start()
		after(time.Second)
		if err := w.end(); !errors.Is(err, store.ErrFailed) {
			t.Fatalf("Run ended with %v", err)
		}
		w.outbox.fault = nil
		p.closed.Store(false)
		w.start()
		defer w.stop()
		after(time.Minute)
		w.wantTasks("shop", "1", "1", "2")
	})
}

func TestANoteThatCannotBeReadIsNone(t *testing.T) {
	for name, note := range map[string]string{"garbage": "{", "another shape": `{"level":"half"}`, "unreadable": "-"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(quick()))
				w.outbox.notes["shop "+paceKey] = note
				if note == "-" {
					w.outbox.fault = func(act string, _ uint64) error {
						if act == "recall" {
							return errors.New("bad page")
						}
						return nil
					}
				}
				w.say("shop", "push c x")
				w.start()
				defer w.stop()
				after(time.Second)
				w.wantState("x", "sent")
				if w.log.count("cannot be read") != 1 {
					t.Error("nobody was told")
				}
			})
		})
	}
}

func FuzzRecall(f *testing.F) {
	for _, note := range []string{"", "{", `{"level":40,"base":10,"refused":3,"until":"2026-03-02T09:00:00Z"}`,
		`{"level":-1,"base":1e308}`, `{"unreachable":true,"down":"x"}`, `{"until":"9999-12-31T23:59:59Z"}`} {
		f.Add(note)
	}
	f.Fuzz(func(t *testing.T, note string) {
		o := newOwner(t.Context(), New(Options{Recall: func(string, string) (string, error) { return note, nil }}))
		defer o.endGrace()
		at := o.now()
		a := o.account("shop", at)
		if wait, by := a.pacer.Wait(at.mono); wait > channel.MaxRest {
			t.Errorf("a note holds the account for %v by %s", wait, by)
		}
		if n := a.pacer.Parallel(); n < 1 {
			t.Errorf("a note leaves %d slots", n)
		}
		if s := a.pacer.Status(); s.Share <= 0 || s.Share > 1 {
			t.Errorf("a note leaves %v of the pace", s.Share)
		}
	})
}

// A clock that was set back must not make of an hour a year.
func TestANoteOfAnotherCalendarHoldsForAnHourAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.outbox.notes["shop "+paceKey] = fmt.Sprintf(`{"level":40,"base":10,"refused":1,"until":%q}`, time.Now().AddDate(30, 0, 0).Format(time.RFC3339))
		w.say("shop", "push c x")
		w.start()
		defer w.stop()
		after(time.Hour - time.Second)
		w.wantState("x", "waiting")
		after(time.Second)
		w.wantState("x", "sent")
	})
}

func TestWhoseLimitACommandWaitsForIsShown(t *testing.T) {
	for _, tt := range []struct {
		name   string
		limits pace.Limits
		global engine.Rate
		want   pace.By
	}{
		{"nobody's", pace.Limits{Parallel: 16}, engine.Rate{}, ""},
		{"the account's", pace.Limits{Rate: perMinute(1)}, engine.Rate{}, pace.ByAccount},
		{"the gap's", pace.Limits{Gap: engine.Range{Min: time.Minute, Max: time.Minute}}, engine.Rate{}, pace.ByGap},
		{"that of all accounts", pace.Limits{Parallel: 16}, perMinute(1), pace.ByGlobal},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, shop(accountWith(func(a *Account) { a.Limits = tt.limits })))
				w.options.Global = tt.global
				w.say("shop", "push c 1", "push d 2")
				w.start()
				defer w.stop()
				after(time.Second)
				w.wantPace("shop", Pace{Pace: 1, State: PaceFree, By: tt.want, WaitsFor: limitOf(tt.want)})
				after(time.Minute)
				w.wantPace("shop", Pace{Pace: 1, State: PaceFree})
			})
		})
	}
}

// Notes hold the platform's words, which adapters bound and clean.
func TestTheNoteIsSmall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, shop(quick()))
		w.platforms["shop"].answer = func(*engine.Command) error {
			return &channel.SendError{Class: channel.Throttled, Note: strings.Repeat("慢", 200)}
		}
		w.say("shop", "push c x")
		w.start()
		defer w.stop()
		after(0)
		note, _ := w.outbox.learned("shop")
		if n := len(note); n == 0 || n > 1200 {
			t.Errorf("a note of %d bytes", n)
		}
	})
}
