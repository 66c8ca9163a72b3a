package form

import (
	"maps"
	"slices"
	"time"

	"bot/engine/nearest"
	"bot/skills/kind"
	"bot/skills/match"
)

// endName is the name of the form's end in `next`.
const endName = "done"

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

// connect reads the ways between the steps. It reports whether all of them
// lead somewhere.
func connect(d *kind.Draft, steps []step, c []stepConfig) bool {
	w := weaver{Draft: d, steps: steps, whole: true}
	for i := range steps {
		w.next(i, c[i].Next)
		w.when(i, c[i].When)
	}
	return w.whole
}

// weaver is a draft while the ways of its form are read.
type weaver struct {
	*kind.Draft
	steps []step
	whole bool // nothing was wrong so far
}

func (w *weaver) problem(key, format string, args ...any) {
	w.whole = false
	w.Problem(key, format, args...)
}

// next reads `next`: a name, or a table of names by the answer.
func (w *weaver) next(i int, value any) {
	key := kind.Path("step", i, "next")
	r := &w.steps[i].route
	r.next = i + 1
	switch v := value.(type) {
	case nil:
	case string:
		r.next = w.place(key, v, i+1)
	case map[string]any:
		w.turns(i, key, v)
	default:
		w.problem(key, `next is the name of a step, "done", or a table of them by the answer (next = {"个人" = "name", "公司" = "company"})`)
	}
}

// turns reads a table of ways, in the order of the choices where there are any.
func (w *weaver) turns(i int, key string, table map[string]any) {
	s := &w.steps[i]
	if s.wants.medium != "" {
		w.problem(key, "a %s has no answers to tell apart (next = \"…\")", s.wants.medium)
		return
	}
	for _, typed := range slices.Sorted(maps.Keys(table)) {
		at := kind.Path(key, typed)
		kept, ok := w.takes(i, at, typed)
		if !ok {
			continue
		}
		to, isText := table[typed].(string)
		if !isText {
			w.problem(at, `%q is to lead to the name of a step, or to "done"`, typed)
			continue
		}
		t := turn{answer: kept, form: match.Fold(kept), to: w.place(at, to, i+1)}
		if slices.ContainsFunc(s.turns, func(o turn) bool { return o.form == t.form }) {
			w.problem(at, "%q is the same answer as another in this table", typed)
			continue
		}
		s.turns = append(s.turns, t)
	}
	if c := s.wants.choices; c != nil {
		rank := func(t turn) int { return slices.Index(c.Texts(), t.answer) }
		slices.SortStableFunc(s.turns, func(a, b turn) int { return rank(a) - rank(b) })
	}
}

// takes returns a value of `next` or `when` as the step i keeps it.
func (w *weaver) takes(i int, key, typed string) (kept string, ok bool) {
	s := &w.steps[i]
	if typed == "" && s.optional {
		return "", true
	}
	if kept, ok = s.wants.read(typed, time.Time{}); ok {
		return kept, true
	}
	hint := ""
	if s.wants.choices != nil {
		hint = nearest.Hint(typed, s.wants.choices.Texts())
	}
	w.problem(key, "the step %q never takes the answer %q%s", s.save, typed, hint)
	return "", false
}

// place is the index of the step with that name, len(steps) for the end.
func (w *weaver) place(key, name string, otherwise int) int {
	i := find(w.steps, name)
	switch {
	case i >= 0 && name == endName:
		w.problem(key, `%q is the end of the form here, and a step saves under this name too (save = "…")`, endName)
	case i >= 0:
		return i
	case name == endName:
		return len(w.steps)
	default:
		w.problem(key, "there is no step %q%s", name, nearest.Hint(name, append(names(w.steps), endName)))
	}
	return otherwise
}

// when reads `when`: by the names of other steps their answers, one or a list.
func (w *weaver) when(i int, table map[string]any) {
	for _, save := range slices.Sorted(maps.Keys(table)) {
		key := kind.Path("step", i, "when", save)
		of := find(w.steps, save)
		switch {
		case of < 0:
			w.problem(key, "there is no step %q%s", save, nearest.Hint(save, names(w.steps)))
			continue
		case of == i:
			w.problem(key, "whether a step is asked cannot depend on its own answer")
			continue
		}
		c := condition{save: save}
		for _, typed := range w.values(key, table[save]) {
			if kept, ok := w.takes(of, key, typed); ok {
				c.among, c.forms = append(c.among, kept), append(c.forms, match.Fold(kept))
			}
		}
		w.steps[i].when = append(w.steps[i].when, c)
	}
}

// values are a text, or a list of texts.
func (w *weaver) values(key string, value any) (all []string) {
	list, isList := value.([]any)
	if !isList {
		list = []any{value}
	}
	for _, v := range list {
		s, ok := v.(string)
		if !ok {
			w.problem(key, `an answer is a text (when = {type = ["公司"]})`)
			return nil
		}
		all = append(all, s)
	}
	if len(all) == 0 {
		w.problem(key, "no answer is listed, so the step is never asked")
	}
	return all
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
