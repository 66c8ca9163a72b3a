// Package match decides whether a text fits a rule. It holds the one notion of
// sameness that all skills share, so that what people type on a phone (full
// width, capitals, a stray space, an emoji at the end) still finds its keyword.
package match

import (
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Fold returns the form in which texts are compared: NFKC (which also folds
// width), case folded, without what cannot be seen, each run of white space one
// space and none at the edges. Folding twice changes nothing more.
func Fold(s string) string {
	if folded, ok := foldASCII(s); ok {
		return folded
	}
	s = norm.NFKC.String(visible(s))
	// Folding the case may leave NFKC, and composing again may make a capital:
	// the standard's own form of this goes round twice as well.
	for range 2 {
		s = norm.NFKC.String(cases.Fold().String(s))
	}
	return strings.Join(strings.Fields(visible(s)), " ")
}

// Trim takes off the edges of a folded text what people add without meaning
// it: spaces, punctuation, emoji. The signs # @ % & / \ stay, since commands
// and names begin or end with them ("/help", "C#").
func Trim(folded string) string { return strings.TrimFunc(folded, edge) }

// Plain is what patterns see: width folded and free of what cannot be seen,
// edges trimmed as by Trim, the case and all else kept.
func Plain(s string) string {
	return strings.TrimFunc(width.Fold.String(visible(s)), edge)
}

// Answer is how a form takes an answer: width folded and trimmed of spaces,
// the invisible ones that phones put around copied numbers among them. Nothing
// else of it changes.
func Answer(s string) string {
	return strings.TrimFunc(width.Fold.String(s), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
	})
}

// foldASCII folds the plain texts that most messages of digits and commands
// are, without the tables.
func foldASCII(s string) (string, bool) {
	for i := range len(s) {
		if s[i] >= 0x7f || s[i] < ' ' && !unicode.IsSpace(rune(s[i])) {
			return "", false
		}
	}
	return strings.Join(strings.Fields(strings.ToLower(s)), " "), true
}

// visible drops zero-width characters, variation selectors, the keycap frame
// and control characters that are not white space.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if invisible(r) {
			return -1
		}
		return r
	}, s)
}

const keycap = '\u20e3' // turns the digit before it into an emoji of the digit

func invisible(r rune) bool {
	return r == keycap ||
		unicode.IsControl(r) && !unicode.IsSpace(r) ||
		unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

func edge(r rune) bool {
	switch {
	case strings.ContainsRune(`#@%&/\`, r):
		return false
	case unicode.IsSpace(r), unicode.IsPunct(r), r == '~':
		return true
	default: // emoji and their skin tones; + and $ are other kinds of symbol
		return r > unicode.MaxASCII && unicode.In(r, unicode.So, unicode.Sk)
	}
}
