package match

import (
	"regexp"

	"bot/engine/words"
)

// lexicon collects words, each once, with who asks for them.
type lexicon struct {
	texts  []string
	number map[string]int32
	asks   []asked
}

type asked struct {
	word int32
	ask  ask
}

func (l *lexicon) add(text string) int32 {
	n, known := l.number[text]
	if !known {
		if l.number == nil {
			l.number = make(map[string]int32)
		}
		n = int32(len(l.texts))
		l.number[text] = n
		l.texts = append(l.texts, text)
	}
	return n
}

func (l *lexicon) numbers(of []Keyword) (numbers []int32) {
	for _, k := range of {
		numbers = append(numbers, l.add(k.Form))
	}
	return numbers
}

func (l *lexicon) ask(text string, a ask) { l.asks = append(l.asks, asked{l.add(text), a}) }

// askCaseless asks for what a pattern needs; false where that is not known.
func (l *lexicon) askCaseless(re *regexp.Regexp, a ask) bool {
	needed := literals(re)
	for _, text := range needed {
		l.ask(words.Caseless(text), a)
	}
	return len(needed) > 0
}

// askers tells who asks for a word: those of word w are all[from[w]:from[w+1]].
type askers struct {
	from []uint32
	all  []ask
}

func (l *lexicon) askers() askers {
	a := askers{from: make([]uint32, len(l.texts)+1), all: make([]ask, len(l.asks))}
	for _, one := range l.asks {
		a.from[one.word+1]++
	}
	for w := range l.texts {
		a.from[w+1] += a.from[w]
	}
	next := append([]uint32(nil), a.from...)
	for _, one := range l.asks {
		a.all[next[one.word]] = one.ask
		next[one.word]++
	}
	return a
}

func (a *askers) of(word int32) []ask { return a.all[a.from[word]:a.from[word+1]] }
