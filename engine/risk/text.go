package risk

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"bot/engine/glyph"
	"bot/engine/words"
)

// text is what an event says, in the forms that rows compare, each made when it
// is first asked for. People who want to be found hide words from filters, so
// these forms drop more than the matching of skills does. Its buffers are used
// again.
type text struct {
	raw              string
	nfkc             []byte
	folded, squeezed []byte
	isFolded         bool
	isSqueezed       bool
	linked           uint8 // 0: not looked yet, 1: no, 2: yes
}

// maxText is how much of a text is looked at.
const maxText = 64 << 10

func (t *text) of(raw string) {
	t.raw, t.isFolded, t.isSqueezed, t.linked = raw[:min(len(raw), maxText)], false, false, 0
}

// fold is the text in NFKC and small letters, without what cannot be seen, an
// ideographic full stop as a dot.
func (t *text) fold() []byte {
	if t.isFolded {
		return t.folded
	}
	t.isFolded, t.folded = true, t.folded[:0]
	for i, r := range t.raw {
		if !t.add(r) {
			t.foldByTables(t.raw[i:])
			break
		}
	}
	return t.folded
}

// add folds one of the characters of which most messages are: ASCII, Chinese
// ones, their punctuation, full-width ones, emoji of one piece. Of these the
// tables, which cost memory, would say the same. ok is false for any other.
func (t *text) add(r rune) (ok bool) {
	switch {
	case 'A' <= r && r <= 'Z':
		t.folded = append(t.folded, byte(r)+'a'-'A')
	case ' ' <= r && r < 0x7f, r == '\n', r == '\t':
		t.folded = append(t.folded, byte(r))
	case r == '。':
		t.folded = append(t.folded, '.')
	case 0x4e00 <= r && r <= 0x9fff, 0x3001 <= r && r <= 0x3003, 0x3008 <= r && r <= 0x3011, 0x2018 <= r && r <= 0x201d,
		0x1f300 <= r && r <= 0x1f64f, 0x1f680 <= r && r <= 0x1f6ff, 0x1f900 <= r && r <= 0x1f9ff:
		t.folded = utf8.AppendRune(t.folded, r)
	case 0xff01 <= r && r <= 0xff5e:
		return t.add(r - 0xff01 + '!')
	case r == 0x3000:
		t.folded = append(t.folded, ' ')
	default:
		return false
	}
	return true
}

// foldByTables folds the rest of a text, from a character that add does not know.
func (t *text) foldByTables(rest string) {
	t.nfkc = norm.NFKC.AppendString(t.nfkc[:0], rest)
	for rest := t.nfkc; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		rest = rest[n:]
		if !t.add(r) && !glyph.Unseen(r) {
			t.folded = utf8.AppendRune(t.folded, unicode.ToLower(r))
		}
	}
}

// squeeze is the folded text without anything but letters and digits.
func (t *text) squeeze() []byte {
	if t.isSqueezed {
		return t.squeezed
	}
	t.squeezed = t.squeezed[:0]
	for rest := t.fold(); len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		if glyph.Solid(r) {
			t.squeezed = append(t.squeezed, rest[:n]...)
		}
		rest = rest[n:]
	}
	t.isSqueezed = true
	return t.squeezed
}

// essence is what makes two texts the same: the letters and digits, or what
// there is where there are none.
func (t *text) essence() []byte {
	if s := t.squeeze(); len(s) > 0 {
		return s
	}
	return t.fold()
}

func (t *text) hasLink() bool {
	if t.linked == 0 {
		t.linked = 1
		if hasLink(t.fold()) {
			t.linked = 2
		}
	}
	return t.linked == 2
}

// lexicon is a list of words to look for; a long one costs no more than a short
// one. It never changes.
type lexicon struct {
	plain, dense *words.List // nil where there are none
}

// newLexicon takes the words as written. One of ASCII alone is found as it is
// written, whatever its case and width; in one with other letters people put
// spaces and signs between these, which are passed over. Words of which nothing
// is left are returned by their places.
func newLexicon(list []string) (l *lexicon, blank []int) {
	var t text
	var plain, dense []string
	for i, word := range list {
		t.of(word)
		form := bytes.TrimSpace(t.fold())
		switch squeezed := t.squeeze(); {
		case len(form) == 0:
			blank = append(blank, i)
		case len(squeezed) > 0 && bytes.ContainsFunc(form, func(r rune) bool { return r >= utf8.RuneSelf }):
			dense = append(dense, string(squeezed))
		default:
			plain = append(plain, string(form))
		}
	}
	return &lexicon{listOf(plain), listOf(dense)}, blank
}

func listOf(forms []string) *words.List {
	if len(forms) == 0 {
		return nil
	}
	return words.New(forms)
}

func (l *lexicon) in(t *text) bool {
	return l.dense != nil && l.dense.Any(t.squeeze()) || l.plain != nil && l.plain.Any(t.fold())
}
