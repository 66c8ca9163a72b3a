package skills

import (
	"bot/engine"
	"bot/skills/match"
	"bot/skills/timed"
)

// timer is a schedule and the skill that its events are for. No rule chooses it,
// and it answers nothing else.
type timer struct {
	schedule engine.Schedule
	entry    *entry
}

// schedules builds the [[schedule]] sections.
func (b *builder) schedules() {
	first := make(map[string]*entry)
	for _, s := range b.opts.Schedules {
		d := b.draft(s)
		schedule, skill := timed.New(d)
		b.accounts(d)
		e := &entry{skill: skill, run: skill, kind: timed.Kind, draft: d, location: b.opts.Location}
		if earlier := first[d.Name]; earlier != nil && schedule.Name != "" {
			d.Problem("name", "the name %q is taken by the schedule at %s", schedule.Name, earlier.draft.At("name"))
		} else {
			first[d.Name] = e
		}
		b.problems = append(b.problems, d.Err())
		b.timers = append(b.timers, timer{schedule, e})
	}
}

// due chooses the skill of the schedule that an event is of. One that a reload
// took away meanwhile is not done any more.
func (s *Set) due(e *engine.Event) []engine.Choice {
	if e.Kind != engine.Due {
		return nil
	}
	for _, t := range s.timers {
		if t.schedule.Name != e.Receiver || !t.schedule.Enabled {
			continue
		}
		c := t.entry.choice(match.Hit{})
		c.Why = "its time has come"
		return []engine.Choice{c}
	}
	return nil
}

// Schedules are those of the configuration, disabled ones included, in the order
// of the files.
func (s *Set) Schedules() []engine.Schedule {
	all := make([]engine.Schedule, len(s.timers))
	for i, t := range s.timers {
		all[i] = t.schedule
	}
	return all
}
