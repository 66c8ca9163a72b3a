package wordfilter

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"bot/engine/glyph"
)

// sort is what a character counts as in a word.
type sort uint8

const (
	sign  sort = iota // stands between: white space, punctuation, symbols, emoji
	tight             // a letter or digit of a script that puts spaces between words
	loose             // one of a script that does not: Chinese, Japanese
)

// gap is what stands before a piece, since the last letter or digit.
type gap uint8

const (
	open  gap = 1 << iota // something
	mixed                 // signs of more than one kind
	wide                  // more than maxGap of them
)

// maxGap is how many signs may stand between two characters of a word.
const maxGap = 16

// piece is a character in the form in which it is compared, with the bytes of
// the text that it comes from, accents and variation selectors behind it included.
type piece struct {
	r          rune
	start, end int32
	sort       sort
	gap        gap
}

// reading is a text as it is compared. It is used again, unless it grew large.
type reading struct {
	solid []piece // letters and digits
	all   []piece // signs too; a run of white space is one
	form  []rune  // of one character

	between   int  // signs since the last letter or digit
	sameSign  rune // what they are
	differing bool
	last      sort // of the piece that came last
}

// maxKept is how many pieces a reading may hold to be used again.
const maxKept = 16 << 10

// read takes a text; whole says that the signs are wanted too.
func (t *reading) read(text string, whole bool) {
	if cap(t.solid) > maxKept || cap(t.all) > maxKept {
		*t = reading{}
	}
	t.solid, t.all = t.solid[:0], t.all[:0]
	t.between, t.differing, t.last = 0, false, sign
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		start, end := int32(i), int32(i+size)
		i += size
		if c, s, ok := common(r); ok {
			t.add(piece{r: c, start: start, end: end, sort: s}, whole)
			continue
		}
		t.form = fold(t.form[:0], r)
		for _, c := range t.form {
			switch {
			case rides(c):
				t.ride(end, whole)
			case !unseen(c):
				c, s := sorted(c)
				t.add(piece{r: c, start: start, end: end, sort: s}, whole)
			}
		}
	}
}

func (t *reading) add(p piece, whole bool) {
	if p.sort == sign {
		if t.between++; t.between > 1 && p.r != t.sameSign {
			t.differing = true
		}
		t.sameSign = p.r
	} else {
		p.gap = t.shut()
		t.solid = append(t.solid, p)
	}
	t.last = p.sort
	if !whole {
		return
	}
	if n := len(t.all); p.r == ' ' && n > 0 && t.all[n-1].r == ' ' {
		t.all[n-1].end = p.end
		return
	}
	t.all = append(t.all, p)
}

// shut ends the gap before a letter or digit.
func (t *reading) shut() (g gap) {
	if t.between > 0 {
		g |= open
	}
	if t.differing {
		g |= mixed
	}
	if t.between > maxGap {
		g |= wide
	}
	t.between, t.differing = 0, false
	return g
}

// ride adds what rides on the piece before it, which ends there then.
func (t *reading) ride(end int32, whole bool) {
	if n := len(t.solid); n > 0 && t.last != sign {
		t.solid[n-1].end = end
	}
	if n := len(t.all); whole && n > 0 {
		t.all[n-1].end = end
	}
}

// common folds the characters of which most texts are: ASCII, Chinese ones and
// their punctuation, full-width ones, emoji. Of these fold and sorted would say
// the same. ok is false for any other.
func common(r rune) (rune, sort, bool) {
	switch {
	case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
		return r, tight, true
	case 0x4e00 <= r && r <= 0x9fff:
		return r, loose, true
	case 'A' <= r && r <= 'Z':
		return r - 'A' + 'a', tight, true
	case ' ' <= r && r < 0x7f:
		return r, sign, true
	case r == '\n', r == '\r', r == '\t', r == '\u3000':
		return ' ', sign, true
	case 0x3001 <= r && r <= 0x3003, 0x3008 <= r && r <= 0x3011, // 、。〃 〈…】
		0x1f300 <= r && r <= 0x1f64f && !glyph.Tone(r), 0x1f680 <= r && r <= 0x1f6ff, 0x1f900 <= r && r <= 0x1f9ff:
		return r, sign, true
	case 0xff01 <= r && r <= 0xff5e: // ！…～
		return common(r - 0xff01 + '!')
	}
	return 0, 0, false
}

// fold appends what a character is compared as: without its width, its form, its
// accents and its case. It looks at one character by itself, so that the form of
// a text is that of its parts.
func fold(into []rune, r rune) []rune {
	var plain, apart [64]byte
	for rest := norm.NFKC.AppendString(plain[:0], string(r)); len(rest) > 0; {
		c, size := utf8.DecodeRune(rest)
		if base := norm.NFD.Append(apart[:0], rest[:size]...); accented(base) {
			c, _ = utf8.DecodeRune(base)
		}
		rest = rest[size:]
		into = append(into, caseless(c))
	}
	return into
}

// accented tells a letter with nothing but accents behind it.
func accented(s []byte) bool {
	_, size := utf8.DecodeRune(s)
	for rest := s[size:]; len(rest) > 0; rest = rest[size:] {
		var r rune
		if r, size = utf8.DecodeRune(rest); !accent(r) {
			return false
		}
	}
	return true
}

// caseless is the first of the characters that differ in case alone; of ASCII
// the small letter.
func caseless(r rune) rune {
	first := r
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		first = min(first, v)
	}
	if 'A' <= first && first <= 'Z' {
		return first - 'A' + 'a'
	}
	return first
}

// sorted tells what a folded character counts as. All white space is one.
func sorted(r rune) (rune, sort) {
	switch {
	case unicode.IsSpace(r):
		return ' ', sign
	case r == 'ー', unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo):
		return r, loose
	case glyph.Solid(r), unicode.IsMark(r): // marks are vowels in some scripts
		return r, tight
	}
	return r, sign
}

// rides tells what belongs to the character before it.
func rides(r rune) bool {
	return r >= 0x300 && (accent(r) || glyph.Tone(r) || unicode.Is(unicode.Variation_Selector, r))
}

// accent tells the marks that are put on and through letters, and around signs.
func accent(r rune) bool {
	return 0x300 <= r && r <= 0x36f || 0x1ab0 <= r && r <= 0x1aff || 0x1dc0 <= r && r <= 0x1dff ||
		0x20d0 <= r && r <= 0x20ff || 0xfe20 <= r && r <= 0xfe2f
}

func unseen(r rune) bool { return (r < ' ' || r >= 0x7f) && glyph.Unseen(r) }
