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
	byKind  map[engine.Kind]*contenders // those that are enabled
	hearing []*entry                    // of these, kind.Listeners
	later   []*entry                    // and those whose commands can be called off
	timers  []timer                     // the schedules, in the order of the files
	folding match.Folding
}

// contenders are the skills for one kind of event, with an index of their rules.
type contenders struct {
	entries []*entry
	index   *match.Index
}

var (
	_ engine.Router  = (*Set)(nil)
	_ engine.Watcher = (*Set)(nil)
)

func newSet(entries []*entry, timers []timer, folding match.Folding) *Set {
	s := &Set{entries: entries, byName: make(map[string]*entry), byKind: make(map[engine.Kind]*contenders), timers: timers, folding: folding}
	for _, e := range entries {
		if !e.draft.Enabled {
			continue
		}
		s.byName[e.draft.Name] = e
		if _, ok := e.skill.(kind.Listener); ok {
			s.hearing = append(s.hearing, e)
		}
		if e.later != nil {
			s.later = append(s.later, e)
		}
		on := engine.Kind(e.draft.On)
		if s.byKind[on] == nil {
			s.byKind[on] = new(contenders)
		}
		s.byKind[on].entries = append(s.byKind[on].entries, e)
	}
	for _, c := range s.byKind {
		rules := make([]*match.Rule, len(c.entries))
		for i, e := range c.entries {
			rules[i] = &e.draft.Rule
		}
		c.index = match.NewIndex(rules)
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
	if e.Kind == engine.Due {
		return s.due(e)
	}
	if e, hit, ok := s.heard(e); ok {
		c := e.choice(hit)
		c.Why, c.Aside = heardIt, true
		return []engine.Choice{c}
	}
	var choices []engine.Choice
	for _, c := range s.contest(e) {
		choices = append(choices, c.entry.choice(c.hit))
		if c.entry.draft.Stop {
			break
		}
	}
	return choices
}

// heardIt is why a kind.Listener answers.
const heardIt = "it hears staff's own words, ahead of all rules"

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
func (s *Set) contest(e *engine.Event) []candidate {
	c := s.byKind[e.Kind]
	if c == nil {
		return nil
	}
	found := c.index.Match(s.folding.Read(e.Text), func(i int) bool { return c.entries[i].bars(e) == fits })
	rest := !slices.ContainsFunc(found, func(f match.Found) bool { return f.Hit.Mode != match.Any })
	var rules []candidate
	for _, f := range found {
		if rest || f.Hit.Mode != match.Any {
			rules = append(rules, candidate{c.entries[f.Rule], f.Hit})
		}
	}
	slices.SortStableFunc(rules, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.entry.draft.Priority, a.entry.draft.Priority), match.Compare(a.hit, b.hit))
	})
	return rules
}
