// Package words finds which words of a long list a text contains, in one pass
// over the text however many words there are: the automaton of Aho and Corasick,
// over characters.
//
// The list is a trie whose nodes are numbered breadth first, so that the
// children of one node are neighbours in the order of their characters. Four
// numbers for each node are all there is: no pointers, no maps.
package words

import (
	"slices"
	"unicode/utf8"
)

// List is a list of words, each known by its number: its place in the slice that
// New was given. It never changes and is safe for concurrent use.
type List struct {
	symbols symbols
	// Of each node; node 0 is the root, which stands for the empty text.
	first  []uint32 // its first child; one entry more, so that first[n+1] ends the children of n
	symbol []uint32 // the character that leads to it
	fail   []uint32 // the node of the longest proper ending of its text that has one
	ends   []int32  // the longest word with which its text ends; none where there is none
	// root is the root's child for each symbol, 0 where there is none.
	root []uint32
	// Of each word.
	shorter []int32 // the next shorter word with which it ends
	bytes   []uint32
}

// None is no word.
const None = -1

// New makes a list. Words are looked for as they are written; an empty one is
// never found, and of equal ones the last is.
func New(words []string) *List { return build(words, exactly) }

// NewCaseless is New for words that are found whatever their case, in the sense
// in which regular expressions ignore it: character by character. The words must
// have come from Caseless.
func NewCaseless(words []string) *List { return build(words, whateverCase) }

func build(words []string, same variants) *List {
	l := &List{
		symbols: newSymbols(words, same),
		shorter: make([]int32, len(words)), bytes: make([]uint32, len(words)),
	}
	for i, w := range words {
		l.shorter[i], l.bytes[i] = None, uint32(len(w))
	}
	l.grow(sortedWords(words))
	l.root = make([]uint32, l.symbols.len())
	for n := l.first[0]; n < l.first[1]; n++ {
		l.root[l.symbol[n]] = n
	}
	return l
}

// word is a word with its number.
type word struct {
	text   string
	number int32
}

// sortedWords leaves out empty words. Bytes sort as characters do.
func sortedWords(words []string) []word {
	sorted := make([]word, 0, len(words))
	for i, w := range words {
		if w != "" {
			sorted = append(sorted, word{w, int32(i)})
		}
	}
	slices.SortStableFunc(sorted, func(a, b word) int {
		switch {
		case a.text < b.text:
			return -1
		case a.text > b.text:
			return 1
		}
		return 0
	})
	return sorted
}

// share is which of the sorted words a node leads to: those from lo to hi, which
// have the node's text, their first `bytes` bytes, in common.
type share struct{ lo, hi, bytes uint32 }

// grow makes the nodes in the order of their numbers. Where one is reached, all
// that are nearer to the root are complete.
func (l *List) grow(sorted []word) {
	shares := []share{{0, uint32(len(sorted)), 0}}
	l.symbol, l.fail, l.ends = []uint32{0}, []uint32{0}, []int32{None}
	for n := uint32(0); int(n) < len(shares); n++ {
		l.first = append(l.first, uint32(len(shares)))
		s := shares[n]
		if n > 0 {
			l.ends[n] = l.ends[l.fail[n]]
		}
		for ; s.lo < s.hi && len(sorted[s.lo].text) == int(s.bytes); s.lo++ {
			number := sorted[s.lo].number
			l.shorter[number], l.ends[n] = l.ends[l.fail[n]], number
		}
		for s.lo < s.hi {
			next := s.lo + 1
			r, size := utf8.DecodeRuneInString(sorted[s.lo].text[s.bytes:])
			for next < s.hi && begins(sorted[next].text[s.bytes:], r) {
				next++
			}
			symbol := l.symbols.of(r)
			l.symbol = append(l.symbol, symbol)
			l.fail = append(l.fail, l.failure(n, symbol))
			l.ends = append(l.ends, None)
			shares = append(shares, share{s.lo, next, s.bytes + uint32(size)})
			s.lo = next
		}
	}
	l.first = append(l.first, uint32(len(shares)))
	l.first, l.symbol = slices.Clip(l.first), slices.Clip(l.symbol)
	l.fail, l.ends = slices.Clip(l.fail), slices.Clip(l.ends)
}

func begins(text string, r rune) bool {
	first, _ := utf8.DecodeRuneInString(text)
	return first == r
}

// failure is where the child of n that is being made falls back to.
func (l *List) failure(n, symbol uint32) uint32 {
	for n != 0 {
		n = l.fail[n]
		if c := l.child(n, symbol); c != 0 {
			return c
		}
	}
	return 0
}

// few is how many children are looked through one by one.
const few = 8

// child is where a symbol leads from a node, 0 where it leads nowhere.
func (l *List) child(n, symbol uint32) uint32 {
	lo, hi := l.first[n], l.first[n+1]
	for hi-lo > few {
		if mid := (lo + hi) / 2; l.symbol[mid] <= symbol {
			lo = mid
		} else {
			hi = mid
		}
	}
	for ; lo < hi; lo++ {
		if l.symbol[lo] == symbol {
			return lo
		}
	}
	return 0
}

// In finds the words that a text contains.
func (l *List) In(text string) Found {
	var found Found
	at := At(0)
	for _, r := range text {
		at = l.Step(at, r)
		if w := l.ends[at]; w != None {
			l.mark(&found, w)
		}
	}
	return found
}

// Any tells whether a text contains a word.
func (l *List) Any(text []byte) bool {
	at := At(0)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if at = l.Step(at, r); l.ends[at] != None {
			return true
		}
		text = text[size:]
	}
	return false
}

// At is how far into its words a list is after a text that is read character by
// character; 0 is before the first.
type At uint32

// Step reads one character more.
func (l *List) Step(at At, r rune) At {
	symbol := l.symbols.of(r)
	if symbol == 0 {
		return 0
	}
	return At(l.next(uint32(at), symbol))
}

// Ends is the longest word with which the text that was read ends, None where
// there is none.
func (l *List) Ends(at At) int32 { return l.ends[at] }

// Shorter is the next shorter word with which a word ends, None where there is
// none.
func (l *List) Shorter(word int32) int32 { return l.shorter[word] }

// next is the node of the longest ending of the text so far and one symbol more.
func (l *List) next(node, symbol uint32) uint32 {
	for node != 0 {
		if c := l.child(node, symbol); c != 0 {
			return c
		}
		node = l.fail[node]
	}
	return l.root[symbol]
}

// mark notes a word and those that it ends with. Where one is known, so are the
// shorter ones, so that each costs once however often it stands in the text.
func (l *List) mark(found *Found, w int32) {
	for ; w != None && !found.Has(w); w = l.shorter[w] {
		found.add(w, len(l.shorter))
	}
}

// Heads calls yield for every word that the text begins with, the shortest
// first; whole says that the word is all of it.
func (l *List) Heads(text string, yield func(word int32, whole bool)) {
	node := uint32(0)
	for i, r := range text {
		symbol := l.symbols.of(r)
		if symbol == 0 {
			return
		}
		if node == 0 {
			node = l.root[symbol]
		} else {
			node = l.child(node, symbol)
		}
		if node == 0 {
			return
		}
		read := i + utf8.RuneLen(r)
		if w := l.ends[node]; w != None && int(l.bytes[w]) == read {
			yield(w, read == len(text))
		}
	}
}

// Len is how many words there are.
func (l *List) Len() int { return len(l.shorter) }

// Size is what the list takes in memory, in bytes, without the words themselves.
func (l *List) Size() int {
	numbers := len(l.first) + len(l.symbol) + len(l.fail) + len(l.ends) + len(l.root) + len(l.shorter) + len(l.bytes)
	return 4*numbers + l.symbols.size()
}
