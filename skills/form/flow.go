package form

import (
	"maps"
	"slices"

	"bot/skills/match"
)

// route is when a step is asked, and where to go on from it. Places are indexes
// of steps; their number stands for the end. It is made of the configuration
// alone: where somebody is in it, the State says.
type route struct {
	when  []condition
	turns []turn // by the answer
	next  int    // otherwise, and where the step is not asked
}

// condition is that an earlier answer is one of some.
type condition struct {
	save  string
	among []string // as kept
	forms []string // as compared
}

// turn is where one answer leads.
type turn struct {
	answer string // as kept
	form   string // as compared
	to     int
}

// asked tells whether all that the step is asked for holds.
func (r *route) asked(data map[string]string) bool {
	for _, c := range r.when {
		kept, answered := data[c.save]
		if !answered || !slices.Contains(c.forms, match.Fold(kept)) {
			return false
		}
	}
	return true
}

// after is where an answer leads.
func (r *route) after(kept string) int {
	if len(r.turns) > 0 {
		form := match.Fold(kept)
		for _, t := range r.turns {
			if t.form == form {
				return t.to
			}
		}
	}
	return r.next
}

// leadsTo tells whether the step has a way to another.
func (r *route) leadsTo(i int) bool {
	return r.next == i || slices.ContainsFunc(r.turns, func(t turn) bool { return t.to == i })
}

// from is the first step from i on that is to be asked, len(f.steps) for none.
// Those that are passed over have no answer any more.
func (f *form) from(i int, data map[string]string) int {
	for range f.steps { // a way in circles that asks nothing ends here
		if i == len(f.steps) || f.steps[i].asked(data) {
			return i
		}
		delete(data, f.steps[i].save)
		i = f.steps[i].next
	}
	return len(f.steps)
}

// before is the question that led to the open one: the answers are followed
// again from the beginning, so that nothing but them needs to be remembered.
// -1 where there is none, or where a reload changed the ways.
func (f *form) before(open int, data map[string]string) int {
	data = maps.Clone(data)
	seen := make([]bool, len(f.steps))
	last := -1
	for i := f.from(0, data); i != open; {
		if i == len(f.steps) || seen[i] {
			return -1
		}
		kept, answered := data[f.steps[i].save]
		if !answered {
			return -1
		}
		seen[i], last = true, i
		i = f.from(f.steps[i].after(kept), data)
	}
	return last
}

func find(steps []step, save string) int {
	for i := range steps { // a step is too much to be copied for each
		if steps[i].save == save {
			return i
		}
	}
	return -1
}

func names(steps []step) (all []string) {
	for _, s := range steps {
		all = append(all, s.save)
	}
	return all
}
