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
		w.problem(key, "a step of type %s has no answers to tell apart (next = \"…\")", s.wants.medium)
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

// takes returns a value of `next` or `when` as the step i keeps it. A step that
// is left out keeps nothing, which a word of skip stands for.
func (w *weaver) takes(i int, key, typed string) (kept string, ok bool) {
	s := &w.steps[i]
	if s.optional && (typed == "" || s.skip.are(typed)) {
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
		list, isList := table[save].([]any)
		switch {
		case !isList:
			w.among(&c, of, key, table[save])
		case len(list) == 0:
			w.problem(key, "no answer is listed, so the step is never asked")
		}
		for n, value := range list {
			w.among(&c, of, kind.Path(key, n), value)
		}
		w.steps[i].when = append(w.steps[i].when, c)
	}
}

// among adds an answer of the step `of` to those that a condition allows.
func (w *weaver) among(c *condition, of int, key string, value any) {
	typed, isText := value.(string)
	if !isText {
		w.problem(key, `an answer is a text (when = {type = ["公司"]})`)
		return
	}
	if kept, ok := w.takes(of, key, typed); ok {
		c.among, c.forms = append(c.among, kept), append(c.forms, match.Fold(kept))
	}
}
