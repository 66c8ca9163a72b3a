package channel

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// Scalar is a scalar of JSON as text: a string, the digits of a number as they
// were written, true or false. Anything else is "". It takes part in no
// arithmetic, so that ids keep every digit; platforms write one field now as a
// number and now as a string.
type Scalar string

// UnmarshalJSON never fails.
func (s *Scalar) UnmarshalJSON(b []byte) error {
	*s = ""
	if len(b) == 0 {
		return nil
	}
	switch b[0] {
	case '"':
		var text string
		if json.Unmarshal(b, &text) == nil {
			*s = Scalar(text)
		}
	case '{', '[', 'n':
	default:
		*s = Scalar(b)
	}
	return nil
}

// Digits is an id that is a whole number of up to 20 characters; "" for anything
// else and for 0, which stands for none.
func (s Scalar) Digits() string {
	bare := strings.TrimPrefix(string(s), "-")
	if bare == "" || len(s) > 20 || strings.Trim(bare, "0123456789") != "" || strings.Trim(bare, "0") == "" {
		return ""
	}
	return string(s)
}

// Number is the text as a number for JSON, digit by digit, or as a string where
// it is none.
func (s Scalar) Number() any {
	if s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9') || !json.Valid([]byte(s)) {
		return string(s)
	}
	return json.Number(s)
}

// Time reads Unix seconds or milliseconds, told apart by size; a fraction is
// dropped. Zero for anything else.
func (s Scalar) Time() time.Time {
	whole, _, _ := strings.Cut(string(s), ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	switch {
	case err != nil, n <= 0, n >= 1e14: // beyond the year 5138 it is neither
		return time.Time{}
	case n >= 1e11:
		return time.UnixMilli(n)
	default:
		return time.Unix(n, 0)
	}
}
