package wordfilter

import (
	"unicode/utf8"

	"bot/engine/words"
)

// matcher finds words of one form.
type matcher struct {
	list   *words.List
	number []int32 // of the words, in the filter
	length []int32 // in characters
}

// newMatcher is nil where there are no words.
func newMatcher(c *collected) *matcher {
	if len(c.forms) == 0 {
		return nil
	}
	m := &matcher{list: words.New(c.forms), number: c.number, length: make([]int32, len(c.forms))}
	for i, form := range c.forms {
		m.length[i] = int32(utf8.RuneCountInString(form))
	}
	return m
}

// together appends the words that stand in a text character by character.
func (m *matcher) together(text []piece, into []found) []found {
	at := words.At(0)
	for i := range text {
		at = m.list.Step(at, text[i].r)
		for w := m.list.Ends(at); w != words.None; w = m.list.Shorter(w) {
			into = append(into, found{m.number[w], text[i-int(m.length[w])+1].start, text[i].end})
		}
	}
	return into
}

// apart appends the words that stand in a text's letters and digits, with such
// gaps between them as their scripts allow.
func (m *matcher) apart(solid []piece, into []found) []found {
	at := words.At(0)
	var gaps gaps
	for i := range solid {
		if solid[i].gap&wide != 0 {
			at = 0
		}
		gaps.pass(solid, i)
		at = m.list.Step(at, solid[i].r)
		for w := m.list.Ends(at); w != words.None; w = m.list.Shorter(w) {
			if from := i - int(m.length[w]) + 1; gaps.allow(solid, from, i) {
				into = append(into, found{m.number[w], solid[from].start, solid[i].end})
			}
		}
	}
	return into
}

// gaps remembers before which pieces, of those that are tight behind tight ones,
// each kind of gap was seen last. Whatever is looked for among the latest pieces
// is among them if its last one is, so that no word need be gone through again.
type gaps struct{ open, mixed, none int }

// pass notes the gap before a piece.
func (g *gaps) pass(solid []piece, i int) {
	switch {
	case i == 0 || !tightPair(solid, i):
	case solid[i].gap&open == 0:
		g.none = i
	default:
		g.open = i
		if solid[i].gap&mixed != 0 {
			g.mixed = i
		}
	}
}

// allow tells whether the pieces from one to the last that was passed may be one
// word.
func (g *gaps) allow(solid []piece, from, to int) bool {
	if g.open <= from {
		return true // its letters stand together
	}
	return g.none <= from && g.mixed <= from && !joined(solid, from) && !joined(solid, to+1)
}

// joined tells whether a piece continues the word of the one before it.
func joined(solid []piece, i int) bool {
	return i > 0 && i < len(solid) && tightPair(solid, i) && solid[i].gap&open == 0
}

func tightPair(solid []piece, i int) bool { return solid[i].sort == tight && solid[i-1].sort == tight }
