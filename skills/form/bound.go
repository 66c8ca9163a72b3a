package form

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"time"

	"bot/skills/answer"
)

// bound is the least or the most that an answer may be: a number, a day, or a
// day counted from the one on which the answer comes.
type bound struct {
	typed   string
	number  *big.Rat  // of a number
	day     time.Time // of a date
	moving  bool      // the day is today, and days later
	daysOff int
}

// numberBound reads a TOML number, or one in quotes.
func numberBound(v any) (*bound, bool) {
	typed := fmt.Sprint(v)
	if f, ok := v.(float64); ok {
		typed = strconv.FormatFloat(f, 'f', -1, 64)
	}
	kept, ok := answer.Number(typed)
	if !ok {
		return nil, false
	}
	return &bound{typed: kept, number: rational(kept)}, true
}

// fromToday is a day counted from today: today, today+30d, today-1d.
var fromToday = regexp.MustCompile(`^today(?:\s*([+-]\s*\d{1,5})\s*d)?$`)

var spaces = regexp.MustCompile(`\s`)

// dateBound reads a day of TOML's own, in quotes, or counted from today.
func dateBound(v any) (*bound, bool) {
	typed := fmt.Sprint(v)
	if day, ok := v.(time.Time); ok {
		typed = day.Format(time.DateOnly)
	}
	if m := fromToday.FindStringSubmatch(typed); m != nil {
		off, err := 0, error(nil)
		if m[1] != "" {
			off, err = strconv.Atoi(spaces.ReplaceAllString(m[1], ""))
		}
		return &bound{typed: typed, moving: true, daysOff: off}, err == nil
	}
	day, err := time.Parse(time.DateOnly, typed)
	return &bound{typed: typed, day: day}, err == nil
}

// compare tells whether an answer lies below (-1), at (0) or above (1) the
// bound. Without a today nothing lies beyond a day that moves.
func (b *bound) compare(kept string, today time.Time) int {
	if b.number != nil {
		return rational(kept).Cmp(b.number)
	}
	day, err := time.Parse(time.DateOnly, kept)
	if err != nil || b.moving && today.IsZero() {
		return 0
	}
	return day.Compare(b.on(today))
}

// on is the day that the bound is on some day.
func (b *bound) on(today time.Time) time.Time {
	if b.moving {
		return today.AddDate(0, 0, b.daysOff)
	}
	return b.day
}

// beyond tells whether the bound lies above another on every day.
func (b *bound) beyond(other *bound) bool {
	switch {
	case b.number != nil:
		return b.number.Cmp(other.number) > 0
	case b.moving != other.moving:
		return false
	}
	return b.on(time.Time{}).After(other.on(time.Time{}))
}

// said is the bound in words for users; "" for none and for a day that moves,
// which the question is to name.
func (b *bound) said() string {
	if b == nil || b.moving {
		return ""
	}
	return b.typed
}

// rational is the value of a number as answer.Number keeps it.
func rational(kept string) *big.Rat {
	r := new(big.Rat)
	r.SetString(kept)
	return r
}
