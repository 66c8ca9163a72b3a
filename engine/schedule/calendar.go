package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"bot/engine"
	"bot/store"
)

// CalendarOptions is what a Calendar needs. Store, Window and Raised are required.
type CalendarOptions struct {
	Store interface {
		AppendPage(ctx context.Context, events []*engine.Event, window time.Duration, account string, notes []engine.Note) (store.Appended, error)
		Remember(ctx context.Context, account string, notes []engine.Note) error
		Recollect(account, prefix, after string, limit int) ([]engine.Note, error)
		Now() time.Time
	}
	Window func() time.Duration // of dedup
	Raised func(events int)     // events were put into the log
	Every  time.Duration        // between two looks at the clock; default 1 s
	Log    *slog.Logger         // default: none
}

// Calendar puts what is due by the schedules of the configuration into the log.
// When each comes next is a note in the store, which one act replaces together with
// logging the event: a crash leaves both or neither, and the event's own identity
// guards what a clock that jumps back might repeat.
//
// Make it with NewCalendar, run it once. Set and Stands may be called by any goroutine.
type Calendar struct {
	o CalendarOptions

	mu      sync.Mutex
	plan    []engine.Schedule
	version int              // of the plan
	settled int              // the version that was compared with the notes last
	known   map[string]Stand // by name, since then
}

// Stand is where a schedule stands: what its note says.
type Stand struct {
	When string    `json:"when"`          // engine.Schedule.When
	Next time.Time `json:"next,omitzero"` // zero: it never comes any more
	// Last is when the run was due that was put into the log last.
	Last time.Time `json:"last,omitzero"`
}

// Notes belong to the engine and to no account, so that a schedule may move from
// one to another.
const (
	owner   = ""
	noteKey = "schedule/"
)

// tolerance is how late a run may be without having been missed: a restart or a
// disk that is slow is no reason to leave one out.
const tolerance = time.Minute

// NewCalendar fills in the defaults.
func NewCalendar(o CalendarOptions) *Calendar {
	if o.Every == 0 {
		o.Every = time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Calendar{o: o}
}

// Set replaces the schedules. Those that are new, or whose times were changed,
// come at their next time from now on, those that are as they were go on, and the
// others are forgotten. It takes effect at the next look.
func (c *Calendar) Set(plan []engine.Schedule) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plan = plan
	c.version++
}

// Stands returns where the schedules stand, by their names. Disabled ones have none,
// and all have none until the first look.
func (c *Calendar) Stands() map[string]Stand {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.known)
}

// Run works until ctx is done or the store has failed. A store without room is
// asked again: what is due waits.
func (c *Calendar) Run(ctx context.Context) error {
	tick := time.NewTicker(c.o.Every)
	defer tick.Stop()
	for {
		switch err := c.look(ctx); {
		case err == nil, ctx.Err() != nil:
		case errors.Is(err, store.ErrFull):
			c.o.Log.Warn("no room to record what is due; trying again", "error", err)
		default:
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// look compares the clock with what comes next. It is called by Run alone, so
// nobody else writes the notes.
func (c *Calendar) look(ctx context.Context) error {
	c.mu.Lock()
	plan, version, known, fresh := c.plan, c.version, c.known, c.version != c.settled
	c.mu.Unlock()
	if fresh {
		var err error
		if known, err = c.settle(ctx, plan); err != nil {
			return err
		}
		c.mu.Lock()
		c.known, c.settled = known, version
		c.mu.Unlock()
	}
	for i := range plan {
		s := &plan[i]
		if stand, ok := known[s.Name]; ok && due(stand, c.o.Store.Now()) {
			if err := c.fire(ctx, s, stand); err != nil {
				return err
			}
		}
	}
	return nil
}

func due(s Stand, now time.Time) bool { return !s.Next.IsZero() && !s.Next.After(now) }

// settle brings the notes in line with the plan, in one act.
func (c *Calendar) settle(ctx context.Context, plan []engine.Schedule) (map[string]Stand, error) {
	noted, err := c.noted()
	if err != nil {
		return nil, err
	}
	now, known := c.o.Store.Now(), make(map[string]Stand)
	var changed []engine.Note
	for i := range plan {
		s := &plan[i]
		if !s.Enabled {
			continue
		}
		stand, there := noted[s.Name]
		delete(noted, s.Name)
		if !there || stand.When != s.When {
			stand = Stand{When: s.When, Next: s.Next(now), Last: stand.Last}
			changed = append(changed, note(s.Name, stand))
		}
		known[s.Name] = stand
	}
	for name := range noted {
		changed = append(changed, engine.Note{Key: noteKey + name})
	}
	if len(changed) > 0 {
		if err := c.o.Store.Remember(ctx, owner, changed); err != nil {
			return nil, fmt.Errorf("remember schedules: %w", err)
		}
	}
	return known, nil
}

// noted reads all notes.
func (c *Calendar) noted() (map[string]Stand, error) {
	const page = 500
	all, after := make(map[string]Stand), ""
	for {
		notes, err := c.o.Store.Recollect(owner, noteKey, after, page)
		if err != nil {
			return nil, fmt.Errorf("look up schedules: %w", err)
		}
		for _, n := range notes {
			var s Stand
			if err := json.Unmarshal([]byte(n.Value), &s); err != nil {
				c.o.Log.Error("the note of a schedule cannot be read and counts as forgotten", "note", n.Key, "error", err)
			}
			all[n.Key[len(noteKey):]], after = s, n.Key
		}
		if len(notes) < page {
			return all, nil
		}
	}
}

func note(name string, s Stand) engine.Note {
	value, err := json.Marshal(s)
	if err != nil {
		panic(err) // a time of a year beyond 9999, which no schedule has
	}
	return engine.Note{Key: noteKey + name, Value: string(value)}
}

// fire logs a run that is due and says in the same act when the next one is, which
// makes one of all that were missed, or none.
func (c *Calendar) fire(ctx context.Context, s *engine.Schedule, stand Stand) error {
	now := c.o.Store.Now()
	missed := now.Sub(stand.Next) > tolerance
	after := stand
	after.Next = s.Next(now)
	var events []*engine.Event
	if !missed || !s.Skip {
		events = []*engine.Event{s.DueEvent(s.Name+"@"+stand.Next.UTC().Format(time.RFC3339), stand.Next)}
		after.Last = stand.Next
	}
	got, err := c.o.Store.AppendPage(ctx, events, c.o.Window(), owner, []engine.Note{note(s.Name, after)})
	if err != nil {
		return fmt.Errorf("log that schedule %q is due: %w", s.Name, err)
	}
	c.mu.Lock()
	c.known[s.Name] = after
	c.mu.Unlock()
	if missed {
		c.o.Log.Warn("schedule was missed", "schedule", s.Name, "due", stand.Next, "skipped", s.Skip, "next", after.Next)
	}
	for _, duplicate := range got.Duplicate {
		if !duplicate {
			c.o.Raised(1)
		}
	}
	return nil
}
