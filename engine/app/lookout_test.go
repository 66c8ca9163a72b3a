package app

import (
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"bot/engine/alert"
	"bot/engine/config"
	"bot/engine/metrics"
	"bot/store"
)

// clocked is a store of which only the clock is asked.
type clocked struct {
	store.Store
	now time.Time
}

func (c *clocked) Now() time.Time { return c.now }

// looking is a lookout over an engine that does not run.
func looking() (*lookout, *clocked) {
	c := &clocked{now: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)}
	cfg := &config.Config{}
	cfg.Store.MinFree = 100 << 20
	a := &App{o: Options{Log: slog.New(slog.DiscardHandler)}, metrics: metrics.New(), store: c}
	a.live.Store(&Plan{Config: cfg})
	a.desk = a.newDesk()
	return &lookout{app: a, going: make(map[string]bool)}, c
}

// ongoing is what the desk knows to go on.
func (l *lookout) ongoing() (all []string) {
	for _, o := range l.app.desk.Ongoing() {
		all = append(all, fmt.Sprint(o.Kind, " ", o.Account, " ", o.Text))
	}
	slices.Sort(all)
	return all
}

func TestADiskThatFillsUpIsToldBeforeItIsFull(t *testing.T) {
	l, _ := looking()
	const mib = 1 << 20
	for i, step := range []struct {
		room int64
		full bool // something was refused
		want []string
	}{
		{0, false, nil}, // nobody knows
		{250 * mib, false, nil},
		{199 * mib, false, []string{"disk  199MiB left; below 100MiB callbacks are refused"}},
		{250 * mib, false, []string{"disk  199MiB left; below 100MiB callbacks are refused"}}, // not yet
		{301 * mib, false, nil},
		{0, true, []string{"disk  callbacks are being refused: "}},
		{0, false, nil},
	} {
		l.app.room.full.Store(step.full)
		l.disk(store.Stats{RoomBytes: step.room})
		if got := l.ongoing(); !slices.Equal(got, step.want) {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
}

func TestABacklogIsToldAndItsEnd(t *testing.T) {
	l, c := looking()
	for i, step := range []struct {
		age  time.Duration
		want []string
	}{
		{59 * time.Second, nil},
		{61 * time.Second, []string{"backlog  7 wait, the first for 1m1s"}},
		{40 * time.Second, []string{"backlog  7 wait, the first for 1m1s"}},
		{29 * time.Second, nil},
	} {
		l.backlog(store.Stats{Events: 7, OldestEvent: c.now.Add(-step.age)}, time.Minute)
		if got := l.ongoing(); !slices.Equal(got, step.want) {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	l.backlog(store.Stats{}, time.Minute)
	if got := l.ongoing(); got != nil {
		t.Errorf("an empty log: %q", got)
	}
}

func TestDoubtsAreToldOnceAndWhenTheyAreOver(t *testing.T) {
	l, _ := looking()
	l.inDoubt(store.Stats{InDoubt: 3}) // found at the start
	l.inDoubt(store.Stats{InDoubt: 3})
	if got, want := l.ongoing(), []string{"in_doubt  3 wait for a person"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	l.app.trouble.doubt("shop")
	l.app.desk.Raise(alert.Alert{Kind: alert.InDoubt, Account: "shop", Text: "t"})
	l.inDoubt(store.Stats{InDoubt: 4})
	if got := l.ongoing(); len(got) != 2 {
		t.Errorf("%q", got)
	}
	l.inDoubt(store.Stats{})
	if got := l.ongoing(); got != nil {
		t.Errorf("after the last: %q", got)
	}
}
