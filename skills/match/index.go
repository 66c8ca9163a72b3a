package match

import (
	"cmp"
	"regexp"
	"slices"

	"bot/engine/words"
)

// Index finds which of many rules a text fits, as Rule.Match of each would,
// without asking each: all keywords are looked for in one pass over the text, and
// of the patterns only those are run of which the text holds something that they
// cannot match without. It never changes and is safe for concurrent use.
type Index struct {
	rules []*Rule
	bare  []ask // rules that ask for nothing in the text
	// Words anywhere in the text; keywords at its beginning; what patterns cannot
	// match without.
	contained, heads, literals *words.List
	byContained, byHead        askers
	byLiteral                  askers
	unaided                    []ask // patterns of which nothing is known
	// conditions are those of the rules that have any.
	conditions map[int32]conditions
}

// ask is a reason to look at a rule: one of its keywords or patterns, or the rule itself.
type ask struct {
	rule int32
	by   source
	at   int32 // which keyword or pattern
}

type source uint8

const (
	itself source = iota
	keyword
	pattern
)

// conditions are words of the contained ones.
type conditions struct{ all, not []int32 }

// Found is a rule that a text fits.
type Found struct {
	Rule int // its place in what NewIndex was given
	Hit  Hit
}

// NewIndex makes an index of rules, which must not change any more.
func NewIndex(rules []*Rule) *Index {
	x := &Index{rules: rules, conditions: make(map[int32]conditions)}
	var contained, heads, literals lexicon
	for i, r := range rules {
		rule := int32(i)
		c := conditions{all: contained.numbers(r.All), not: contained.numbers(r.Not)}
		if len(c.all)+len(c.not) > 0 {
			x.conditions[rule] = c
		}
		switch {
		case r.IsBare():
			x.bare = append(x.bare, ask{rule: rule})
		case !r.chooses():
			contained.ask(longest(r.All).Form, ask{rule: rule})
		}
		for at, k := range r.Keywords {
			if a := (ask{rule, keyword, int32(at)}); k.Mode == Contains {
				contained.ask(k.Form, a)
			} else {
				heads.ask(k.Form, a)
			}
		}
		for at, re := range r.Patterns {
			a := ask{rule, pattern, int32(at)}
			if known := literals.askCaseless(re, a); !known {
				x.unaided = append(x.unaided, a)
			}
		}
	}
	x.contained, x.byContained = words.New(contained.texts), contained.askers()
	x.heads, x.byHead = words.New(heads.texts), heads.askers()
	x.literals, x.byLiteral = words.NewCaseless(literals.texts), literals.askers()
	return x
}

// longest is the word that is the rarest, most likely.
func longest(all []Keyword) Keyword {
	return slices.MaxFunc(all, func(a, b Keyword) int { return cmp.Compare(len(a.Form), len(b.Form)) })
}

// Match returns the rules that a text fits, in their order. admit is asked before
// a rule is looked at closely: those that it does not admit fit nothing.
func (x *Index) Match(t *Text, admit func(rule int) bool) []Found {
	var held words.Found // of the contained ones
	asks := slices.Clone(x.bare)
	if x.contained.Len() > 0 {
		folded, _ := t.fold()
		held = x.contained.In(folded)
		for _, w := range held.All() {
			asks = append(asks, x.byContained.of(w)...)
		}
	}
	asks = x.begun(t, asks)
	asks = x.patterned(t, asks)
	slices.SortFunc(asks, func(a, b ask) int {
		return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.by, b.by), cmp.Compare(a.at, b.at))
	})
	var all []Found
	for len(asks) > 0 {
		rule, n := asks[0].rule, 1
		for n < len(asks) && asks[n].rule == rule {
			n++
		}
		if x.meets(rule, &held) && admit(int(rule)) {
			if hit, ok := x.hit(t, asks[:n]); ok {
				all = append(all, Found{int(rule), hit})
			}
		}
		asks = asks[n:]
	}
	return all
}

// begun adds the keywords that are the text or its beginning.
func (x *Index) begun(t *Text, asks []ask) []ask {
	if x.heads.Len() == 0 {
		return asks
	}
	_, trimmed := t.fold()
	x.heads.Heads(trimmed, func(word int32, whole bool) {
		for _, a := range x.byHead.of(word) {
			if whole || x.rules[a.rule].Keywords[a.at].Mode == Prefix {
				asks = append(asks, a)
			}
		}
	})
	return asks
}

// patterned adds the patterns that may fit.
func (x *Index) patterned(t *Text, asks []ask) []ask {
	asks = append(asks, x.unaided...)
	if x.literals.Len() > 0 {
		literals := x.literals.In(t.forPatterns())
		for _, w := range literals.All() {
			asks = append(asks, x.byLiteral.of(w)...)
		}
	}
	return asks
}

// meets tells whether a text that holds the words has all that a rule wants, and
// nothing that it does not.
func (x *Index) meets(rule int32, held *words.Found) bool {
	c := x.conditions[rule]
	return !slices.ContainsFunc(c.all, func(w int32) bool { return !held.Has(w) }) &&
		!slices.ContainsFunc(c.not, held.Has)
}

// hit is the strongest hit of one rule, of all that asks for a look at it.
func (x *Index) hit(t *Text, asks []ask) (Hit, bool) {
	r := x.rules[asks[0].rule]
	if !r.chooses() {
		return r.plainHit(t), true
	}
	best := none
	for len(asks) > 0 && asks[0].by == keyword {
		if at := int(asks[0].at); best == none || r.better(at, best) {
			best = at
		}
		asks = asks[1:]
	}
	var patterns []*regexp.Regexp
	for i, a := range asks {
		if i == 0 || a != asks[i-1] { // each once
			patterns = append(patterns, r.Patterns[a.at])
		}
	}
	return r.strongest(t, best, patterns)
}
