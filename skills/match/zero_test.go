package match

import "regexp"

// What follows is the zero Folding's.

func Read(s string) *Text { return Folding{}.Read(s) }

func NewKeyword(typed string, mode Mode) (Keyword, error) { return Folding{}.NewKeyword(typed, mode) }

func NewPattern(expr string) (*regexp.Regexp, error) { return Folding{}.NewPattern(expr) }
