package qiwe

import (
	"strings"
	"time"

	"bot/engine/channel"
)

// scalar is a channel.Scalar whose booleans read 1 and 0: the platform writes one
// field now as this and now as that.
type scalar channel.Scalar

// UnmarshalJSON never fails.
func (s *scalar) UnmarshalJSON(b []byte) error {
	_ = (*channel.Scalar)(s).UnmarshalJSON(b) // which does not either
	switch {
	case b[0] == 't':
		*s = "1"
	case b[0] == 'f':
		*s = "0"
	}
	return nil
}

func (s scalar) time() time.Time { return channel.Scalar(s).Time() }
func (s scalar) number() any     { return channel.Scalar(s).Number() }

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
