package match

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
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

// Text is one message in the forms that rules compare. Make it once per
// message with Read. A form is made when the first rule asks for it, since many
// a set of rules needs one of them only; so a Text is not for several
// goroutines at once.
type Text struct {
	raw  string
	seen string // what of raw is looked at

	folded, trimmed, plain string
	hasFolded, hasPlain    bool
}

// looked is how many bytes of a text are looked at. People write a few
// thousand; what a gateway lets through beyond that must not cost seconds.
const looked = 64 << 10

// Read prepares a message's text. Of a very long one the beginning counts.
func Read(s string) *Text {
	t := &Text{raw: s, seen: s}
	if len(s) > looked {
		t.seen = strings.ToValidUTF8(s[:looked], "")
	}
	return t
}

// fold returns the text as keywords see it, whole and without its edges.
func (t *Text) fold() (folded, trimmed string) {
	if !t.hasFolded {
		t.folded = Fold(t.seen)
		t.trimmed, t.hasFolded = Trim(t.folded), true
	}
	return t.folded, t.trimmed
}

// patterned returns the text as patterns see it.
func (t *Text) patterned() string {
	if !t.hasPlain {
		t.plain, t.hasPlain = Plain(t.seen), true
	}
	return t.plain
}

// Keyword is one keyword of a rule.
type Keyword struct {
	Typed string // as the operator wrote it
	Form  string // as it is compared
	Mode  Mode
}

// NewKeyword prepares a keyword for Exact, Prefix or Contains. A keyword that
// comes to nothing is an error, since it would match every message.
func NewKeyword(typed string, mode Mode) (Keyword, error) {
	k := Keyword{Typed: typed, Form: Fold(typed), Mode: mode}
	if k.Form == "" {
		return Keyword{}, errors.New(`an empty keyword would match everything (write match = "any" for what nothing else matched)`)
	}
	if mode == Contains {
		return k, nil
	}
	if k.Form = Trim(k.Form); k.Form == "" {
		return Keyword{}, fmt.Errorf("nothing is left of keyword %q once punctuation and emoji at the edges are taken off (match = \"contains\" keeps them)", typed)
	}
	return k, nil
}

func (k Keyword) fits(t *Text) bool {
	folded, trimmed := t.fold()
	switch k.Mode {
	case Exact:
		return trimmed == k.Form
	case Prefix:
		return strings.HasPrefix(trimmed, k.Form)
	default:
		return strings.Contains(folded, k.Form)
	}
}

// around finds what other regular expressions have and RE2 has not.
var around = regexp.MustCompile(`\(\?(<?)[=!]`)

// Compile reads a pattern (RE2) that may match anything. Its error is for the
// operator.
func Compile(expr string) (*regexp.Regexp, error) {
	re, err := regexp.Compile(expr)
	if err == nil {
		return re, nil
	}
	switch m := around.FindStringSubmatch(expr); {
	case m == nil:
		return nil, fmt.Errorf("bad pattern: %w", err)
	case m[1] == "":
		return nil, fmt.Errorf("bad pattern: %w (look-ahead is not supported)", err)
	default:
		return nil, fmt.Errorf("bad pattern: %w (look-behind is not supported)", err)
	}
}

// NewPattern compiles a pattern (RE2). One that matches the empty string is an
// error, since it would match every message.
func NewPattern(expr string) (*regexp.Regexp, error) {
	re, err := Compile(expr)
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, fmt.Errorf("pattern %q matches the empty string, so it would match everything (match = \"any\" is for what nothing else matched)", expr)
	}
	return re, nil
}

// Rule is what a skill answers. It is safe for concurrent use.
type Rule struct {
	// Bare is the mode of a rule that has neither keywords nor patterns: Every
	// or Any.
	Bare     Mode
	Keywords []Keyword
	Patterns []*regexp.Regexp
}

// Hit is how a text fits a rule.
type Hit struct {
	Mode   Mode
	Length int      // of the keyword, in characters as compared
	Match  []string // the keyword as typed, a pattern's match and groups, the text for Any; nil for Every
	By     string   // the keyword or pattern
}

// IsBare tells a rule that asks for nothing in the text.
func (r *Rule) IsBare() bool { return len(r.Keywords) == 0 && len(r.Patterns) == 0 }

// Groups is how many elements Hit.Match has at most.
func (r *Rule) Groups() int {
	if r.IsBare() && r.Bare == Any {
		return 1
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
	if r.IsBare() {
		h := Hit{Mode: r.Bare}
		if h.Mode == Any {
			h.Match = []string{t.raw}
		}
		return h, true
	}
	best, found := Hit{}, false
	take := func(h Hit) {
		if !found || Compare(h, best) < 0 {
			best, found = h, true
		}
	}
	for _, k := range r.Keywords {
		if k.fits(t) {
			take(Hit{Mode: k.Mode, Length: utf8.RuneCountInString(k.Form), Match: []string{k.Typed}, By: k.Typed})
		}
	}
	for _, re := range r.Patterns {
		if m := re.FindStringSubmatch(t.patterned()); m != nil {
			take(Hit{Mode: Regex, Match: m, By: re.String()})
			break
		}
	}
	return best, found
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
