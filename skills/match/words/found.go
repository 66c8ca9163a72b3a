package words

// Found is which words a text contains. The zero Found holds none.
type Found struct {
	words []int32
	bits  []uint64
}

// Has tells whether a word is among them.
func (f *Found) Has(word int32) bool {
	return f.bits != nil && f.bits[word>>6]&(1<<(word&63)) != 0
}

// All are the words, each once, in the order in which they were found.
func (f *Found) All() []int32 { return f.words }

// add notes a word that is not there yet, of a list of so many.
func (f *Found) add(word int32, of int) {
	if f.bits == nil {
		f.bits = make([]uint64, (of+63)/64)
	}
	f.bits[word>>6] |= 1 << (word & 63)
	f.words = append(f.words, word)
}
