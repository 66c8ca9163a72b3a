package skills

import (
	"slices"

	"bot/engine"
)

// Watch implements engine.Watcher: the skills for whose waiting commands the event
// may be what calls them off, whatever rules and states say.
func (s *Set) Watch(e *engine.Event) []engine.Choice {
	var choices []engine.Choice
	for _, entry := range s.later {
		d := entry.draft
		if len(d.Accounts) > 0 && !slices.Contains(d.Accounts, e.Account) || !entry.later.CallsOff(e) {
			continue
		}
		choices = append(choices, engine.Choice{Skill: entry.later.Watch(), Timeout: d.Timeout.Std(), Aside: true})
	}
	return choices
}
