package alert

import "cmp"

// byWeight puts what is serious first, what is over last.
func byWeight(a, b Line) int {
	return cmp.Or(
		cmp.Compare(weight(a), weight(b)),
		a.Since.Compare(b.Since),
		cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Account, b.Account), cmp.Compare(a.Subject, b.Subject))
}

func weight(l Line) int {
	switch {
	case l.State == Recovered:
		return 2
	case l.Level == Serious:
		return 0
	}
	return 1
}
