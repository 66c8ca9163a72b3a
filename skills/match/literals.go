package match

import (
	"regexp"
	"regexp/syntax"
	"unicode/utf8"
)

// manyAlternatives is from where on a set of literals is not worth its place.
const manyAlternatives = 64

// literals returns texts of which everything that a pattern matches contains one
// at least, whatever its case; none where no such texts are known, and then
// nothing but running the pattern tells.
func literals(re *regexp.Regexp) []string {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		return nil
	}
	return required(tree)
}

func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return []string{string(re.Rune)}
	case syntax.OpCharClass:
		return members(re)
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if l := required(sub); rarer(l, best) {
				best = l
			}
		}
		return best
	case syntax.OpAlternate:
		return oneOfEach(re.Sub)
	}
	return nil
}

// members spells a small class out: [找查] is 找 or 查.
func members(re *syntax.Regexp) (all []string) {
	for i := 0; i < len(re.Rune); i += 2 {
		if int(re.Rune[i+1]-re.Rune[i])+len(all) >= manyAlternatives {
			return nil
		}
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			all = append(all, string(r))
		}
	}
	return all
}

// oneOfEach joins what alternatives require; nothing where one of them requires nothing.
func oneOfEach(alternatives []*syntax.Regexp) (all []string) {
	for _, sub := range alternatives {
		l := required(sub)
		if len(l) == 0 || len(all)+len(l) > manyAlternatives {
			return nil
		}
		all = append(all, l...)
	}
	return all
}

// rarer tells whether texts of a are less likely to occur than those of b: the
// shortest of them is longer, or they are fewer.
func rarer(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) > 0
	}
	if x, y := shortest(a), shortest(b); x != y {
		return x > y
	}
	return len(a) < len(b)
}

func shortest(texts []string) int {
	least := utf8.RuneCountInString(texts[0])
	for _, t := range texts[1:] {
		least = min(least, utf8.RuneCountInString(t))
	}
	return least
}
