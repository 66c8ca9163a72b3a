package channel

import (
	"net/http"
	"strings"
	"time"
)

// MaxRetryAfter caps how long a platform can make us wait.
const MaxRetryAfter = 24 * time.Hour

// RetryAfter reads the header of that name, in seconds or as an HTTP date,
// into the time to wait for. ok is false where there is none or it is neither.
// A date is measured against the answer's own Date, since the platform's clock
// need not be ours.
func RetryAfter(h http.Header, now time.Time) (until time.Time, ok bool) {
	v := strings.TrimSpace(h.Get("Retry-After"))
	if v == "" {
		return time.Time{}, false
	}
	if strings.Trim(v, "0123456789") == "" {
		return now.Add(seconds(v)), true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return time.Time{}, false
	}
	theirs, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		theirs = now
	}
	return now.Add(min(max(at.Sub(theirs), 0), MaxRetryAfter)), true
}

// seconds reads digits, however many, up to MaxRetryAfter.
func seconds(digits string) time.Duration {
	var d time.Duration
	for _, c := range digits {
		if d = 10*d + time.Duration(c-'0')*time.Second; d >= MaxRetryAfter {
			return MaxRetryAfter
		}
	}
	return d
}
