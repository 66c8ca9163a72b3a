// Package reason says in Chinese why the engine did or did not do something.
//
// Reasons are English where they arise: they are kept with what they are about, go
// into logs and answer programs, and may hold a platform's own words. Whoever shows
// one to a person says it in that person's language here. A test reads the source of
// the engine and finds every reason that has no place in the table.
package reason

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// In is a reason in a language: as it is, but for "zh". What is nobody's sentence but
// a platform's, a name or a place in a file stays as it is.
func In(lang, text string) string {
	if lang != "zh" || text == "" {
		return text
	}
	return translate(text)
}

// clause is a part of a reason, with what stands behind it.
type clause struct{ text, sep string }

// separators set clauses apart, and what they are in Chinese.
var separators = map[string]string{"; ": "；", ": ": "："}

// clauses parts a reason. What stands in quotes is left in one piece.
func clauses(text string) (all []clause) {
	begin := 0
	for i := 0; i < len(text); i++ {
		if end := quoted(text[i:]); end > 0 {
			i += end
			continue
		}
		if i+2 <= len(text) && separators[text[i:i+2]] != "" {
			all = append(all, clause{text[begin:i], text[i : i+2]})
			begin = i + 2
			i++
		}
	}
	return append(all, clause{text[begin:], ""})
}

// quoted is where the quotes end with which the text begins, 0 where it does not.
func quoted(text string) int {
	if text == "" || text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return 0
}

func translate(text string) string {
	var b strings.Builder
	all := clauses(text)
	said := make([]string, len(all))
	known := make([]bool, len(all))
	for i, c := range all {
		said[i], known[i] = sentence(c.text)
	}
	for i, c := range all {
		b.WriteString(said[i])
		switch {
		case c.sep == "":
		case known[i] || c.sep == "; " && known[i+1]:
			b.WriteString(separators[c.sep])
		default: // both sides are somebody else's words
			b.WriteString(c.sep)
		}
	}
	return b.String()
}

// sentence says one clause; known tells whether it is one of the table's.
func sentence(text string) (said string, known bool) {
	if zh, ok := chinese[text]; ok {
		return zh, true
	}
	for _, p := range patterns() {
		if args, ok := p.match(text); ok {
			return p.fill(args), true
		}
	}
	return text, false
}

// hole is where something is put into a sentence.
const hole = "{}"

// pattern is a sentence with holes: the texts between them.
type pattern struct{ en, zh []string }

// patterns are the sentences with holes, those first that say most themselves.
var patterns = sync.OnceValue(func() []pattern {
	var all []pattern
	for en, zh := range chinese {
		if strings.Contains(en, hole) {
			all = append(all, pattern{strings.Split(en, hole), strings.Split(zh, hole)})
		}
	}
	slices.SortFunc(all, func(a, b pattern) int {
		x, y := strings.Join(a.en, hole), strings.Join(b.en, hole)
		if n := utf8.RuneCountInString(y) - utf8.RuneCountInString(x); n != 0 {
			return n
		}
		return strings.Compare(x, y)
	})
	return all
})

// match finds what was put into the holes.
func (p pattern) match(text string) (args []string, ok bool) {
	rest, ok := strings.CutPrefix(text, p.en[0])
	if !ok {
		return nil, false
	}
	last := len(p.en) - 1
	for _, between := range p.en[1:last] {
		arg, behind, ok := strings.Cut(rest, between) // of two holes side by side the second has all
		if !ok {
			return nil, false
		}
		args, rest = append(args, arg), behind
	}
	arg, ok := strings.CutSuffix(rest, p.en[last])
	return append(args, arg), ok
}

// fill says the sentence with what was put into it.
func (p pattern) fill(args []string) string {
	var b strings.Builder
	for i, zh := range p.zh {
		b.WriteString(zh)
		if i < len(args) {
			b.WriteString(translate(args[i]))
		}
	}
	return b.String()
}
