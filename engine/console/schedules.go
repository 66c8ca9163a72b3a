package console

import (
	"errors"
	"net/http"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/api"
)

// schedule is one as the page shows it.
type schedule struct{ api.Schedule }

// Failed tells whether its latest run was given up.
func (s schedule) Failed() bool { return s.State == engine.RunFailed }

// Last is the latest run that is over, Earlier those before it.
func (s schedule) Last() *engine.Run {
	if len(s.Runs) == 0 {
		return nil
	}
	return &s.Runs[0]
}

// shownRuns are how many runs of each are listed.
const shownRuns = 10

// Earlier are the runs before the last one.
func (s schedule) Earlier() []engine.Run {
	if len(s.Runs) < 2 {
		return nil
	}
	return s.Runs[1:min(len(s.Runs), shownRuns)]
}

// Took is how long a run took.
func (schedule) Took(r engine.Run) time.Duration { return time.Duration(r.TookMS) * time.Millisecond }

// Ended tells that no more times come.
func (s schedule) Ended() bool { return s.Enabled && s.Next.IsZero() }

// schedules shows what failed first, then what comes next; what is disabled comes last.
func (c *console) schedules(*http.Request) (any, error) {
	all, err := c.o.Desk.Schedules()
	if err != nil {
		return nil, err
	}
	shown := make([]schedule, len(all))
	for i, s := range all {
		shown[i] = schedule{s}
	}
	slices.SortStableFunc(shown, func(a, b schedule) int {
		if x, y := a.rank(), b.rank(); x != y {
			return x - y
		}
		return a.Next.Compare(b.Next)
	})
	return shown, nil
}

// rank is where it stands among the others.
func (s schedule) rank() int {
	switch {
	case s.Failed():
		return 0
	case s.Enabled && !s.Next.IsZero():
		return 1
	case s.Enabled:
		return 2
	}
	return 3
}

// scheduleRun has one come now.
func (c *console) scheduleRun(r *http.Request) ([]any, error) {
	name := r.PostFormValue("name")
	err := c.o.Desk.RunSchedule(r.Context(), name)
	if errors.Is(err, api.ErrDisabled) {
		return nil, errors.New(wordsOf(r).T("schedules.off"))
	}
	if err == nil {
		c.o.Log.Info("schedule run by hand", "schedule", name, "by", "console")
	}
	return []any{"said.run", name}, err
}
