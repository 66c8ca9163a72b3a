package app

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/alert"
	"bot/engine/api"
	"bot/engine/trace"
	"bot/engine/turn"
	"bot/store"
)

// runs is which schedules are at their turn, and when it was due. A schedule
// has one conversation, so one of its runs at a time.
type runs struct {
	mu  sync.Mutex
	due map[string]time.Time
}

func (r *runs) begin(name string, due time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.due == nil {
		r.due = make(map[string]time.Time)
	}
	r.due[name] = due
}

func (r *runs) end(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.due, name)
}

func (r *runs) of(name string) (due time.Time, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	due, ok = r.due[name]
	return due, ok
}

// runBegun notes that a schedule is at its turn.
func (a *App) runBegun(e *engine.Event) {
	if e.Kind == engine.Due {
		a.runs.begin(e.Receiver, e.Time)
	}
}

// runDone counts a run that is committed, and ends the alert of those before it
// that failed.
func (a *App) runDone(e *engine.Event, r turn.Report) {
	if e.Kind != engine.Due {
		return
	}
	a.runs.end(e.Receiver)
	if len(r.Skills) > 0 {
		a.metrics.Runs.WithLabelValues(e.Receiver, string(engine.RunSucceeded)).Inc()
		a.desk.Raise(alert.Alert{Kind: alert.Schedule, Account: e.Account, Subject: e.Receiver, Over: true})
	}
}

// buried remembers that a run failed, beside those that its skill remembers. The
// schedule's next run waits for it. The event is in the dead letters by then,
// so that a process which dies in between, or a disk without room, costs a line of
// the history and no more.
func (a *App) buried(e *engine.Event, tries store.Tries) {
	a.traceEvent(e, trace.Dead, "", tries.Error)
	a.unhandled(e, tries)
	if e.Kind != engine.Due {
		return
	}
	a.runs.end(e.Receiver)
	a.metrics.Runs.WithLabelValues(e.Receiver, string(engine.RunFailed)).Inc()
	for _, s := range a.live.Load().Skills.Schedules() {
		if s.Name != e.Receiver {
			continue
		}
		if err := a.rememberFailed(&s, e, tries); err != nil {
			a.o.Log.Warn("failed run is missing in the schedule's history", "schedule", s.Name, "error", err)
		}
	}
}

func (a *App) rememberFailed(s *engine.Schedule, e *engine.Event, tries store.Tries) error {
	key := turn.SkillKey(s.Skill, engine.RunsKey)
	before, err := a.store.Recall(e.Account, key)
	if err != nil {
		return err
	}
	now := a.store.Now()
	began := tries.First
	if began.IsZero() {
		began = now
	}
	run := engine.Run{Due: e.Time, Began: began, TookMS: now.Sub(began).Milliseconds(), State: engine.RunFailed, Note: tries.Error}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return a.store.Remember(ctx, e.Account, []engine.Note{{Key: key, Value: engine.AddRun(before, run)}})
}

// window is how long the dedup keys of what the engine itself logs are kept.
func (a *App) window() time.Duration { return a.live.Load().Config.Dedup.Window.Std() }

// schedules is what the API shows.
func (a *App) schedules() ([]api.Schedule, error) {
	stands := a.calendar.Stands()
	all := []api.Schedule{}
	for _, s := range a.live.Load().Skills.Schedules() {
		note, err := a.store.Recall(s.Account, turn.SkillKey(s.Skill, engine.RunsKey))
		if err != nil {
			return nil, fmt.Errorf("look up the runs of schedule %q: %w", s.Name, err)
		}
		row := api.Schedule{
			Name: s.Name, Account: s.Account, When: s.When, Does: s.Does, Enabled: s.Enabled,
			Next: stands[s.Name].Next, Runs: append([]engine.Run{}, engine.Runs(note)...),
		}
		row.State, row.Due = a.runState(&s, stands[s.Name].Last, row.Runs)
		all = append(all, row)
	}
	return all, nil
}

// runState is what the latest run has come to, and when it was due. One that was
// logged and is not over is pending, unless it is at its turn.
func (a *App) runState(s *engine.Schedule, logged time.Time, runs []engine.Run) (engine.RunState, time.Time) {
	if due, ok := a.runs.of(s.Name); ok {
		return engine.RunRunning, due
	}
	over := slices.ContainsFunc(runs, func(r engine.Run) bool { return !r.Due.Before(logged) })
	switch {
	case !logged.IsZero() && !over:
		return engine.RunPending, logged
	case len(runs) > 0:
		return runs[0].State, runs[0].Due
	}
	return engine.RunCreated, time.Time{}
}

// runSchedule has a schedule come now, whatever its times.
func (a *App) runSchedule(ctx context.Context, name string) error {
	for _, s := range a.live.Load().Skills.Schedules() {
		switch {
		case s.Name != name:
			continue
		case !s.Enabled:
			return api.ErrDisabled
		}
		now := a.store.Now()
		e := s.DueEvent("operator-"+strconv.FormatInt(now.UnixNano(), 10), now)
		e.Actor = "operator"
		if _, err := a.queue.Append(context.WithoutCancel(ctx), []*engine.Event{e}, a.window()); err != nil {
			return err
		}
		a.metrics.Raised.Inc()
		a.o.Log.Info("schedule run by hand", "schedule", name)
		return nil
	}
	return store.ErrGone
}

// Upcoming is the next times of a schedule.
type Upcoming struct {
	Name    string      `json:"name"`
	When    string      `json:"when"`
	Does    string      `json:"does"`
	Enabled bool        `json:"enabled"`
	Next    []time.Time `json:"next"` // none where it is disabled or over
}

// Upcoming lists the next n times of each schedule after now.
func (p *Plan) Upcoming(now time.Time, n int) []Upcoming {
	all := []Upcoming{}
	for _, s := range p.Skills.Schedules() {
		u := Upcoming{Name: s.Name, When: s.When, Does: s.Does, Enabled: s.Enabled, Next: []time.Time{}}
		for at := s.Next(now); s.Enabled && !at.IsZero() && len(u.Next) < n; at = s.Next(at) {
			u.Next = append(u.Next, at)
		}
		all = append(all, u)
	}
	return all
}
