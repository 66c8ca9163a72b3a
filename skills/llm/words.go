package llm

import (
	"regexp"
	"strings"
	"unicode"
)

// clean takes out of a text what nobody sees: control characters other than
// line ends and tabs, what turns the direction of writing, and the tags that
// hide words. It makes line ends one character and the text valid.
func clean(s string) string {
	s = strings.ReplaceAll(strings.ToValidUTF8(s, ""), "\r\n", "\n")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\r', r == '\u2028', r == '\u2029', r == '\u0085':
			return '\n'
		case r == '\n', r == '\t':
			return r
		case unicode.IsControl(r), hidden(r):
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// hidden are the characters without a shape that serve to deceive. Joiners are
// not among them: emoji and some scripts are written with them.
func hidden(r rune) bool {
	return r == '\uFEFF' || // byte order mark
		'\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069' || // directions
		0xE0000 <= r && r <= 0xE007F // tags
}

// tag begins or ends what a model writes for itself before it answers.
var tag = regexp.MustCompile(`(?i)<(/?)think\s*>`)

// spoken is what a model says to people: cleaned, and without its thoughts, also
// where their first tag stood in the prompt or their last one is missing.
func spoken(s string) string {
	s = clean(s)
	var said strings.Builder
	thinking, from := false, 0
	for i, at := range tag.FindAllStringSubmatchIndex(s, -1) {
		closes := at[2] < at[3]
		if !thinking && !(closes && i == 0) {
			said.WriteString(s[from:at[0]])
		}
		thinking, from = !closes, at[1]
	}
	if !thinking {
		said.WriteString(s[from:])
	}
	return strings.TrimSpace(said.String())
}

// begunTag is the beginning of a tag at the end of what has come so far.
var begunTag = regexp.MustCompile(`(?i)</?(t(h(i(n(k\s*)?)?)?)?)?$`)

// growing is what can be shown of an answer that is still coming.
func growing(s string) string {
	s = clean(s)
	return spoken(s[:len(s)-len(begunTag.FindString(s))])
}

// shorten cuts a text after so many characters (code points).
func shorten(s string, most int) (short string, cut bool) {
	n := 0
	for i := range s {
		if n == most {
			return strings.TrimSpace(s[:i]), true
		}
		n++
	}
	return s, false
}

// label puts a name or an id on one line, cut after so many characters.
func label(s string, most int) string {
	s, _ = shorten(strings.Join(strings.Fields(clean(s)), " "), most)
	return s
}

// bracketed marks a text as somebody's own; nothing stays nothing.
func bracketed(s string) string {
	s = strings.TrimSpace(strings.NewReplacer("「", "", "」", "").Replace(s))
	if s == "" {
		return ""
	}
	return "「" + s + "」"
}
