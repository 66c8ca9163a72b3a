// Package match decides whether a text fits a rule. It holds the one notion of
// sameness that all skills share, so that what people type on a phone (full
// width, capitals, a stray space, an emoji at the end) still finds its keyword.
package match

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"

	"bot/engine/glyph"
)

// Fold returns the form in which texts are compared: NFKC (which also folds
// width), case folded, without what cannot be seen and without the skin tones of
// emoji, each run of white space one space and none at the edges. Folding twice
// changes nothing more.
func Fold(s string) string {
	if narrow, ok := common(s); ok {
		return foldCommon(narrow)
	}
	return foldByTables(s)
}

// foldByTables is Fold for any text.
func foldByTables(s string) string {
	s = norm.NFKC.String(toneless(visible(s)))
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

// plain is what patterns see: width folded and free of what cannot be seen,
// edges trimmed as by Trim, the case and all else kept.
func plain(s string) string {
	narrow, ok := common(s)
	if !ok {
		narrow = width.Fold.String(visible(s))
	}
	return strings.TrimFunc(narrow, edge)
}

// Answer is how a form takes an answer: width folded and trimmed of spaces,
// the invisible ones that phones put around copied numbers among them. Nothing
// else of it changes.
func Answer(s string) string {
	narrow, ok := common(s)
	if !ok {
		narrow = width.Fold.String(s)
	}
	return strings.TrimFunc(narrow, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r)
	})
}

// common folds the width of the texts that most messages are: ASCII, Chinese
// characters, their punctuation, full-width letters, and emoji of one piece. Of
// these the tables, which cost several times as much, would say the same. ok is
// false where a text holds anything else.
func common(s string) (narrow string, ok bool) {
	wide := false
	for _, r := range s {
		switch {
		case ' ' <= r && r < 0x7f, r == '\n', r == '\t', r == '\r':
		case 0x4e00 <= r && r <= 0x9fff, 0x3001 <= r && r <= 0x3003, 0x3008 <= r && r <= 0x3011: // 一…鿿 、。〃 〈…】
		case 0x2018 <= r && r <= 0x201d && r != 0x201b: // ‘ ’ “ ”
		case 0x1f300 <= r && r <= 0x1f64f && !glyph.Tone(r), 0x1f680 <= r && r <= 0x1f6ff, 0x1f900 <= r && r <= 0x1f9ff: // 🌀…🙏 🚀… 🤌…
		case isWide(r):
			wide = true
		default:
			return "", false
		}
	}
	if !wide {
		return s, true
	}
	return narrowed(s), true
}

// narrowed puts what isWide as ASCII, and copies the rest.
func narrowed(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	from := 0
	for i, r := range s {
		if !isWide(r) {
			continue
		}
		b.WriteString(s[from:i])
		from = i + utf8.RuneLen(r)
		if r == ideographicSpace {
			b.WriteByte(' ')
		} else {
			b.WriteByte(byte(r - fullWidth + '!'))
		}
	}
	b.WriteString(s[from:])
	return b.String()
}

// foldCommon folds the case and the white space of what common has narrowed:
// there is none but of ASCII in it, and mostly there is none.
func foldCommon(narrow string) string {
	same := 0
	for same < len(narrow) && !folds(narrow[same]) {
		same++
	}
	if same == len(narrow) {
		return narrow
	}
	b := make([]byte, same, len(narrow))
	copy(b, narrow)
	for _, c := range []byte(narrow[same:]) {
		switch {
		case 'A' <= c && c <= 'Z':
			b = append(b, c-'A'+'a')
		case c > ' ':
			b = append(b, c)
		case len(b) > 0 && b[len(b)-1] != ' ':
			b = append(b, ' ')
		}
	}
	return string(bytes.TrimSuffix(b, []byte(" ")))
}

// folds tells the bytes that foldCommon may change.
func folds(c byte) bool { return c <= ' ' || 'A' <= c && c <= 'Z' }

func isWide(r rune) bool {
	return r == ideographicSpace || fullWidth <= r && r <= 0xff5e // ！…～
}

const (
	ideographicSpace = '\u3000'
	fullWidth        = '\uff01' // the first of the full-width forms of ! to ~, in ASCII's order
)

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

// toneless drops the skin tones, which turn an emoji into a variant of itself.
func toneless(s string) string {
	return strings.Map(func(r rune) rune {
		if glyph.Tone(r) {
			return -1
		}
		return r
	}, s)
}

const keycap = '\u20e3' // turns the digit before it into an emoji of the digit

func invisible(r rune) bool { return r == keycap || glyph.Unseen(r) }

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
