package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bot/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeStore holds time limits and notes when it was asked for what, on the
// bubble's clock. It ends at most two limits in one act.
type fakeStore struct {
	begin   time.Time
	limits  []time.Duration // after begin, in order
	refuse  func(act string, n int) error
	calls   map[string]int
	history []string
	onFire  func()
}

func newFake(limits ...time.Duration) *fakeStore {
	return &fakeStore{begin: time.Now(), limits: limits, calls: make(map[string]int)}
}

func (f *fakeStore) note(act string) error {
	f.calls[act]++
	if f.refuse == nil {
		return nil
	}
	return f.refuse(act, f.calls[act])
}

func (f *fakeStore) Now() time.Time { return time.Now() }

func (f *fakeStore) NextExpiry() (time.Time, error) {
	if err := f.note("NextExpiry"); err != nil || len(f.limits) == 0 {
		return time.Time{}, err
	}
	return f.begin.Add(f.limits[0]), nil
}

func (f *fakeStore) Fire(ctx context.Context) (events, ended int, more bool, err error) {
	if f.onFire != nil {
		f.onFire()
	}
	if err := cmpErr(ctx.Err(), f.note("Fire")); err != nil {
		return 0, 0, false, err
	}
	for len(f.limits) > 0 && events < 2 && f.begin.Add(f.limits[0]).Before(time.Now()) {
		f.history = append(f.history, fmt.Sprintf("%v ends %v", time.Since(f.begin), f.limits[0]))
		f.limits = f.limits[1:]
		events++
	}
	more = len(f.limits) > 0 && f.begin.Add(f.limits[0]).Before(time.Now())
	return events, 0, more, nil
}

func cmpErr(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func (f *fakeStore) Sweep(ctx context.Context) error {
	if err := cmpErr(ctx.Err(), f.note("Sweep")); err != nil {
		return err
	}
	f.history = append(f.history, fmt.Sprintf("%v sweeps", time.Since(f.begin)))
	return nil
}

// timed runs a schedule on st for so long and returns how many events it told
// of in each call of Fired, its log, and what Run returned.
func timed(t *testing.T, st *fakeStore, d time.Duration) (fired []int, log string, err error) {
	t.Helper()
	var said bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	err = New(Options{
		Store: st, Log: slog.New(slog.NewTextHandler(&said, nil)),
		Fired: func(n int) { fired = append(fired, n) },
	}).Run(ctx)
	return fired, said.String(), err
}

// in runs a test on a clock of its own.
func in(t *testing.T, test func(t *testing.T)) { t.Helper(); synctest.Test(t, test) }

func TestALimitEndsSoonAfterItsTimeAndNotBefore(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake(2500*time.Millisecond, 5*time.Second)
		fired, _, err := timed(t, st, 10*time.Second)
		if err != nil {
			t.Fatal(err)
		}
		// At 5 s exactly the second one is not over yet.
		if want := []string{"0s sweeps", "3s ends 2.5s", "6s ends 5s"}; !slices.Equal(st.history, want) {
			t.Errorf("history %q, want %q", st.history, want)
		}
		if !slices.Equal(fired, []int{1, 1}) || st.calls["Fire"] != 2 {
			t.Errorf("told of %v events by %d acts", fired, st.calls["Fire"])
		}
	})
}

func TestWithNothingDueTheStoreIsNotWrittenTo(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake(time.Hour)
		if fired, _, err := timed(t, st, 30*time.Second); err != nil || len(fired) > 0 {
			t.Fatalf("fired %v, %v", fired, err)
		}
		if st.calls["Fire"] > 0 || st.calls["NextExpiry"] != 29 && st.calls["NextExpiry"] != 30 {
			t.Errorf("calls %v", st.calls)
		}
	})
}

func TestManyThatAreDueEndAtOnce(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake(slices.Repeat([]time.Duration{time.Millisecond}, 7)...)
		fired, _, err := timed(t, st, 1500*time.Millisecond)
		if err != nil || !slices.Equal(fired, []int{2, 2, 2, 1}) {
			t.Errorf("told of %v events at the first look, %v", fired, err)
		}
	})
}

func TestAnActThatPutsNoEventsIntoTheLogTellsNobody(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake(time.Millisecond)
		st.onFire = func() { st.limits = nil } // somebody else was faster
		if fired, _, err := timed(t, st, 5*time.Second); err != nil || len(fired) > 0 {
			t.Errorf("told of %v, %v", fired, err)
		}
	})
}

func TestAFullStoreIsAskedAgainUntilThereIsRoom(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake(500 * time.Millisecond)
		st.refuse = func(act string, n int) error {
			if act == "Fire" && n <= 3 {
				return fmt.Errorf("fire: %w", store.ErrFull)
			}
			return nil
		}
		fired, log, err := timed(t, st, 10*time.Second)
		if err != nil || !slices.Equal(fired, []int{1}) {
			t.Fatalf("told of %v, %v", fired, err)
		}
		if want := []string{"0s sweeps", "4s ends 500ms"}; !slices.Equal(st.history, want) {
			t.Errorf("history %q, want %q", st.history, want)
		}
		if n := strings.Count(log, "level=WARN"); n != 3 {
			t.Errorf("%d warnings: %s", n, log)
		}
	})
}

func TestAFailureEndsTheSchedule(t *testing.T) {
	for _, act := range []string{"Fire", "NextExpiry", "Sweep"} {
		t.Run(act, func(t *testing.T) {
			in(t, func(t *testing.T) {
				st := newFake(time.Millisecond)
				st.refuse = func(a string, _ int) error {
					if a == act {
						return fmt.Errorf("act: %w", store.ErrFailed)
					}
					return nil
				}
				_, _, err := timed(t, st, 10*time.Minute)
				if !errors.Is(err, store.ErrFailed) {
					t.Errorf("ends with %v", err)
				}
				if past := time.Since(st.begin); past > time.Minute {
					t.Errorf("goes on for %v", past)
				}
			})
		})
	}
}

func TestTheStoreIsSweptAtTheStartAndThenEveryMinute(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake()
		if _, _, err := timed(t, st, 24*time.Hour+time.Second); err != nil {
			t.Fatal(err)
		}
		h := st.history
		if len(h) != 1+24*60 || h[0] != "0s sweeps" || h[1] != "1m0s sweeps" || h[1440] != "24h0m0s sweeps" {
			t.Errorf("%d sweeps in a day: %q…, the last %q", len(h), h[:min(2, len(h))], h[len(h)-1])
		}
	})
}

// A process that is restarted more often than it would sweep by itself must not
// let the dedup keys pile up.
func TestShortLivesSweepToo(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake()
		for range 10 {
			if _, _, err := timed(t, st, 50*time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if len(st.history) != 10 {
			t.Errorf("%d sweeps in ten lives: %q", len(st.history), st.history)
		}
	})
}

func TestAFullStoreIsSweptAgain(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake()
		st.refuse = func(act string, n int) error {
			if act == "Sweep" && n == 1 {
				return store.ErrFull
			}
			return nil
		}
		_, _, err := timed(t, st, 90*time.Second)
		if want := []string{"1m0s sweeps"}; err != nil || !slices.Equal(st.history, want) {
			t.Errorf("history %q, %v", st.history, err)
		}
	})
}

func TestAStopBeforeTheStartDoesNothing(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake(-time.Second)
		if fired, _, err := timed(t, st, 0); err != nil || len(fired) > 0 {
			t.Errorf("told of %v, %v", fired, err)
		}
		if st.calls["Fire"]+st.calls["Sweep"] > 0 {
			t.Errorf("calls %v", st.calls)
		}
	})
}

func TestAStopInTheMiddleOfAnActIsNoFailure(t *testing.T) {
	for _, during := range []string{"Fire", "Sweep"} {
		t.Run(during, func(t *testing.T) {
			in(t, func(t *testing.T) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				st := newFake(30 * time.Second)
				st.refuse = func(act string, _ int) error {
					if act != during {
						return nil
					}
					cancel()
					return ctx.Err()
				}
				err := New(Options{Store: st, Log: slog.New(slog.DiscardHandler), Fired: func(int) {}}).Run(ctx)
				if err != nil {
					t.Errorf("ends with %v", err)
				}
			})
		})
	}
}

func TestTheTimesCanBeSet(t *testing.T) {
	in(t, func(t *testing.T) {
		st := newFake(time.Second)
		ctx, cancel := context.WithTimeout(t.Context(), 35*time.Second)
		defer cancel()
		err := New(Options{
			Store: st, Log: slog.New(slog.DiscardHandler), Fired: func(int) {}, Every: 10 * time.Second, Sweep: 15 * time.Second,
		}).Run(ctx)
		if want := []string{"0s sweeps", "10s ends 1s", "15s sweeps", "30s sweeps"}; err != nil || !slices.Equal(st.history, want) {
			t.Errorf("history %q, %v", st.history, err)
		}
	})
}
