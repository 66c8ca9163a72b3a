package words

import "slices"

// Found is which words a text contains. The zero Found holds none.
type Found struct {
	words []int32
	bits  []uint64 // the same, as soon as they are more than a few
}

// Has tells whether a word is among them.
func (f *Found) Has(word int32) bool {
	if f.bits == nil {
		return slices.Contains(f.words, word)
	}
	return f.bits[word>>6]&(1<<(word&63)) != 0
}

// All are the words, each once, in the order in which they were found.
func (f *Found) All() []int32 { return f.words }

// handful is how many words are looked through faster than a bit for each of a
// long list is cleared.
const handful = 16

// add notes a word that is not there yet, of a list of so many.
func (f *Found) add(word int32, of int) {
	f.words = append(f.words, word)
	switch {
	case f.bits != nil:
		f.set(word)
	case len(f.words) > handful:
		f.bits = make([]uint64, (of+63)/64)
		for _, w := range f.words {
			f.set(w)
		}
	}
}

func (f *Found) set(word int32) { f.bits[word>>6] |= 1 << (word & 63) }
