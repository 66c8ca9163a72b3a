package words

import (
	"slices"
	"strings"
	"unicode"
)

// symbols number the characters that occur in a list's words from 1, in their
// order; all others are 0. They are kept in pages of 256 characters, of which
// those without any are one and the same.
type symbols struct {
	pages []uint16 // of each 256 characters: which page of the table
	table []uint32
}

const page = 256

// variants calls a function for all characters that count as one with r.
type variants func(r rune, yield func(rune))

func exactly(r rune, yield func(rune)) { yield(r) }

func whateverCase(r rune, yield func(rune)) {
	yield(r)
	for v := unicode.SimpleFold(r); v != r; v = unicode.SimpleFold(v) {
		yield(v)
	}
}

// Caseless writes each character of a text as the first of those that differ
// from it in case alone.
func Caseless(s string) string {
	return strings.Map(func(r rune) rune {
		first := r
		whateverCase(r, func(v rune) { first = min(first, v) })
		return first
	}, s)
}

func newSymbols(words []string, same variants) symbols {
	var runes []rune
	seen := make(map[rune]bool)
	for _, w := range words {
		for _, r := range w {
			if !seen[r] {
				seen[r] = true
				runes = append(runes, r)
			}
		}
	}
	slices.Sort(runes)
	s := symbols{table: make([]uint32, page)}
	for i, r := range runes {
		same(r, func(v rune) { s.set(v, uint32(i+1)) })
	}
	return s
}

func (s *symbols) set(r rune, symbol uint32) {
	at := int(r / page)
	for len(s.pages) <= at {
		s.pages = append(s.pages, 0)
	}
	if s.pages[at] == 0 {
		s.pages[at] = uint16(len(s.table) / page)
		s.table = append(s.table, make([]uint32, page)...)
	}
	s.table[int(s.pages[at])*page+int(r%page)] = symbol
}

// of is the symbol of a character, 0 for one that no word has.
func (s *symbols) of(r rune) uint32 {
	at := int(r / page)
	if at >= len(s.pages) {
		return 0
	}
	return s.table[int(s.pages[at])*page+int(r%page)]
}

// len is one more than the highest symbol.
func (s *symbols) len() int {
	if len(s.table) == page {
		return 1
	}
	return int(slices.Max(s.table)) + 1
}

func (s *symbols) size() int { return 2*len(s.pages) + 4*len(s.table) }
