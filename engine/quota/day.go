package quota

import "time"

// Day is one day in an account's zone.
type Day struct {
	Name   string    // 2026-12-01
	Began  time.Time // the moment it was looked at, not its midnight
	Ends   time.Time // the first moment of another day
	inZone *time.Location
}

// DayAt is the day that a moment lies in.
func DayAt(now time.Time, zone *time.Location) Day {
	t := now.In(orUTC(zone))
	return Day{Name: t.Format(time.DateOnly), Began: now, Ends: dayEnds(t), inZone: zone}
}

// Holds tells whether the moment certainly lies in the day and the zone is the
// day's own. It is cheap, unlike DayAt.
func (d *Day) Holds(now time.Time, zone *time.Location) bool {
	return d.inZone == zone && !now.Before(d.Began) && now.Before(d.Ends)
}

// kept is how long the numbers of the day are.
func (d *Day) kept() time.Time { return d.Ends.Add(24 * time.Hour) }

// dayEnds is the first moment after t with another date. Where clocks are put
// forward over midnight there is no 00:00 to ask for, and where they are put back
// there may be two: so it goes from one change of the clocks to the next, between
// which days are 24 hours.
func dayEnds(t time.Time) time.Time {
	date := t.Format(time.DateOnly)
	for {
		_, change := t.ZoneBounds()
		h, m, s := t.Clock()
		passed := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(s)*time.Second + time.Duration(t.Nanosecond())
		if midnight := t.Add(24*time.Hour - passed); change.IsZero() || midnight.Before(change) {
			return midnight
		}
		if t = change; t.Format(time.DateOnly) != date {
			return t
		}
	}
}

func orUTC(zone *time.Location) *time.Location {
	if zone == nil {
		return time.UTC
	}
	return zone
}
