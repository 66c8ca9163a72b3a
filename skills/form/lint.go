package form

import (
	"bot/skills/kind"
)

// patient is how many bad answers a form without a word to leave it may take
// before the operator is asked whether that is meant.
const patient = 20

// lint looks for what is allowed and makes no sense. joined says that every
// way leads somewhere; otherwise that has been said, and no way is judged.
func (f *form) lint(d *kind.Draft, c *config, joined bool) {
	f.eaten(d, c)
	if f.cancel.none() && f.exit.none() {
		for i := range f.steps {
			if n := f.steps[i].attempts; n > patient && n <= maxAttempts {
				d.Warn(kind.Path("step", i, "attempts"), `whoever cannot answer this is asked %d times, and no word ends the form (cancel = ["取消"])`, n)
			}
		}
	}
	if joined && len(f.steps) > 0 {
		f.unreachable(d)
		f.endless(d)
	}
}

// eaten finds choices that cannot be chosen by their words, since these do
// something else.
func (f *form) eaten(d *kind.Draft, c *config) {
	for i := range f.steps {
		for _, by := range []struct {
			key   string
			words *words
		}{{"exit", &f.exit}, {"cancel", &f.cancel}, {"back", &f.back}, {"skip", &f.steps[i].skip}} {
			for n, text := range c.Steps[i].Choices {
				if by.words.are(text) {
					d.Warn(kind.Path("step", i, "choices", n), "the choice %q is a word of %s, which goes first", text, by.key)
				}
			}
		}
	}
	for _, list := range []struct {
		key   string
		typed []string
	}{{"yes", c.Yes}, {"no", c.No}} {
		for n, text := range list.typed {
			if f.exit.are(text) || f.cancel.are(text) || f.back.are(text) {
				d.Warn(kind.Path(list.key, n), "%q ends the form or goes back wherever it is said, so it is never a %s", text, list.key)
			}
		}
	}
}

// unreachable finds steps that nobody is ever asked.
func (f *form) unreachable(d *kind.Draft) {
	reached := f.reached(0)
	for i := range f.steps {
		s := &f.steps[i]
		if !reached[i] {
			d.Warn(kind.Path("step", i, "save"), "no way leads to the step %q, so it is never asked", s.save)
			continue
		}
		for _, c := range s.when {
			if !f.follows(i, find(f.steps, c.save)) {
				d.Warn(kind.Path("step", i, "when", c.save), "no way leads from %q to this step, so it is never asked", c.save)
			}
		}
	}
}

// endless finds the first step from which no answer leads to the end. Where no
// word leads out of the form either, nobody can leave it.
func (f *form) endless(d *kind.Draft) {
	reached := f.reached(0)
	for i := range f.steps {
		if !reached[i] || f.reached(i)[len(f.steps)] {
			continue
		}
		key := kind.Path("step", i, "next")
		if f.cancel.none() && f.exit.none() {
			d.Problem(key, `nobody can leave this form: from %q no answer leads to the end, and no word ends it (next = "done", or cancel = ["取消"])`, f.steps[i].save)
		} else {
			d.Warn(key, "from %q no answer leads to the end, so done is never said (only a word of cancel or exit leads out)", f.steps[i].save)
		}
		return
	}
}
