// Package hours reads the times at which people are there, as they write them,
// and tells whether a moment lies in them.
package hours

import (
	"slices"
	"time"
)

// Times are the lines of one list, in any order. What is said of a date goes
// before what is said of its day of the week; a date with hours of its own goes
// before one that is closed. Times never change and are safe for concurrent use.
type Times []Line

// Line is one line of a list: days of the week or dates, and when it is open on
// them. Its zero value is never open.
type Line struct {
	weekdays [7]bool // by time.Weekday, where dates are not given
	dates    dates
	spans    []span // none: closed
}

// dates are the days from first to last, both of them among it.
type dates struct{ first, last day }

func (d dates) given() bool        { return d != dates{} }
func (d dates) include(x day) bool { return d.first <= x && x <= d.last }

// day is a date of the calendar, counted from some day in the past.
type day int

func dayOf(year int, month time.Month, date int) day {
	const secondsOfADay = 24 * 60 * 60
	return day(time.Date(year, month, date, 0, 0, 0, 0, time.UTC).Unix() / secondsOfADay)
}

func (d day) weekday() time.Weekday {
	return time.Date(1970, time.January, 1+int(d), 0, 0, 0, 0, time.UTC).Weekday()
}

// span is from one minute of the day until before another, which is on the next
// day where it is not later.
type span struct{ from, until minute }

type minute int

func (s span) overnight() bool { return s.until <= s.from }

// Open tells whether the moment lies in the hours, by the calendar and the clock
// of its location. Hours that go past midnight belong to the day on which they begin.
func (t Times) Open(at time.Time) bool {
	today := dayOf(at.Date())
	now := minute(at.Hour()*60 + at.Minute())
	return slices.ContainsFunc(t.on(today), func(s span) bool {
		return s.from <= now && (now < s.until || s.overnight())
	}) || slices.ContainsFunc(t.on(today-1), func(s span) bool {
		return s.overnight() && now < s.until
	})
}

// on are the hours that begin on a day.
func (t Times) on(d day) (spans []span) {
	dated := false
	for _, l := range t {
		if l.dates.given() && l.dates.include(d) {
			dated = true
			spans = append(spans, l.spans...)
		}
	}
	if dated {
		return spans
	}
	for _, l := range t {
		if !l.dates.given() && l.weekdays[d.weekday()] {
			spans = append(spans, l.spans...)
		}
	}
	return spans
}

// NeverOpen tells that nothing but closed dates is said.
func (t Times) NeverOpen() bool {
	return !slices.ContainsFunc(t, func(l Line) bool { return !l.dates.given() || len(l.spans) > 0 })
}
