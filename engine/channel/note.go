package channel

import (
	"encoding/json"
	"net/url"
	"strings"
	"unicode"
)

// maxNote is the length of a SendError's note in characters.
const maxNote = 200

// Words makes words that may be the platform's own fit for logs, traces and the
// console.
func Words(s string) string { return new(Call).note(s) }

// note is Words without secrets. They go first: cut afterwards, none can survive in
// half.
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

// Note is what a Sender notes of a command that it carried out: an object of the
// values that are not empty. It is "" where there are none, and where they do not
// fit into MaxNote: what was done was done all the same.
func Note(values map[string]string) string {
	told := make(map[string]string, len(values))
	for name, v := range values {
		if v != "" {
			told[name] = v
		}
	}
	b, err := json.Marshal(told)
	if err != nil || len(told) == 0 || len(b) > MaxNote {
		return ""
	}
	return string(b)
}
