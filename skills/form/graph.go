package form

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Graph draws the form as a state machine to be read in a terminal: each
// question with the ways that lead on from it, then what leads out of all of
// them. It ends with a line's end.
func (f *form) Graph() string {
	var g drawing
	g.line(1, "begin")
	g.way("", f.named(0))
	for i := range f.steps {
		g.step(f, i)
	}
	if q := f.confirm; q != nil {
		g.line(1, "%s: %s", confirmNode, headline(q.typed))
		g.way(strings.Join(few(q.yes.typed), ", "), endName)
		no := f.named(0) + ", all answers forgotten"
		if q.cancels {
			no = "cancelled"
		}
		g.way(strings.Join(few(q.no.typed), ", "), no)
	}
	g.line(1, endName)
	for _, d := range f.then {
		g.line(2, "%s", d)
	}
	g.line(1, "from every question")
	for _, w := range []struct {
		words words
		to    string
	}{{f.cancel, "cancelled"}, {f.exit, "left, other skills answer"}, {f.back, "the question before"}} {
		if !w.words.none() {
			g.way(strings.Join(w.words.typed, ", "), w.to)
		}
	}
	g.way("bad answer number "+f.patience(), "too many")
	g.way(short(f.expires)+" without an answer", "expired")
	return g.String()
}

// named is a place as the drawing calls it.
func (f *form) named(i int) string {
	switch {
	case i < len(f.steps):
		return f.steps[i].save
	case f.confirm != nil:
		return confirmNode
	}
	return endName
}

// drawing is a text with indented lines.
type drawing struct{ strings.Builder }

func (g *drawing) line(depth int, format string, args ...any) {
	g.WriteString(strings.Repeat("  ", depth))
	fmt.Fprintf(g, format, args...)
	g.WriteByte('\n')
}

// way draws an edge; its label may be empty.
func (g *drawing) way(label, to string) {
	if label != "" {
		label += " "
	}
	g.line(2, "%s→ %s", label, to)
}

func (g *drawing) step(f *form, i int) {
	s := &f.steps[i]
	g.line(1, "%s: %s", s.save, headline(s.typed))
	for _, e := range f.edges(i) {
		if e.label == notAsked {
			e.label = "unless " + s.conditions()
		}
		g.way(e.label, f.named(e.to))
	}
}

// conditions are those of the step in words.
func (s *step) conditions() string {
	var all []string
	for _, c := range s.when {
		among := slices.Clone(c.among)
		for i := range among {
			if among[i] == "" {
				among[i] = "skipped"
			}
		}
		all = append(all, c.save+" is "+strings.Join(among, " or "))
	}
	return strings.Join(all, " and ")
}

// patience is how many bad answers end the form.
func (f *form) patience() string {
	least, most := maxAttempts, 1
	for i := range f.steps {
		least, most = min(least, f.steps[i].attempts), max(most, f.steps[i].attempts)
	}
	if least == most {
		return strconv.Itoa(most)
	}
	return fmt.Sprintf("%d to %d", least, most)
}

// few are the first of many words.
func few(words []string) []string {
	if len(words) <= 3 {
		return words
	}
	return append(slices.Clone(words[:3]), "…")
}

// short is a duration without the units that say nothing: 10m for 10m0s.
func short(d time.Duration) string {
	s := d.String()
	if d%time.Minute == 0 {
		s = strings.TrimSuffix(s, "0s")
	}
	if d%time.Hour == 0 {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// headlineLength is how many characters of a question are shown.
const headlineLength = 30

// headline is the beginning of a question, in one line.
func headline(asked string) string {
	line, rest, _ := strings.Cut(strings.TrimSpace(asked), "\n")
	shown := []rune(strings.TrimSpace(line))
	if len(shown) > headlineLength {
		return string(shown[:headlineLength]) + "…"
	}
	if rest != "" {
		return string(shown) + " …"
	}
	return string(shown)
}
