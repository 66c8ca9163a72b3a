// Package split cuts long texts into messages that a platform takes.
package split

import (
	"regexp"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// Bytes is the limit where none is known: what WeCom takes in one text.
const Bytes = 2048

// url is bounded by what is not printable ASCII, since in Chinese text the
// next sentence follows a link without a space.
var url = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[!-~]+`)

// Text cuts s into parts of at most limit bytes which put together are s again.
// It cuts after a line where one ends in the second half of a part, else where
// a line may be broken, else between characters as people see them; only a
// single one that is longer than the limit is cut inside, between code points.
// A URL is kept whole unless it alone is longer than the limit. A limit below 4
// counts as 4, the longest code point.
func Text(s string, limit int) []string {
	limit = max(limit, utf8.UTFMax)
	if len(s) <= limit {
		return []string{s}
	}
	urls := url.FindAllStringIndex(s, -1)
	var parts []string
	from := 0
	for len(s)-from > limit {
		cut := from + place(s[from:], limit)
		for len(urls) > 0 && urls[0][1] <= cut {
			urls = urls[1:]
		}
		if len(urls) > 0 {
			cut = spare(urls[0], from, cut, limit)
		}
		parts = append(parts, s[from:cut])
		from = cut
	}
	return append(parts, s[from:])
}

// spare moves a cut that falls inside a URL to before it, where that helps.
func spare(url []int, from, cut, limit int) int {
	begin, end := url[0], url[1]
	if from < begin && begin < cut && end-begin <= limit {
		return begin
	}
	return cut
}

// place returns where to cut the first part off s, which is longer than limit.
func place(s string, limit int) int {
	var line, soft, character int // the last place of each sort
	rest, state := s, -1
	for at := 0; ; {
		cluster, tail, boundaries, next := uniseg.StepString(rest, state)
		at += len(cluster)
		if at > limit {
			break
		}
		rest, state = tail, next
		character = at
		if boundaries&uniseg.MaskLine != uniseg.LineDontBreak {
			soft = at
		}
		if cluster[len(cluster)-1] == '\n' {
			line = at
		}
	}
	switch {
	case line > limit/2:
		return line
	case soft > limit/2:
		return soft
	case character > 0:
		return character
	}
	for character = limit; !utf8.RuneStart(s[character]); {
		character--
	}
	return character
}
