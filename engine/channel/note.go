package channel

import (
	"net/url"
	"strings"
	"unicode"
)

// maxNote is the length of a SendError's note in characters.
const maxNote = 200

// note makes words that may be the platform's own fit for logs, traces and the
// console. Secrets go first: cut afterwards, none can survive in half.
func (c *Call) note(s string) string {
	for _, secret := range c.Secrets {
		if secret == "" {
			continue
		}
		s = strings.ReplaceAll(s, secret, "***")
		s = strings.ReplaceAll(s, url.QueryEscape(secret), "***")
	}
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n++; n > maxNote {
			return s[:i]
		}
	}
	return s
}
