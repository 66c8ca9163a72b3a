// Package clip cuts texts that are too long for where they go, between characters.
// Limits are in bytes: databases, cookies and platforms count those. What is no UTF-8
// goes in and comes out as it is; who promises better must see to it.
package clip

import "unicode/utf8"

// dots stand for what was cut.
const dots = "…"

// To is the beginning of a text, of n bytes at most.
func To(s string, n int) string {
	if n = max(n, 0); len(s) <= n {
		return s
	}
	for i := n; i >= max(n-utf8.UTFMax+1, 0); i-- {
		if utf8.RuneStart(s[i]) {
			return s[:i]
		}
	}
	return s[:n] // in the middle of what is no character
}

// Dots is a text of n bytes at most: s itself, or its beginning and "…", whose three
// bytes count. Where there is no room for them it is the beginning alone.
func Dots(s string, n int) string {
	if len(s) <= n {
		return s
	}
	if n < len(dots) {
		return To(s, n)
	}
	return To(s, n-len(dots)) + dots
}
