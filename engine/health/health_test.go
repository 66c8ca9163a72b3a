package health

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/hours"
)

// notes is a store of notes.
type notes struct {
	mu     sync.Mutex
	all    map[string]string
	writes int
	err    error
}

func (n *notes) Recall(account, key string) (string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.all[account+" "+key], n.err
}

func (n *notes) Remember(_ context.Context, account string, notes []engine.Note) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.writes++
	if n.err != nil {
		return n.err
	}
	if n.all == nil {
		n.all = make(map[string]string)
	}
	for _, note := range notes {
		n.all[account+" "+note.Key] = note.Value
	}
	return nil
}

func (n *notes) fails(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.err = err
}

// life is a board that runs.
func life(t *testing.T, store *notes, story func(b *Board)) {
	t.Helper()
	b := New(store, time.Now, slog.New(slog.DiscardHandler))
	if err := b.Recover("shop"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- b.Run(ctx) }()
	story(b)
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func berlin(t *testing.T) *time.Location {
	l, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// until sleeps until a moment in Berlin.
func until(t *testing.T, at string) {
	t.Helper()
	m, err := time.ParseInLocation("2006-01-02 15:04", at, berlin(t))
	if err != nil {
		t.Fatal(err)
	}
	if m.Before(time.Now()) {
		t.Fatalf("%v is over", m)
	}
	time.Sleep(time.Until(m))
	synctest.Wait()
}

func office(t *testing.T) Watch {
	var l hours.Line
	if err := l.UnmarshalText([]byte("mon-fri 09:00-18:00")); err != nil {
		t.Fatal(err)
	}
	return Watch{Silence: 2 * time.Hour, Hours: hours.Times{l}, Location: berlin(t)}
}

func TestSilenceCountsWithinTheHoursOnly(t *testing.T) {
	for _, tt := range []struct {
		name              string
		last              string // callback
		quiet, told, past string // not yet; told; no more, for it is closed
	}{
		{"on one day", "2026-03-02 10:00", "2026-03-02 11:59", "2026-03-02 12:00", "2026-03-02 18:00"},
		{"across a night", "2026-03-02 17:00", "2026-03-03 09:59", "2026-03-03 10:00", "2026-03-03 18:00"},
		{"across a weekend", "2026-03-06 17:30", "2026-03-09 10:29", "2026-03-09 10:30", "2026-03-09 18:00"},
		{"after a callback at night", "2026-03-03 02:00", "2026-03-03 10:59", "2026-03-03 11:00", "2026-03-03 19:00"},
		{"across the night in which the clock is put on", "2026-03-27 17:00", "2026-03-30 09:59", "2026-03-30 10:00", "2026-03-30 18:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				until(t, tt.last)
				life(t, &notes{}, func(b *Board) {
					w := office(t)
					b.Called("shop")
					if until(t, tt.quiet); b.Silent("shop", w).TooLong {
						t.Errorf("at %s: silent after %v", tt.quiet, b.Silent("shop", w).For)
					}
					if until(t, tt.told); !b.Silent("shop", w).TooLong || b.Row("shop", "", w).Health != Quiet {
						t.Errorf("at %s: not silent after %v", tt.told, b.Silent("shop", w).For)
					}
					if until(t, tt.past); b.Silent("shop", w).TooLong {
						t.Errorf("at %s: told outside of the hours", tt.past)
					}
					b.Called("shop")
					if b.Silent("shop", w).For != 0 {
						t.Error("a callback does not end it")
					}
				})
			})
		})
	}
}

func TestSilenceIsMeasuredAcrossRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, w := &notes{}, office(t)
		until(t, "2026-03-02 10:00")
		life(t, store, func(b *Board) {
			b.Called("shop")
			until(t, "2026-03-02 11:00")
		})
		life(t, store, func(b *Board) {
			until(t, "2026-03-02 11:59")
			if b.Silent("shop", w).TooLong {
				t.Error("too early")
			}
			if until(t, "2026-03-02 12:00"); !b.Silent("shop", w).TooLong {
				t.Error("the first life is forgotten")
			}
		})
		until(t, "2026-03-03 15:00")
		life(t, store, func(b *Board) {
			if b.Silent("shop", w).TooLong {
				t.Error("told at the start, when no callback could come before")
			}
			if time.Sleep(settling); !b.Silent("shop", w).TooLong {
				t.Error("not told")
			}
		})
	})
}

func TestAnAccountThatWasNeverCalledIsSilentToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		until(t, "2026-03-02 09:30")
		life(t, &notes{}, func(b *Board) {
			if until(t, "2026-03-02 11:30"); !b.Silent("shop", office(t)).TooLong {
				t.Error("not told")
			}
		})
	})
}

func TestTheLastCallbackIsWrittenNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &notes{}
		life(t, store, func(b *Board) {
			for range 3600 { // an hour of callbacks
				b.Called("shop")
				time.Sleep(time.Second)
			}
			time.Sleep(24 * time.Hour) // and a day without
		})
		if store.writes != 12 {
			t.Errorf("written %d times", store.writes)
		}
	})
}

func TestAStoreThatIsFullCostsTheNoteOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &notes{}
		life(t, store, func(b *Board) {
			store.fails(errors.New("full"))
			b.Called("shop")
			time.Sleep(time.Hour)
			store.fails(nil)
			time.Sleep(2 * keepEvery)
			if at, _ := store.Recall("shop", callbackKey); at == "" {
				t.Error("not tried again")
			}
		})
	})
}

func TestHealthIsReadFromTheEvidence(t *testing.T) {
	for _, tt := range []struct {
		name string
		held string
		seen func(b *Board)
		want string
	}{
		{"nothing was seen", "", func(*Board) {}, Unknown},
		{"a stranger's call says nothing", "", func(b *Board) { b.Refused("shop", "signature") }, Unknown},
		{"it is called", "", func(b *Board) { b.Called("shop") }, OK},
		{"it sends", "", func(b *Board) { b.Sent("shop") }, OK},
		{"its platform fails", "", func(b *Board) { b.Sent("shop"); b.Failed("shop", "transient", "500", false) }, Failing},
		{"and works again", "", func(b *Board) { b.Failed("shop", "transient", "500", false); b.Sent("shop") }, OK},
		{"a command was wrong", "", func(b *Board) { b.Sent("shop"); b.Failed("shop", "permanent", "no such user", true) }, OK},
		{"it is paused", "paused: by wang", func(b *Board) { b.Failed("shop", "transient", "500", false) }, Held},
		{"it is offline", "offline: kicked", func(b *Board) { b.Offline("shop", "kicked") }, Offline},
		{"it is back", "", func(b *Board) { b.Called("shop"); b.Offline("shop", "kicked"); b.Online("shop") }, OK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := New(&notes{}, time.Now, slog.New(slog.DiscardHandler))
			tt.seen(b)
			if got := b.Row("shop", tt.held, Watch{}); got.Health != tt.want {
				t.Errorf("%s, want %s: %+v", got.Health, tt.want, got)
			}
		})
	}
}

func TestARowShowsTheEvidence(t *testing.T) {
	b := New(&notes{}, time.Now, slog.New(slog.DiscardHandler))
	b.Refused("shop", "timestamp")
	b.Failed("shop", "halted", "not logged in", false)
	b.Offline("shop", "kicked")
	b.Offline("shop", "kicked again")
	b.Probed("shop", "offline", "scan the code")
	r := b.Row("shop", "", Watch{})
	if r.LastRefused.Class != "timestamp" || r.LastError.Note != "not logged in" || r.Offline.Note != "kicked again" || r.LastProbe.Note != "scan the code" {
		t.Errorf("%+v", r)
	}
	if !b.Online("shop") || b.Online("shop") || b.Row("shop", "", Watch{}).LastOnline.IsZero() {
		t.Error("the return is not noted once")
	}
}

func BenchmarkCalled(b *testing.B) {
	board := New(&notes{}, time.Now, slog.New(slog.DiscardHandler))
	for b.Loop() {
		board.Called("shop")
	}
}
