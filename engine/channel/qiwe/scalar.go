package qiwe

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
)

// scalar is a string, number or boolean of JSON as text; the platform writes
// one field now as this and now as that. Numbers keep the digits they were
// written with, booleans read 1 and 0. Anything else is "".
type scalar string

// UnmarshalJSON never fails.
func (s *scalar) UnmarshalJSON(b []byte) error {
	*s = ""
	switch b[0] {
	case '"':
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		*s = scalar(text)
	case 't':
		*s = "1"
	case 'f':
		*s = "0"
	case 'n', '{', '[':
	default:
		*s = scalar(b)
	}
	return nil
}

// maxID bounds the platform's own ids in bytes.
const maxID = 512

// id is the text as the id of a user or a room, "" where there is none, which
// the platform also writes as 0. Ids are digits; one that begins with a letter
// is taken too, should the platform change its mind. What a program made of
// digits by way of floating point (1.08e+16) has lost some and is none.
func (s scalar) id() string {
	switch {
	case s == "0", s == "", len(s) > maxID:
		return ""
	case isDigits(string(s)):
		return string(s)
	}
	if c := s[0] | 0x20; c < 'a' || c > 'z' {
		return ""
	}
	if strings.ContainsFunc(string(s), func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return ""
	}
	return string(s)
}

// time reads Unix seconds, or milliseconds, which one system was seen to
// write. Zero for anything else.
func (s scalar) time() time.Time {
	n, err := strconv.ParseInt(string(s), 10, 64)
	switch {
	case err != nil, n <= 0, n >= 1e14: // beyond the year 5138 it is neither
		return time.Time{}
	case n > 1e11:
		return time.UnixMilli(n)
	default:
		return time.Unix(n, 0)
	}
}

// number is the text as a number for JSON, with its digits, or as a string
// where it is none.
func (s scalar) number() any {
	n := json.Number(s)
	if _, err := n.Float64(); err != nil || !json.Valid([]byte(n)) {
		return string(s)
	}
	return n
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// first is the first text that is there.
func first(all ...scalar) string {
	for _, s := range all {
		if s != "" {
			return string(s)
		}
	}
	return ""
}
