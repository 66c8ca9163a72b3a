package render

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
)

// The comparisons of templates. In place of the built-in ones, which fail where
// kinds differ: whether a service writes its code as 0, 0.0 or "0" is not the
// operator's to know.

// equal is {{eq a b c}}: whether a is one of the others.
func equal(a any, others ...any) (bool, error) {
	if len(others) == 0 {
		return false, errors.New("eq compares at least two values")
	}
	for _, b := range others {
		if same(a, b) {
			return true, nil
		}
	}
	return false, nil
}

// same compares numbers as numbers and all else as it shows.
func same(a, b any) bool {
	if x, y := number(a), number(b); x != nil && y != nil {
		return x.Cmp(y) == 0
	}
	return show(a) == show(b)
}

// order compares numbers as numbers, also with a text that is one, and a text
// with a text.
func order(a, b any) (int, error) {
	x, y := number(a), number(b)
	if s, ok := a.(string); ok && y != nil {
		x = Number(s).rat()
	}
	if s, ok := b.(string); ok && x != nil {
		y = Number(s).rat()
	}
	if x != nil && y != nil {
		return x.Cmp(y), nil
	}
	s, ok := a.(string)
	t, too := b.(string)
	if ok && too {
		return strings.Compare(s, t), nil
	}
	return 0, fmt.Errorf("%s and %s cannot be compared", describe(a), describe(b))
}

func describe(v any) string {
	if v == nil {
		return "nothing"
	}
	return cmp.Or(reflect.TypeOf(v).Name(), reflect.TypeOf(v).Kind().String())
}

// number is the exact value of a number, nil for all else.
func number(v any) *big.Rat {
	if n, ok := v.(Number); ok {
		return n.rat()
	}
	switch at := reflect.ValueOf(v); {
	case at.CanInt():
		return new(big.Rat).SetInt64(at.Int())
	case at.CanUint():
		return new(big.Rat).SetInt(new(big.Int).SetUint64(at.Uint()))
	case at.CanFloat():
		return new(big.Rat).SetFloat64(at.Float())
	}
	return nil
}
