// Package wordfilter finds listed words in texts that are about to be sent,
// through the tricks by which they are hidden, and covers them with a mask. Where
// a text comes from, and what a hit means for it, others know.
//
// Texts and words are compared by what people see: whatever their width, case,
// accents and zero-width characters. What may stand between the characters of a
// word depends on how its script is written:
//
//   - Between two characters one of which is Chinese or Japanese, up to 16 spaces,
//     signs, line breaks and emoji are passed over: 微信 is found in 微.信.
//   - Letters and digits of other scripts stand together, or all of them stand
//     alone: weixin is found in w-e-i-x-i-n and not in "we ixin" or "saw e i x i n".
//     A gap is then one sign, as often as it likes: "A, D" is no "ad".
//   - A word with signs or spaces of its own, such as C++, wei xin and 🍃, is found
//     as it is written, a run of spaces being one. But in a word of two characters
//     and more, one of them Chinese or Japanese, signs that do not part letters of
//     other scripts count as little as those of a text: 办证，刻章 is 办证刻章.
//
// One pass over a text finds all words, however many there are.
package wordfilter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Action is what follows where a word is found.
type Action uint8

// The actions, the mildest first.
const (
	Alert Action = iota
	Replace
	Refuse
)

func (a Action) String() string {
	switch a {
	case Alert:
		return "alert"
	case Replace:
		return "replace"
	default:
		return "refuse"
	}
}

// ParseAction reads the name that String gives.
func ParseAction(s string) (Action, bool) {
	for a := Alert; a <= Refuse; a++ {
		if a.String() == s {
			return a, true
		}
	}
	return 0, false
}

// Place is where a word is listed.
type Place struct {
	File string
	Line int
}

func (p Place) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }

// Word is one that is listed.
type Word struct {
	Text   string
	Action Action
	Place  Place
}

// Filter is a list of words. It never changes and is safe for concurrent use; a
// nil Filter finds nothing.
type Filter struct {
	dense, plain *matcher // of words by the gaps of their script; as written
	rules        []rule   // of the listed words; exceptions are numbered after them
	mask         rune
	readings     sync.Pool // of *reading
}

// rule is what is kept of a listed word.
type rule struct {
	action Action
	place  Place
}

// Hit is a word found in a text, from byte Start to byte End of it.
type Hit struct {
	Start, End int
	Action     Action
	Place      Place // where the word is listed
}

// Find returns the words that a text contains, but for those within an exception,
// by where they begin and the longest first. Words may overlap.
func (f *Filter) Find(text string) []Hit {
	if f == nil || text == "" {
		return nil
	}
	all := f.scan(text)
	if all == nil {
		return nil
	}
	return f.hits(all)
}

// scan finds listed words and exceptions.
func (f *Filter) scan(text string) (all []found) {
	r, _ := f.readings.Get().(*reading)
	if r == nil {
		r = new(reading)
	}
	r.read(text, f.plain != nil)
	if f.dense != nil {
		all = f.dense.apart(r.solid, all)
	}
	if f.plain != nil {
		all = f.plain.together(r.all, all)
	}
	f.readings.Put(r)
	return all
}

// lists tells whether a text contains a listed word, exceptions aside.
func (f *Filter) lists(text string) bool {
	return slices.ContainsFunc(f.scan(text), func(one found) bool { return int(one.number) < len(f.rules) })
}

// found is a listed word or an exception in a text.
type found struct {
	number     int32
	start, end int32
}

// hits are the listed words of what was found that stand within no exception.
func (f *Filter) hits(all []found) (hits []Hit) {
	listed := int32(len(f.rules))
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end), cmp.Compare(b.number, a.number))
	})
	reach := int32(0) // how far the exceptions go that begin no later
	for _, one := range all {
		switch {
		case one.number >= listed:
			reach = max(reach, one.end)
		case one.end > reach:
			r := f.rules[one.number]
			hits = append(hits, Hit{int(one.start), int(one.end), r.action, r.place})
		}
	}
	return hits
}

// Cover masks the hits of a text whose words are to be replaced: each character
// from the first of a word to its last, those between them too. All other bytes
// stay as they are. The hits are those that Find gave.
func (f *Filter) Cover(text string, hits []Hit) string {
	var b strings.Builder
	done := 0
	for _, h := range hits {
		if h.Action != Replace || h.End <= done {
			continue
		}
		if h.Start > done {
			b.WriteString(text[done:h.Start])
			done = h.Start
		}
		for range visible(text[done:h.End]) {
			b.WriteRune(f.mask)
		}
		done = h.End
	}
	if done == 0 {
		return text
	}
	b.WriteString(text[done:])
	return b.String()
}

// visible counts the characters that take room.
func visible(s string) (n int) {
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if !rides(r) && !unseen(r) {
			n++
		}
		s = s[size:]
	}
	return n
}
