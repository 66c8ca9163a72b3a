// Package cron is the times that a cron line names in a time zone. The line is
// read, and its times by the wall clock are found, by a library; what the clock's
// being put on or back means for them is decided here.
package cron

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode"

	lib "github.com/netresearch/go-cron"
)

// Line is a cron line in a zone. It is never changed and safe for concurrent use.
type Line struct {
	wall *lib.SpecSchedule // asked in UTC alone, which stands for the wall clock
	zone *time.Location
	// hourly: the hour is a wildcard, so the line follows the time that passes and
	// not what the clock on the wall says.
	hourly bool
}

// fields are those of a line, in their order.
var fields = []struct {
	name, want string
	option     lib.ParseOption
}{
	{"minute", "0-59", lib.Minute},
	{"hour", "0-23", lib.Hour},
	{"day of the month", "1-31", lib.Dom},
	{"month", "1-12 or jan-dec", lib.Month},
	{"weekday", "0-7 or sun-sat, where 0 and 7 are Sunday", lib.Dow},
}

// shorthand are names that other programs have for lines.
var shorthand = map[string]string{
	"@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0",
	"@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *",
}

// plain is all that a field is made of. The library would take more: zones, hashes.
var plain = regexp.MustCompile(`^[0-9A-Za-z*/-]+(,[0-9A-Za-z*/-]+)*$`)

// years bounds the search for a time: a 29 February can be eight years away.
const years = 9

// maxText is far above what the longest sensible line takes.
const maxText = 1 << 10

// Parse reads five fields: minute, hour, day of the month, month, weekday. Each is
// *, a number, a range (also past its end: fri-mon), a step (*/15, 8-18/2), or a list
// of these. Where both days are given, either will do, as in every cron; a field
// that begins with * gives none. The error names the field that is wrong, and says
// so of a line that never comes.
func Parse(text string, zone *time.Location) (*Line, error) {
	if len(text) > maxText {
		return nil, fmt.Errorf("a cron line of %d bytes is longer than %d", len(text), maxText)
	}
	parts := strings.Fields(text)
	if len(parts) != len(fields) {
		return nil, miscounted(parts)
	}
	for i, part := range parts {
		if err := check(text, i, part); err != nil {
			return nil, err
		}
	}
	options := lib.DowOrDom
	for _, f := range fields {
		options |= f.option
	}
	parsed, err := lib.MustNewParser(options).WithMaxSearchYears(years).Parse(strings.Join(parts, " "))
	spec, ok := parsed.(*lib.SpecSchedule)
	if err != nil || !ok {
		return nil, fmt.Errorf("%q is no cron line: %v", text, err)
	}
	spec.Location = time.UTC
	if spec.Next(time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return nil, fmt.Errorf("%q never comes: no such month has such a day", text)
	}
	return &Line{wall: spec, zone: zone, hourly: strings.HasPrefix(parts[1], "*")}, nil
}

// miscounted says what is wrong with a line of more or fewer fields than five.
func miscounted(parts []string) error {
	if len(parts) == 1 && shorthand[parts[0]] != "" {
		return fmt.Errorf("%s is written %q here", parts[0], shorthand[parts[0]])
	}
	hint := `"0 9 * * mon-fri" is nine o'clock on weekdays`
	if len(parts) == 6 {
		hint = "there are no seconds"
	}
	return fmt.Errorf("a cron line has five fields, minute hour day month weekday, and this has %d (%s)", len(parts), hint)
}

// check finds out by itself whether a field is good, since the library does not
// say in which one an error is.
func check(text string, i int, part string) error {
	f := fields[i]
	_, err := lib.MustNewParser(f.option).Parse(part)
	if err == nil && plain.MatchString(part) {
		return nil
	}
	return fmt.Errorf("the %s %q, at character %d, is none (%s; * for every, 1,15 for some, 2-5 for a range, */2 for every other)",
		f.name, part, column(text, i), f.want)
}

// column counts, from 1, the characters up to the beginning of a field.
func column(text string, field int) int {
	seen, inside := -1, false
	for n, r := range []rune(text) {
		if !unicode.IsSpace(r) && !inside {
			if seen++; seen == field {
				return n + 1
			}
		}
		inside = !unicode.IsSpace(r)
	}
	return 1
}

// Next is the line's first time after another; zero where none comes within nine
// years. Where the clock is put on, a time that it skips comes at once afterwards,
// one time for all that were skipped; where it is put back, a time that it shows
// twice comes the first time. A line whose hour begins with * goes on through both
// by the time that passes: every quarter of an hour stays one.
func (l *Line) Next(after time.Time) time.Time {
	t := after.In(l.zone)
	from := wall(t)
	for range 4 * years { // seasons
		start, end := t.ZoneBounds()
		if shown := before(start); !l.hourly && shown.After(from) {
			from = shown.Add(-1) // up to there the clock shows it for the second time
		}
		next := l.wall.Next(from)
		if next.IsZero() {
			return next
		}
		at := next.Add(-offset(t))
		if end.IsZero() || at.Before(end) {
			return at.In(l.zone)
		}
		if !l.hourly && next.Before(wall(end)) {
			return end
		}
		t = end
		from = wall(t).Add(-1)
	}
	return time.Time{}
}

// wall is what the clock shows, as if it were UTC.
func wall(t time.Time) time.Time { return t.UTC().Add(offset(t)) }

// before is what the clock would show at the start of a season, had it not been
// put on or back; zero where there is no start.
func before(start time.Time) time.Time {
	if start.IsZero() {
		return start
	}
	return wall(start.Add(-1)).Add(1)
}

func offset(t time.Time) time.Duration {
	_, seconds := t.Zone()
	return time.Duration(seconds) * time.Second
}
