package render

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
)

// Answer reads JSON of any shape for Data.Response: tables as map[string]any,
// lists as []any, whole numbers as int64 and all other numbers as Number, so that
// each shows the digits that were sent. null is a list of nothing: it shows as
// nothing, is false, and may be gone through. What is no JSON is an error.
func Answer(body []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(body, []byte("\ufeff"))))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more behind the JSON")
	}
	return digits(v), nil
}

func digits(v any) any {
	switch v := v.(type) {
	case nil:
		return []any(nil)
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil && v != "-0" {
			return n
		}
		return Number(v)
	case map[string]any:
		for key, one := range v {
			v[key] = digits(one)
		}
	case []any:
		for i, one := range v {
			v[i] = digits(one)
		}
	}
	return v
}

// Number is a number as it was written, for those that no int64 holds. It shows
// its own digits, and printf's %.2f and %d take it as well.
type Number string

// Format implements fmt.Formatter.
func (n Number) Format(f fmt.State, verb rune) {
	r := n.rat()
	switch {
	case !strings.ContainsRune("deEfFgG", verb):
		fmt.Fprintf(f, fmt.FormatString(f, 's'), string(n))
	case r == nil:
		_, _ = io.WriteString(f, string(n))
	case verb == 'd':
		fmt.Fprintf(f, fmt.FormatString(f, verb), new(big.Int).Quo(r.Num(), r.Denom()))
	default:
		x, _ := r.Float64()
		fmt.Fprintf(f, fmt.FormatString(f, verb), x)
	}
}

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n), nil }

// longest is how many digits a number may have to be calculated with, before its
// exponent is counted and with it: 1e999999999 is short to write.
const longest = 1000

// rat is the number's exact value; nil where it is none, or of absurd size.
func (n Number) rat() *big.Rat {
	if len(n) > longest || strings.Trim(string(n), "0123456789+-.eE") != "" { // Rat reads 1/3 and 0x1p9 too
		return nil
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(string(n)), "e"); ok {
		if e, err := strconv.Atoi(exponent); err != nil || e > longest || e < -longest {
			return nil
		}
	}
	r, ok := new(big.Rat).SetString(string(n))
	if !ok {
		return nil
	}
	return r
}
