package match

import (
	"cmp"
	"regexp"
	"slices"
)

// Mode is how a rule compares, in the order in which hits win: an exact hit
// before a prefix, and so on.
type Mode uint8

// The modes, the strongest first. Every fits all there is; Any fits what
// nothing else did, which only who sees all rules can tell.
const (
	Exact Mode = iota
	Prefix
	Regex
	Contains
	Every
	Any
)

var modeNames = [...]string{"exact", "prefix", "regex", "contains", "every", "any"}

func (m Mode) String() string { return modeNames[m] }

// Modes are the names an operator may give, in the order of their precedence.
func Modes() []string { return []string{"exact", "prefix", "regex", "contains", "any"} }

// ParseMode reads one of Modes.
func ParseMode(s string) (Mode, bool) {
	if !slices.Contains(Modes(), s) {
		return 0, false
	}
	return Mode(slices.Index(modeNames[:], s)), true
}

// Rule is what a skill answers: a text fits that one of the keywords or patterns
// fits, that contains all words of All and none of Not. It is safe for
// concurrent use.
type Rule struct {
	// Bare is the mode of a rule that asks for nothing in the text: Every or Any.
	Bare     Mode
	Keywords []Keyword
	Patterns []*regexp.Regexp
	All, Not []Keyword // of the mode Contains
}

// Hit is how a text fits a rule.
type Hit struct {
	Mode Mode
	// Length is that of the keyword and of all words of All together, in
	// characters as compared.
	Length int
	// Match is the keyword as typed, a pattern's match and groups, the words of
	// All where there is neither, the text for Any; nil for Every.
	Match []string
	By    string // the keyword or pattern; "" where All alone decided
}

// IsBare tells a rule that asks for nothing to be in the text.
func (r *Rule) IsBare() bool { return !r.chooses() && len(r.All) == 0 }

// chooses tells a rule that asks for one of several.
func (r *Rule) chooses() bool { return len(r.Keywords) > 0 || len(r.Patterns) > 0 }

// Groups is how many elements Hit.Match has at most.
func (r *Rule) Groups() int {
	switch {
	case r.IsBare() && r.Bare == Any:
		return 1
	case !r.chooses():
		return len(r.All)
	}
	n := min(len(r.Keywords), 1)
	for _, re := range r.Patterns {
		n = max(n, 1+re.NumSubexp())
	}
	return n
}

// Match finds the strongest hit: the mode first, then the longest keyword,
// then the order of writing.
func (r *Rule) Match(t *Text) (Hit, bool) {
	if len(r.Lacks(t)) > 0 || len(r.Holds(t)) > 0 {
		return Hit{}, false
	}
	if !r.chooses() {
		return r.plainHit(t), true
	}
	best := none
	for i, k := range r.Keywords {
		if k.fits(t) && (best == none || r.better(i, best)) {
			best = i
		}
	}
	return r.strongest(t, best, r.Patterns)
}

// none is no keyword.
const none = -1

// better compares two keywords that both fit.
func (r *Rule) better(a, b int) bool {
	x, y := r.Keywords[a], r.Keywords[b]
	return cmp.Or(cmp.Compare(x.Mode, y.Mode), cmp.Compare(y.Length(), x.Length()), cmp.Compare(a, b)) < 0
}

// strongest is the hit by the best keyword that fits, or by the first of the
// patterns that does and is stronger.
func (r *Rule) strongest(t *Text, keyword int, patterns []*regexp.Regexp) (Hit, bool) {
	if keyword == none || r.Keywords[keyword].Mode > Regex {
		for _, re := range patterns {
			if m := t.submatch(re); m != nil {
				return Hit{Mode: Regex, Length: length(r.All), Match: m, By: re.String()}, true
			}
		}
	}
	if keyword == none {
		return Hit{}, false
	}
	k := r.Keywords[keyword]
	return Hit{Mode: k.Mode, Length: k.Length() + length(r.All), Match: []string{k.Typed}, By: k.Typed}, true
}

// plainHit is the hit of a rule that does not ask for one of several.
func (r *Rule) plainHit(t *Text) Hit {
	switch {
	case len(r.All) > 0:
		return Hit{Mode: Contains, Length: length(r.All), Match: typed(r.All)}
	case r.Bare == Any:
		return Hit{Mode: Any, Match: []string{t.raw}}
	}
	return Hit{Mode: r.Bare}
}

// Lacks are the words of All that a text does not contain, as typed.
func (r *Rule) Lacks(t *Text) (words []string) {
	for _, k := range r.All {
		if !k.fits(t) {
			words = append(words, k.Typed)
		}
	}
	return words
}

// Holds are the words of Not that a text contains, as typed.
func (r *Rule) Holds(t *Text) (words []string) {
	for _, k := range r.Not {
		if k.fits(t) {
			words = append(words, k.Typed)
		}
	}
	return words
}

// Hits tells whether one of the rule's keywords or patterns fits; a bare rule's none.
func (r *Rule) Hits(t *Text) bool {
	_, ok := r.Match(t)
	return ok && !r.IsBare()
}

// Compare orders hits of different rules: negative when a wins, 0 when only
// the order of the files can tell.
func Compare(a, b Hit) int {
	if a.Mode != b.Mode {
		return int(a.Mode) - int(b.Mode)
	}
	return b.Length - a.Length
}
