package schedule

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/cron"
	"bot/store"
)

// diary is the part of a store that a Calendar needs. Its clock is the bubble's,
// put on or back by skew. What it logged is written down with the time by the
// clock.
type diary struct {
	notes  map[string]string
	keys   map[engine.Key]bool
	skew   atomic.Int64
	logged []string
	refuse func(act string) error
	acts   int
}

func newDiary() *diary {
	return &diary{notes: make(map[string]string), keys: make(map[engine.Key]bool)}
}

func (d *diary) Now() time.Time { return time.Now().Add(time.Duration(d.skew.Load())) }

func (d *diary) Recollect(account, prefix, after string, limit int) (out []engine.Note, err error) {
	for _, k := range slices.Sorted(maps.Keys(d.notes)) {
		if strings.HasPrefix(k, account+prefix) && k > after && len(out) < limit {
			out = append(out, engine.Note{Key: k, Value: d.notes[k]})
		}
	}
	return out, nil
}

func (d *diary) act(name string) error {
	d.acts++
	if d.refuse == nil {
		return nil
	}
	return d.refuse(name)
}

func (d *diary) Remember(_ context.Context, _ string, notes []engine.Note) error {
	if err := d.act("Remember"); err != nil {
		return err
	}
	for _, n := range notes {
		if d.notes[n.Key] = n.Value; n.Value == "" {
			delete(d.notes, n.Key)
		}
	}
	return nil
}

func (d *diary) AppendPage(ctx context.Context, events []*engine.Event, _ time.Duration, account string, notes []engine.Note) (got store.Appended, err error) {
	if err := d.act("AppendPage"); err != nil {
		return got, err
	}
	d.acts--
	for _, e := range events {
		got.Duplicate = append(got.Duplicate, d.keys[e.Key()])
		if !d.keys[e.Key()] {
			d.logged = append(d.logged, fmt.Sprintf("%s due %s at %s", e.Receiver, stamp(e.Time), stamp(d.Now())))
		}
		d.keys[e.Key()] = true
	}
	return got, d.Remember(ctx, account, notes)
}

func stamp(t time.Time) string { return t.UTC().Format("02 15:04:05") }

// at is a schedule of a cron line in UTC.
func at(t *testing.T, name, line string) engine.Schedule {
	t.Helper()
	l, err := cron.Parse(line, time.UTC)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Schedule{Name: name, Enabled: true, Account: "shop", When: line, Next: l.Next}
}

func skipping(s engine.Schedule) engine.Schedule {
	s.Skip = true
	return s
}

// life is one run of a Calendar. Bubbles begin on 2000-01-01 00:00 UTC.
type life struct {
	*Calendar
	raised int
	log    bytes.Buffer
	end    func() error
}

func live(t *testing.T, d *diary, plan ...engine.Schedule) *life {
	l := &life{}
	l.Calendar = NewCalendar(CalendarOptions{
		Store: d, Window: func() time.Duration { return 72 * time.Hour },
		Raised: func(n int) { l.raised += n }, Log: slog.New(slog.NewTextHandler(&l.log, nil)),
	})
	l.Set(plan)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- l.Run(ctx) }()
	l.end = func() error { cancel(); return <-done }
	return l
}

// lived runs one for so long.
func lived(t *testing.T, d *diary, long time.Duration, plan ...engine.Schedule) *life {
	t.Helper()
	l := live(t, d, plan...)
	time.Sleep(long)
	synctest.Wait()
	if err := l.end(); err != nil {
		t.Fatal(err)
	}
	return l
}

func (d *diary) wants(t *testing.T, want ...string) {
	t.Helper()
	if !slices.Equal(d.logged, want) {
		t.Errorf("logged %q, want %q", d.logged, want)
	}
}

func TestASchedulesTimesBecomeEvents(t *testing.T) {
	in(t, func(t *testing.T) {
		d := newDiary()
		l := lived(t, d, 150*time.Minute, at(t, "hourly", "0 * * * *"), at(t, "half", "30 1 * * *"))
		d.wants(t, "hourly due 01 01:00:00 at 01 01:00:00", "half due 01 01:30:00 at 01 01:30:00", "hourly due 01 02:00:00 at 01 02:00:00")
		if l.raised != 3 || l.log.Len() > 0 {
			t.Errorf("raised %d, said %s", l.raised, &l.log)
		}
		want := Stand{"30 1 * * *", time.Date(2000, 1, 2, 1, 30, 0, 0, time.UTC), time.Date(2000, 1, 1, 1, 30, 0, 0, time.UTC)}
		if got := l.Stands()["half"]; got != want {
			t.Errorf("stands at %+v, want %+v", got, want)
		}
	})
}

func TestNothingIsWrittenWhileNothingIsDue(t *testing.T) {
	in(t, func(t *testing.T) {
		d := newDiary()
		lived(t, d, time.Hour-time.Second, at(t, "hourly", "0 * * * *"))
		if d.acts != 1 {
			t.Errorf("%d acts, want one", d.acts)
		}
	})
}

func TestARestartNeitherLosesNorRepeatsARun(t *testing.T) {
	in(t, func(t *testing.T) {
		d := newDiary()
		for range 40 {
			lived(t, d, 7*time.Minute+13*time.Second, at(t, "hourly", "0 * * * *"))
		}
		if len(d.logged) != 4 {
			t.Errorf("logged %q in four hours and 48 minutes", d.logged)
		}
	})
}

func TestAMissedRun(t *testing.T) {
	for _, tt := range []struct {
		name string
		down time.Duration
		skip bool
		want []string
	}{
		{"is made up for by one, however many there were", 5*time.Hour + 10*time.Minute, false,
			[]string{"h due 01 01:00:00 at 01 05:40:00", "h due 01 06:00:00 at 01 06:00:00"}},
		{"is left out where that is wished", 5*time.Hour + 10*time.Minute, true, []string{"h due 01 06:00:00 at 01 06:00:00"}},
		{"is none where it is late by a restart", 30*time.Minute + 40*time.Second, true,
			[]string{"h due 01 01:00:00 at 01 01:00:40", "h due 01 02:00:00 at 01 02:00:00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				d, s := newDiary(), at(t, "h", "0 * * * *")
				s.Skip = tt.skip
				lived(t, d, 30*time.Minute, s)
				time.Sleep(tt.down)
				lived(t, d, time.Hour-time.Second, s)
				d.wants(t, tt.want...)
			})
		})
	}
}

func TestAClockThatJumps(t *testing.T) {
	for _, tt := range []struct {
		name string
		skew time.Duration
		skip bool
		want []string
	}{
		{"back repeats nothing", -2 * time.Hour, false, []string{"h due 01 01:00:00 at 01 01:00:00", "h due 01 02:00:00 at 01 02:00:00"}},
		{"on has missed what it jumped over", 10 * time.Hour, false,
			[]string{"h due 01 01:00:00 at 01 01:00:00", "h due 01 02:00:00 at 01 11:10:01", "h due 01 12:00:00 at 01 12:00:00", "h due 01 13:00:00 at 01 13:00:00", "h due 01 14:00:00 at 01 14:00:00"}},
		{"on leaves it out where that is wished", 10 * time.Hour, true,
			[]string{"h due 01 01:00:00 at 01 01:00:00", "h due 01 12:00:00 at 01 12:00:00", "h due 01 13:00:00 at 01 13:00:00", "h due 01 14:00:00 at 01 14:00:00"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			in(t, func(t *testing.T) {
				d, s := newDiary(), at(t, "h", "0 * * * *")
				s.Skip = tt.skip
				l := live(t, d, s)
				time.Sleep(70 * time.Minute)
				synctest.Wait()
				d.skew.Store(int64(tt.skew))
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				if err := l.end(); err != nil {
					t.Fatal(err)
				}
				d.wants(t, tt.want...)
			})
		})
	}
}

func TestAReload(t *testing.T) {
	in(t, func(t *testing.T) {
		d := newDiary()
		l := live(t, d, at(t, "same", "0 2 * * *"), at(t, "other", "0 1 * * *"), at(t, "gone", "0 2 * * *"), at(t, "off", "0 2 * * *"))
		time.Sleep(90 * time.Minute)
		synctest.Wait()
		off := at(t, "off", "0 2 * * *")
		off.Enabled = false
		l.Set([]engine.Schedule{at(t, "same", "0 2 * * *"), at(t, "other", "45 1 * * *"), off, at(t, "new", "50 1 * * *")})
		time.Sleep(time.Hour)
		synctest.Wait()
		if err := l.end(); err != nil {
			t.Fatal(err)
		}
		d.wants(t, "other due 01 01:00:00 at 01 01:00:00", "other due 01 01:45:00 at 01 01:45:00", "new due 01 01:50:00 at 01 01:50:00", "same due 01 02:00:00 at 01 02:00:00")
		if got := slices.Sorted(maps.Keys(d.notes)); !slices.Equal(got, []string{"schedule/new", "schedule/other", "schedule/same"}) {
			t.Errorf("notes of %q", got)
		}
	})
}

func TestARunWaitsForRoomOnTheDisk(t *testing.T) {
	in(t, func(t *testing.T) {
		d, s := newDiary(), skipping(at(t, "h", "0 1 * * *"))
		full := 30
		d.refuse = func(act string) error {
			if full--; act == "AppendPage" && full > 0 {
				return store.ErrFull
			}
			return nil
		}
		l := lived(t, d, 2*time.Hour, s)
		d.wants(t, "h due 01 01:00:00 at 01 01:00:28")
		if l.raised != 1 || !strings.Contains(l.log.String(), "no room") {
			t.Errorf("raised %d, said %s", l.raised, &l.log)
		}
	})
}

func TestAStoreThatFailedEndsTheCalendar(t *testing.T) {
	in(t, func(t *testing.T) {
		d, broken := newDiary(), errors.New("broken")
		d.refuse = func(string) error { return broken }
		l := live(t, d, at(t, "h", "0 1 * * *"))
		synctest.Wait()
		if err := l.end(); !errors.Is(err, broken) {
			t.Errorf("ends with %v", err)
		}
	})
}

func TestANoteThatCannotBeReadIsAScheduleThatIsNew(t *testing.T) {
	in(t, func(t *testing.T) {
		d := newDiary()
		d.notes["schedule/h"] = "{"
		l := lived(t, d, 90*time.Minute, at(t, "h", "0 * * * *"))
		d.wants(t, "h due 01 01:00:00 at 01 01:00:00")
		if !strings.Contains(l.log.String(), "counts as forgotten") {
			t.Errorf("said %s", &l.log)
		}
	})
}
