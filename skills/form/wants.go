package form

import (
	"cmp"
	"regexp"
	"time"
	"unicode/utf8"

	"bot/engine"
	"bot/skills/answer"
	"bot/skills/kind"
	"bot/skills/match"
)

// wants says which answers a step takes, and how they are kept.
type wants struct {
	medium    string // the sort of attachment; "": a text
	choices   *answer.Choices
	validator *validator
	pattern   *regexp.Regexp // of what is kept
	min, max  *bound
	shortest  int // in characters
	longest   int // in characters; 0: no limit
}

// read returns an answer as it is kept. now is the moment of its receipt in the
// account's time zone.
func (w *wants) read(said string, now time.Time) (kept string, ok bool) {
	switch {
	case w.choices != nil:
		kept, ok = w.choices.Read(said)
	case w.validator != nil:
		today := answer.Today(now)
		kept, ok = w.validator.read(match.Answer(said), today)
		ok = ok && w.within(kept, today)
	default:
		kept = match.Answer(said)
		ok = kept != "" || w.pattern != nil
	}
	ok = ok && w.fitsLength(kept) && (w.pattern == nil || w.pattern.MatchString(kept))
	return kept, ok
}

func (w *wants) within(kept string, today time.Time) bool {
	return (w.min == nil || w.min.compare(kept, today) >= 0) && (w.max == nil || w.max.compare(kept, today) <= 0)
}

func (w *wants) fitsLength(kept string) bool {
	if w.shortest == 0 && w.longest == 0 {
		return true
	}
	n := utf8.RuneCountInString(kept)
	return n >= w.shortest && (w.longest == 0 || n <= w.longest)
}

// attached returns what is kept of an attachment of the sort that is wanted:
// its address, else its name, else the message's own id, by which the trace
// finds it.
func (w *wants) attached(e *engine.Event) (kept string, ok bool) {
	for _, m := range e.Media {
		if m.Kind == w.medium {
			return cmp.Or(m.URL, m.Name, e.ID), true
		}
	}
	return e.ID, e.Type == w.medium
}

// newWants reads the keys of a step that say what it takes.
func newWants(d *kind.Draft, at func(string) string, c *stepConfig) wants {
	w := wants{medium: medium(d, at("type"), c.Type)}
	if w.medium != "" {
		for _, key := range []string{"choices", "validate", "pattern", "min", "max", "min_length", "max_length", "example"} {
			if d.Has(at(key)) {
				d.Problem(at(key), "%s is about texts, and this step is of type %s", key, w.medium)
			}
		}
		return w
	}
	w.choices = newChoices(d, at, c.Choices)
	w.validator = newValidator(d, at, c)
	w.min = w.validator.bound(d, at("min"), c.Min)
	w.max = w.validator.bound(d, at("max"), c.Max)
	if w.min != nil && w.max != nil && w.min.beyond(w.max) {
		d.Problem(at("min"), "min %s is more than max %s, so no answer fits", w.min.typed, w.max.typed)
	}
	w.lengths(d, at, c)
	if c.Pattern != "" {
		var err error
		if w.pattern, err = match.Compile(c.Pattern); err != nil {
			d.Problem(at("pattern"), "%v", err)
		}
	}
	w.rejects(d, at, c)
	return w
}

func (w *wants) lengths(d *kind.Draft, at func(string) string, c *stepConfig) {
	w.shortest, w.longest = c.MinLength, c.MaxLength
	for _, l := range []struct {
		key   string
		value int
	}{{"min_length", c.MinLength}, {"max_length", c.MaxLength}} {
		switch {
		case !d.Has(at(l.key)):
		case c.Choices != nil:
			d.Problem(at(l.key), "%s does nothing beside choices, which say what fits", l.key)
		case d.Lacks(at(l.key), l.value < 1):
			d.Problem(at(l.key), "%s counts characters from 1", l.key)
		}
	}
	if w.longest > 0 && w.shortest > w.longest {
		d.Problem(at("min_length"), "min_length %d is more than max_length %d, so no answer fits", w.shortest, w.longest)
	}
}

// rejects finds a step that refuses its own example, or its choices.
func (w *wants) rejects(d *kind.Draft, at func(string) string, c *stepConfig) {
	if d.Has(at("pattern")) && w.pattern == nil && c.Pattern != "" {
		return // it does not compile
	}
	if _, ok := w.read(c.Example, time.Time{}); c.Example != "" && !ok {
		d.Problem(at("example"), "the step refuses its own example %q", c.Example)
	}
	if w.choices == nil || w.pattern == nil {
		return
	}
	taken := 0
	for _, text := range w.choices.Texts() {
		if w.pattern.MatchString(text) {
			taken++
		}
	}
	switch {
	case taken == 0:
		d.Problem(at("pattern"), "the pattern rejects every choice, so no answer fits")
	case taken < len(w.choices.Texts()):
		d.Warn(at("pattern"), "the pattern rejects some of the choices, which are offered all the same")
	}
}
