package hours

import (
	"slices"
	"time"
)

// Daily are the hours from one full hour of each day until before another.
func Daily(from, until int) Times {
	l := Line{spans: []span{{minute(from * 60), minute(until * 60)}}}
	for i := range l.weekdays {
		l.weekdays[i] = true
	}
	return Times{l}
}

// maxWithin bounds how far Within looks back.
const maxWithin = 400 * 24 * time.Hour

// Within is how much of the time from one moment until another lies in the hours,
// by the calendar and the clock of the later one's location: an hour that a clock
// is put on by is none, one that it is put back by counts. Only the last 400 days
// are looked at.
func (t Times) Within(from, until time.Time) (total time.Duration) {
	from = from.In(until.Location())
	if until.Sub(from) > maxWithin {
		from = until.Add(-maxWithin)
	}
	if !from.Before(until) {
		return 0
	}
	var all []stretch
	for d, last := dayOf(from.Date())-1, dayOf(until.Date()); d <= last; d++ {
		for _, s := range t.on(d) {
			all = append(all, s.of(d, until.Location()))
		}
	}
	slices.SortFunc(all, func(a, b stretch) int { return a.from.Compare(b.from) })
	at := from
	for _, s := range all {
		begin, end := later(s.from, at), s.until
		if end.After(until) {
			end = until
		}
		if begin.Before(end) {
			total += end.Sub(begin)
			at = end
		}
	}
	return total
}

// stretch is a span of a day as moments.
type stretch struct{ from, until time.Time }

// of is the span that begins on a day.
func (s span) of(d day, at *time.Location) stretch {
	end := d
	if s.overnight() {
		end++
	}
	return stretch{s.from.of(d, at), s.until.of(end, at)}
}

func (m minute) of(d day, at *time.Location) time.Time {
	return time.Date(1970, time.January, 1+int(d), 0, int(m), 0, 0, at)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
