// Package answer reads what people type into a form: numbers, dates, mobile
// numbers, identity cards, e-mail addresses, one of several choices. Each
// reader takes an answer as match.Answer leaves it, with its width narrowed,
// and returns the one form in which it is kept. All are safe for concurrent
// use and take time in proportion to the text.
package answer

import (
	"regexp"
	"strings"
	"unicode"
)

// longest is how many bytes of an answer the readers look at. Nothing that they
// know is longer; an e-mail address may have 254.
const longest = 300

// compact takes out spaces, what cannot be seen, and the signs in cut.
func compact(s, cut string) string {
	if len(s) > longest {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) || strings.ContainsRune(cut, r) {
			return -1
		}
		return r
	}, s)
}

// dashes are what phones and documents put between groups of digits.
const dashes = "-‐‑–—−"

var mobile = regexp.MustCompile(`^(?:\+?86|0086)?(1[3-9]\d{9})$`)

// Mobile reads a mobile number of mainland China, with or without its country
// code, spaces and dashes. It is kept as 11 digits.
func Mobile(s string) (string, bool) {
	m := mobile.FindStringSubmatch(compact(s, dashes+"()"))
	if m == nil {
		return "", false
	}
	return m[1], true
}

// address is what mailers accept in practice, not all that the standard allows.
var address = regexp.MustCompile(`^([A-Za-z0-9!#$%&'*+/=?^_{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_{|}~-]+)*)@((?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]{2,63})$`)

// Email reads an e-mail address. It is kept with its domain in small letters;
// what stands before the @ is the mailbox's own affair.
func Email(s string) (string, bool) {
	m := address.FindStringSubmatch(s)
	if m == nil || len(s) > 254 || len(m[1]) > 64 {
		return "", false
	}
	return m[1] + "@" + strings.ToLower(m[2]), true
}
