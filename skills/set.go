package skills

import (
	"cmp"
	"slices"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
)

// Set is all skills of one configuration. It never changes; a reload makes
// another. It is safe for concurrent use.
type Set struct {
	entries []*entry // in the order of the files
	byName  map[string]*entry
	byKind  map[engine.Kind][]*entry // those that are enabled
	hearing []*entry                 // of these, kind.Listeners
}

var _ engine.Router = (*Set)(nil)

func newSet(entries []*entry) *Set {
	s := &Set{entries: entries, byName: make(map[string]*entry), byKind: make(map[engine.Kind][]*entry)}
	for _, e := range entries {
		if e.draft.Enabled {
			s.byName[e.draft.Name] = e
			on := engine.Kind(e.draft.On)
			s.byKind[on] = append(s.byKind[on], e)
			if _, ok := e.skill.(kind.Listener); ok {
				s.hearing = append(s.hearing, e)
			}
		}
	}
	return s
}

// Len is the number of skills, disabled ones included.
func (s *Set) Len() int { return len(s.entries) }

// HearsSelf tells whether a skill has a use for what an account itself said.
func (s *Set) HearsSelf() bool {
	return slices.ContainsFunc(s.entries, func(e *entry) bool { return e.draft.Enabled && e.kind.Holds })
}

// Route implements engine.Router.
func (s *Set) Route(e *engine.Event, sender, shared engine.State) []engine.Choice {
	if c, ok := s.byState(e, sender, shared); ok {
		return []engine.Choice{c}
	}
	return s.Rules(e)
}

// Rules implements engine.Router. What the account itself sent is answered by
// none, so that a bot never talks to itself.
func (s *Set) Rules(e *engine.Event) []engine.Choice {
	if e.Self {
		return nil
	}
	if e, hit, ok := s.heard(e); ok {
		return []engine.Choice{e.choice(hit)}
	}
	var choices []engine.Choice
	for _, c := range contest(s.byKind[e.Kind], e) {
		choices = append(choices, c.entry.choice(c.hit))
		if c.entry.draft.Stop {
			break
		}
	}
	return choices
}

// heard finds the skill that hears an event whatever the rules say.
func (s *Set) heard(e *engine.Event) (*entry, match.Hit, bool) {
	for _, entry := range s.hearing {
		if words, ok := entry.skill.(kind.Listener).Hears(e); ok {
			return entry, match.Hit{Mode: match.Exact, Match: words, By: words[0]}, true
		}
	}
	return nil, match.Hit{}, false
}

// candidate is a skill whose rule fits.
type candidate struct {
	entry *entry
	hit   match.Hit
}

// contest returns the skills that fit an event in the order of precedence:
// priority, strength of the hit, order of the files. Those that answer what
// nothing else matched drop out as soon as anything else did.
func contest(entries []*entry, e *engine.Event) []candidate {
	if len(entries) == 0 {
		return nil
	}
	text := match.Read(e.Text)
	var rules, rest []candidate
	for _, entry := range entries {
		switch hit, miss := entry.fit(e, text); {
		case miss != fits:
		case hit.Mode == match.Any:
			rest = append(rest, candidate{entry, hit})
		default:
			rules = append(rules, candidate{entry, hit})
		}
	}
	if len(rules) == 0 {
		rules = rest
	}
	slices.SortStableFunc(rules, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.entry.draft.Priority, a.entry.draft.Priority), match.Compare(a.hit, b.hit))
	})
	return rules
}
