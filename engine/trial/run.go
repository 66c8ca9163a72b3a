package trial

import (
	"context"
	"errors"
	"fmt"

	"bot/engine"
	"bot/engine/nearest"
)

// run has a schedule's time come, whatever the clock says.
func (t *Trial) run(ctx context.Context, name string) (Reply, error) {
	if name == "" {
		return Reply{}, errors.New("/run needs the name of a schedule: /run morning")
	}
	var names []string
	for _, s := range t.opts.Schedules {
		if names = append(names, s.Name); s.Name == name {
			return t.due(ctx, &s)
		}
	}
	return Reply{}, fmt.Errorf("/run: there is no schedule %q%s", name, nearest.Hint(name, names))
}

func (t *Trial) due(ctx context.Context, s *engine.Schedule) (Reply, error) {
	if !s.Enabled {
		return Reply{}, fmt.Errorf("/run: the schedule %q is disabled", s.Name)
	}
	t.serial++
	e := s.DueEvent(fmt.Sprintf("trial-%d", t.serial), t.now)
	e.Received = t.now
	return t.play(ctx, e)
}
