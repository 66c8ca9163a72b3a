package health

import (
	"time"

	"bot/engine/hours"
)

// Watch is what is expected of an account's callbacks.
type Watch struct {
	Silence  time.Duration // how long there may be none within the hours; 0 is for ever
	Hours    hours.Times
	Location *time.Location
}

// settling is how long after the start silence is not judged: while the process
// was down no callback could come.
const settling = 10 * time.Minute

// Silence is how an account's callbacks stay out.
type Silence struct {
	Since   time.Time     // the last callback, or when the account was first seen
	For     time.Duration // of the hours since
	TooLong bool          // longer than it may be, and it is within the hours now
}

// Silent measures how long there was no callback, as far as that was within the
// hours: nights and weekends do not count.
func (b *Board) Silent(name string, w Watch) Silence {
	a := b.of(name)
	s := Silence{Since: a.since()}
	if w.Silence <= 0 {
		return s
	}
	now := b.now()
	if w.Location != nil {
		now = now.In(w.Location)
	}
	s.For = w.Hours.Within(s.Since, now)
	watched := now.Sub(moment(a.known.Load()))
	s.TooLong = s.For >= w.Silence && w.Hours.Open(now) && watched >= min(settling, w.Silence)
	return s
}
