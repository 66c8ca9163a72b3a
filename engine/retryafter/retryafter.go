// Package retryafter reads the header by which a server says how long it wants
// to be left alone. Platforms, models and operators' own services all say it
// alike; how much of it is obeyed is for whoever asks.
package retryafter

import (
	"net/http"
	"strings"
	"time"
)

// Longest is what any longer wait counts as, so that no reader has to think of
// what overflows.
const Longest = 366 * 24 * time.Hour

// Read returns the wait that the header Retry-After asks for, from nought to
// Longest. It may be in seconds, with a fraction (which the standard does not
// know, but model endpoints send), or an HTTP date. A date is measured against
// the answer's own Date, where it has one, since the server's clock need not be
// ours; one that has passed is a wait of nought. ok is false where there is no
// such header or it is neither.
func Read(h http.Header, now time.Time) (wait time.Duration, ok bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if d, ok := seconds(v); ok {
		return d, true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	theirs, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		theirs = now
	}
	return min(max(at.Sub(theirs), 0), Longest), true
}

// seconds reads decimal digits, however many. It is stricter than strconv, which
// takes signs, exponents, infinity and what is no number.
func seconds(s string) (d time.Duration, ok bool) {
	whole, fraction, dotted := strings.Cut(s, ".")
	if whole == "" || !digits(whole) || dotted && (fraction == "" || !digits(fraction)) {
		return 0, false
	}
	for _, c := range whole {
		d = 10*d + time.Duration(c-'0')*time.Second
		if d >= Longest {
			return Longest, true
		}
	}
	unit := time.Second
	for _, c := range fraction {
		unit /= 10
		d += time.Duration(c-'0') * unit
	}
	return min(d, Longest), true
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }
