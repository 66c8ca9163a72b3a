package engine

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a length of time in the configuration: "1.5s", "10m", "72h",
// "400d" (a day is 24 hours). It is never negative.
type Duration time.Duration

// UnmarshalText reads the forms named on the type.
func (d *Duration) UnmarshalText(b []byte) error {
	v, err := parseDuration(string(b))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

func (d Duration) String() string { return time.Duration(d).String() }

// maxDays bounds durations, so that no time that is reckoned with them leaves what
// the store and the wire can hold.
const maxDays = 36500

func parseDuration(s string) (time.Duration, error) {
	t := strings.TrimSpace(s)
	bad := fmt.Errorf("%q is not a duration (%s)", s, durationHint(t))
	n, inDays := strings.CutSuffix(t, "d")
	if !inDays {
		v, err := time.ParseDuration(t)
		switch {
		case v > maxDays*24*time.Hour:
			return 0, tooLong(s)
		case err != nil || v < 0:
			return 0, bad
		case v == 0 && strings.ContainsAny(t, "123456789"):
			return 0, tooShort(s)
		}
		return v, nil
	}
	days, err := strconv.ParseFloat(n, 64)
	v := time.Duration(min(days, maxDays) * 24 * float64(time.Hour))
	switch {
	case errors.Is(err, strconv.ErrRange) && days > 0 || days > maxDays:
		return 0, tooLong(s)
	case err != nil || !(days >= 0):
		return 0, bad
	case v == 0 && days > 0:
		return 0, tooShort(s)
	}
	return v, nil
}

// A boundsError says that a value is well written and yet none that could be meant.
type boundsError string

func (e boundsError) Error() string { return string(e) }

func tooLong(s string) error {
	return boundsError(fmt.Sprintf("%q is too long a duration, at most %dd", s, maxDays))
}

func tooShort(s string) error {
	return boundsError(fmt.Sprintf("%q is too short a duration, at least 1ns, or \"0s\" for none", s))
}

// foreign are units in the words of people, the longer ones first.
var foreign = []struct{ word, unit string }{
	{"分钟", "m"}, {"秒钟", "s"}, {"小时", "h"}, {"分", "m"}, {"秒", "s"}, {"时", "h"}, {"天", "d"}, {"日", "d"}, {"min", "m"},
}

// durationHint says what to write in place of s.
func durationHint(s string) string {
	if isNumber(s) {
		return fmt.Sprintf("write \"%sm\" for minutes, \"%ss\" for seconds", s, s)
	}
	for _, f := range foreign {
		if n, ok := strings.CutSuffix(s, f.word); ok && isNumber(strings.TrimSpace(n)) {
			return fmt.Sprintf("write %q", strings.TrimSpace(n)+f.unit)
		}
	}
	return `like "1.5s", "10m", "72h", "30d"`
}

// isNumber tells a number without sign or exponent.
func isNumber(s string) bool {
	_, err := strconv.ParseFloat(s, 64)
	return err == nil && strings.Trim(s, "0123456789.") == ""
}

// Range is a span of durations, "1.5s..4.5s"; a single duration is a range of one.
type Range struct{ Min, Max time.Duration }

// UnmarshalText reads the forms named on the type.
func (r *Range) UnmarshalText(b []byte) error {
	lo, hi, two := strings.Cut(string(b), "..")
	a, err := parseDuration(lo)
	z := a
	if err == nil && two {
		z, err = parseDuration(hi)
	}
	if bounds := boundsError(""); errors.As(err, &bounds) {
		return err
	} else if err != nil {
		return fmt.Errorf("%q is not a duration or a range (%s)", b, rangeHint(string(b)))
	}
	if z < a {
		return fmt.Errorf("range %q ends before it begins", b)
	}
	*r = Range{a, z}
	return nil
}

// rangeHint says what to write in place of s: people join the two ends with
// whatever sign they know.
func rangeHint(s string) string {
	for _, sign := range []string{"～", "~", "—", "–", "-", "…", "至", "到"} {
		lo, hi, two := strings.Cut(s, sign)
		_, errLo := parseDuration(lo)
		_, errHi := parseDuration(strings.Trim(hi, sign))
		if two && errLo == nil && errHi == nil {
			return fmt.Sprintf("write \"%s..%s\"", strings.TrimSpace(lo), strings.TrimSpace(strings.Trim(hi, sign)))
		}
	}
	if hint := durationHint(strings.TrimSpace(s)); strings.HasPrefix(hint, "write") {
		return hint
	}
	return `like "2s" or "1.5s..4.5s"`
}

func (r Range) String() string {
	if r.Min == r.Max {
		return r.Min.String()
	}
	return r.Min.String() + ".." + r.Max.String()
}

// At returns the point of the range that lies at the fraction x of it, 0 <= x < 1.
func (r Range) At(x float64) time.Duration {
	return r.Min + time.Duration(x*float64(r.Max-r.Min))
}

// IsZero tells an absent range, or one of no length at nought.
func (r Range) IsZero() bool { return r == Range{} }

// Rate is a number of events in a time, "20/m" (units s, m, h, d). The zero
// Rate means no limit.
type Rate struct {
	N   float64
	Per time.Duration
}

// The bounds of a Rate, as they are written and by the second. Beyond them a wait is
// longer than any duration, or a number of events no number.
const (
	slowest, fastest            = "0.001/d", "1000000/s"
	slowestASecond, mostASecond = 0.001 / (24 * 60 * 60), 1_000_000
)

// UnmarshalText reads the form named on the type, within its bounds.
func (r *Rate) UnmarshalText(b []byte) error {
	num, unit, ok := strings.Cut(strings.TrimSpace(string(b)), "/")
	per := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}[strings.TrimSpace(unit)]
	n, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
	tooLarge := errors.Is(err, strconv.ErrRange)
	if !ok || per == 0 || err != nil && !tooLarge || !(n > 0) || math.IsInf(n, 0) && !tooLarge {
		return fmt.Errorf("%q is not a rate above zero (like \"20/m\"; units s, m, h, d)", b)
	}
	read := Rate{n, per}
	if p := read.PerSecond(); p > mostASecond || p < slowestASecond*(1-1e-9) { // what is written as the bound is within it
		return fmt.Errorf("%q is not a rate from %s to %s", b, slowest, fastest)
	}
	*r = read
	return nil
}

// MarshalText writes the form named on the type; nothing for no limit.
func (r Rate) MarshalText() ([]byte, error) {
	if r.Per == 0 {
		return nil, nil
	}
	return []byte(r.String()), nil
}

// PerSecond is the rate as x/time/rate counts it; 0 means no limit.
func (r Rate) PerSecond() float64 {
	if r.Per == 0 {
		return 0
	}
	return r.N / r.Per.Seconds()
}

func (r Rate) String() string {
	unit := map[time.Duration]string{time.Second: "s", time.Minute: "m", time.Hour: "h", 24 * time.Hour: "d"}[r.Per]
	return strconv.FormatFloat(r.N, 'g', -1, 64) + "/" + unit
}

// Size is a number of bytes: "1MiB", "64KiB", "2GB", "512".
type Size int64

// maxSize bounds sizes: far beyond any disk, and far from where numbers end.
const maxSize Size = 1024 << 40

var sizeUnits = []struct {
	name string
	n    float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1},
}

// UnmarshalText reads the forms named on the type.
func (z *Size) UnmarshalText(b []byte) error {
	t := strings.TrimSpace(string(b))
	for _, u := range sizeUnits {
		num, ok := strings.CutSuffix(t, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(strings.TrimSpace(num), 64)
		if errors.Is(err, strconv.ErrRange) && n > 0 || n*u.n > float64(maxSize) {
			return fmt.Errorf("%q is too large a size, at most %v", b, maxSize)
		}
		if err != nil || !(n >= 0) {
			break
		}
		if n*u.n > 0 && n*u.n < 1 {
			return fmt.Errorf("%q is less than a byte", b)
		}
		*z = Size(n * u.n)
		return nil
	}
	return fmt.Errorf("%q is not a size (like \"64KiB\", \"1MiB\", \"2GB\")", b)
}

func (z Size) String() string {
	for _, u := range []int{3, 2, 1, 0} {
		if n := int64(sizeUnits[u].n); int64(z) >= n && int64(z)%n == 0 {
			return strconv.FormatInt(int64(z)/n, 10) + sizeUnits[u].name
		}
	}
	return strconv.FormatInt(int64(z), 10)
}

// Std is d as the standard library's type.
func (d Duration) Std() time.Duration { return time.Duration(d) }
