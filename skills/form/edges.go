package form

import (
	"slices"
	"strings"
)

// edge is one way out of a step, in words for people.
type edge struct {
	label string
	to    int
}

// notAsked is the label of the way past a step.
const notAsked = "not asked"

// edges are all ways on from a step, as far as the configuration tells: which
// of them somebody goes depends on their answers.
func (f *form) edges(i int) (all []edge) {
	s := &f.steps[i]
	if len(s.when) > 0 {
		all = append(all, edge{notAsked, s.next})
	}
	skipped := s.next
	for _, t := range s.turns {
		if t.answer == "" {
			skipped = t.to
			continue
		}
		all = append(all, edge{t.answer, t.to})
	}
	switch {
	case len(s.turns) == 0 && s.wants.medium != "":
		all = append(all, edge{s.wants.medium, s.next})
	case len(s.turns) == 0:
		all = append(all, edge{"any answer", s.next})
	case !s.tellsAll():
		all = append(all, edge{"any other answer", s.next})
	}
	if s.optional {
		all = append(all, edge{"skipped (" + strings.Join(s.skip.typed, ", ") + ")", skipped})
	}
	return all
}

// tellsAll tells whether every choice has a way of its own.
func (s *step) tellsAll() bool {
	return s.wants.choices != nil && !slices.ContainsFunc(s.wants.choices.Texts(), func(text string) bool {
		return !slices.ContainsFunc(s.turns, func(t turn) bool { return t.answer == text })
	})
}

// reached are the places to which ways lead from some, these included.
func (f *form) reached(from ...int) []bool {
	seen := make([]bool, len(f.steps)+1)
	for len(from) > 0 {
		i := from[0]
		from = from[1:]
		if seen[i] {
			continue
		}
		if seen[i] = true; i == len(f.steps) {
			continue
		}
		for _, e := range f.edges(i) {
			from = append(from, e.to)
		}
	}
	return seen
}

// follows tells whether a way of at least one answer leads from a step to another.
func (f *form) follows(i, from int) bool {
	var next []int
	for _, e := range f.edges(from) {
		next = append(next, e.to)
	}
	return f.reached(next...)[i]
}
