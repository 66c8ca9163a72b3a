package boltstore

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// setClock is a wall clock that can be set, over an uptime that cannot.
type setClock struct {
	up  time.Duration
	set time.Duration // by how much it is wrong
}

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func (c *setClock) wall() time.Time       { return noon.Add(c.up + c.set) }
func (c *setClock) uptime() time.Duration { return c.up }

// A clock that was ahead for a moment must not stop what waits for a time.
func TestTimeGoesOnWhileTheWallClockIsBehind(t *testing.T) {
	var s setClock
	var c clock
	c.start(s.wall, s.uptime, time.Time{}, time.Time{})
	s.set = 2 * time.Hour
	c.stamp() // something was stored meanwhile
	s.set = 0
	for _, tt := range []struct{ up, want time.Duration }{
		{0, 2 * time.Hour},
		{2 * time.Second, 2*time.Hour + time.Second},
		{2 * time.Hour, 3 * time.Hour},
		{4 * time.Hour, 4 * time.Hour}, // caught up
		{5 * time.Hour, 5 * time.Hour},
	} {
		s.up = tt.up
		if got := c.Now().Sub(noon); got != tt.want {
			t.Errorf("%v later it is noon and %v, want %v", tt.up, got, tt.want)
		}
		now, _ := c.stamp() // each stamp is a floor of its own
		if got := now.Sub(noon); got != tt.want {
			t.Errorf("%v later %v is stored, want %v", tt.up, got, tt.want)
		}
	}
}

// Only the wall clock makes the time go on where it is not behind.
func TestUptimeAloneMovesNoTime(t *testing.T) {
	var s setClock
	var c clock
	c.start(s.wall, s.uptime, time.Time{}, time.Time{})
	c.stamp()
	s.up, s.set = 300*time.Hour, -300*time.Hour
	if got := c.Now(); !got.Equal(noon) {
		t.Errorf("it is %v, want noon", got)
	}
}

func TestTimeNeverRunsBack(t *testing.T) {
	var s setClock
	var c clock
	c.start(s.wall, s.uptime, time.Time{}, time.Time{})
	var last time.Time
	for i := range 1000 {
		s.up += time.Duration(i%7) * time.Millisecond
		s.set = time.Duration(i*i%11-5) * time.Second
		now := c.Now()
		if i%3 == 0 {
			now, _ = c.stamp()
		}
		if i%3 == 0 && now.Before(last) {
			t.Fatalf("step %d: %v is stored after %v", i, now, last)
		}
		if i%3 == 0 {
			last = now
		}
	}
}

// Whoever looks into the log finds out why times are odd.
func TestAClockThatWasWrongIsToldOf(t *testing.T) {
	var c setClock
	var log bytes.Buffer
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "bot.db"), Now: c.wall, Uptime: c.uptime,
		Log: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	step := func(set, up time.Duration) {
		t.Helper()
		c.set, c.up = set, c.up+up
		if err := s.Remember(context.Background(), "shop", []engine.Note{{Key: "k", Value: "v"}}); err != nil {
			t.Fatal(err)
		}
		c.set = 0
		for range 2 { // once is enough
			if err := s.Sweep(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
	}
	step(30*time.Second, time.Hour)
	step(2*time.Hour, time.Hour)
	step(0, 3*time.Hour)
	step(0, 2*time.Hour)
	if n := strings.Count(log.String(), "is behind times"); n != 1 {
		t.Errorf("%d warnings, want one: %s", n, &log)
	}
	if n := strings.Count(log.String(), "clock has caught up with"); n != 1 {
		t.Errorf("%d times it had caught up, want once: %s", n, &log)
	}
}
