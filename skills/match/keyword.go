package match

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Keyword is one keyword of a rule.
type Keyword struct {
	Typed string // as the operator wrote it
	Form  string // as it is compared
	Mode  Mode
}

// NewKeyword prepares a keyword for Exact, Prefix or Contains. A keyword that
// comes to nothing is an error, since it would match every message.
func (f Folding) NewKeyword(typed string, mode Mode) (Keyword, error) {
	k := Keyword{Typed: typed, Form: f.Fold(typed), Mode: mode}
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

// Length is how long a keyword is in characters, for precedence.
func (k Keyword) Length() int { return utf8.RuneCountInString(k.Form) }

// length of several words together.
func length(words []Keyword) (n int) {
	for _, k := range words {
		n += k.Length()
	}
	return n
}

func typed(words []Keyword) []string {
	all := make([]string, len(words))
	for i, k := range words {
		all[i] = k.Typed
	}
	return all
}
