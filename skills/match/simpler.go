package match

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

// Folding is which differences between texts count for nothing. The zero
// Folding is what every text gets: width, case, what cannot be seen. Keywords and
// the texts they are looked for in must be made by one Folding. It is safe for
// concurrent use.
type Folding struct{ simpler *simpler }

// NewFolding makes the Folding of a configuration: with traditional, traditional
// Chinese characters count as their simplified forms.
func NewFolding(traditional bool) Folding {
	if !traditional {
		return Folding{}
	}
	return Folding{newSimpler()}
}

// Fold is the package's Fold, and whatever else the Folding folds.
func (f Folding) Fold(s string) string { return f.simpler.text(Fold(s)) }

// Chinese characters, as far as the table goes. In UTF-8 all take three bytes, so
// that positions in a text stay what they are.
const (
	firstHan = 0x4e00
	lastHan  = 0x9fff
)

// simpler puts simplified characters in the place of traditional ones. A nil
// one changes nothing.
type simpler [lastHan - firstHan + 1]uint16 // 0: itself

// pairs are lines of traditional characters, each before its simplified form; those
// that begin with # say where they come from.
//
//go:embed traditional.txt
var pairs string

func newSimpler() *simpler {
	s := new(simpler)
	for line := range strings.Lines(pairs) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		chars := []rune(strings.TrimSpace(line))
		for i := 0; i+1 < len(chars); i += 2 {
			s[chars[i]-firstHan] = uint16(chars[i+1])
		}
	}
	return s
}

// rune is the simplified form of a character.
func (s *simpler) rune(r rune) rune {
	if r < firstHan || r > lastHan || s[r-firstHan] == 0 {
		return r
	}
	return rune(s[r-firstHan])
}

// text simplifies a text and keeps every position in it.
func (s *simpler) text(text string) string {
	if s == nil {
		return text
	}
	for i, r := range text {
		if s.rune(r) != r {
			return s.from(text, i)
		}
	}
	return text
}

func (s *simpler) from(text string, first int) string {
	var b strings.Builder
	b.Grow(len(text))
	b.WriteString(text[:first])
	for i, r := range text[first:] {
		if simple := s.rune(r); simple != r {
			b.WriteRune(simple)
			continue
		}
		_, size := utf8.DecodeRuneInString(text[first+i:])
		b.WriteString(text[first+i : first+i+size]) // a broken byte stays what it is
	}
	return b.String()
}

// pattern simplifies a regular expression, but for the ends of a range of
// characters: [一-龥] means what lies between.
func (s *simpler) pattern(expr string) string {
	if s == nil {
		return expr
	}
	runes := []rune(expr)
	for i, r := range runes {
		ranged := i > 0 && runes[i-1] == '-' || i+1 < len(runes) && runes[i+1] == '-'
		if !ranged {
			runes[i] = s.rune(r)
		}
	}
	return string(runes)
}
