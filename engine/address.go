package engine

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Addressed tells whether a text mentions one of the names, and returns it
// without the mentions that it begins or ends with. What it mentions in its
// middle is part of what it says.
//
// A mention is an @, also a full-width one, and a whole name: up to a space of
// any kind (WeChat's clients write U+2005), a mark of punctuation, a tilde, or the end.
// An underscore and a hyphen go on with the name. Of names that begin alike the
// longest counts.
func Addressed(text string, names []string) (rest string, found bool) {
	if !strings.ContainsAny(text, "@＠") {
		return text, false
	}
	names = slices.SortedFunc(slices.Values(names), func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	rest = text
	for {
		after, ok := withoutFirst(rest, names)
		if !ok {
			break
		}
		rest, found = after, true
	}
	for {
		before, ok := withoutLast(rest, names)
		if !ok {
			break
		}
		rest, found = before, true
	}
	return rest, found || mentions(rest, names)
}

// withoutFirst takes the mention away that a text begins with.
func withoutFirst(text string, names []string) (rest string, found bool) {
	text = strings.TrimLeftFunc(text, unicode.IsSpace)
	size := atSign(text)
	if size == 0 {
		return "", false
	}
	if size = named(text, size, names); size == 0 {
		return "", false
	}
	return strings.TrimFunc(text[size:], gap), true
}

// withoutLast takes the mention away that a text ends with.
func withoutLast(text string, names []string) (rest string, found bool) {
	text = strings.TrimRightFunc(text, unicode.IsSpace)
	for _, name := range names {
		before, ok := strings.CutSuffix(text, name)
		at, sign := utf8.DecodeLastRuneInString(before)
		if !ok || name == "" || at != '@' && at != '＠' || isAddress(before[:len(before)-sign], name) {
			continue
		}
		return strings.TrimFunc(before[:len(before)-sign], gap), true
	}
	return "", false
}

// mentions looks for a mention anywhere.
func mentions(text string, names []string) bool {
	for i := 0; i < len(text); {
		at := strings.IndexAny(text[i:], "@＠")
		if at < 0 {
			return false
		}
		i += at
		sign := atSign(text[i:])
		if size := named(text[i:], sign, names); size > 0 && !isAddress(text[:i], text[i+sign:]) {
			return true
		}
		i += sign
	}
	return false
}

// atSign is the length of the sign that a text begins with, 0 for none.
func atSign(text string) int {
	switch {
	case strings.HasPrefix(text, "@"):
		return len("@")
	case strings.HasPrefix(text, "＠"):
		return len("＠")
	}
	return 0
}

// named is the length of the sign and the whole name that a text begins with, 0
// for none.
func named(text string, sign int, names []string) int {
	for _, name := range names {
		after, ok := strings.CutPrefix(text[sign:], name)
		if next, _ := utf8.DecodeRuneInString(after); ok && name != "" && (after == "" || ends(next)) {
			return sign + len(name)
		}
	}
	return 0
}

// ends tells whether a name is over before the rune.
func ends(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsPunct(r) && r != '_' && r != '-' || r == '~' || r == '～'
}

// isAddress tells the @ of an address, a@b.example, from that of a mention: it
// stands between Latin letters or digits.
func isAddress(before, after string) bool {
	return before != "" && after != "" && latin(before[len(before)-1]) && latin(after[0])
}

func latin(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// gap is what stands between a mention and the words: "@name, hello".
func gap(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune(",:~，、：～", r)
}
