package storetest

import "time"

// moment is when something happened, on the clock that windows are measured
// by. While a store is open that clock moves by the uptime, so two moments of
// one session are apart exactly. From one session to the next only the wall
// clock can tell the time, and somebody may have set it: the moments of
// different sessions are known within bounds.
type moment struct {
	session          int
	uptime           time.Duration
	earliest, latest time.Time
}

// later is the moment when the uptime of the same session has reached up.
func (m moment) later(up time.Duration) moment {
	d := up - m.uptime
	return moment{m.session, up, m.earliest.Add(d), m.latest.Add(d)}
}

// reopened is the first moment of the next session, which finds the wall clock
// at now. A store may have kept how far its steady clock was.
func (m moment) reopened(up time.Duration, now time.Time) moment {
	latest := now
	if m.latest.After(now) {
		latest = m.latest
	}
	return moment{m.session + 1, up, now, latest}
}

// since is how long ago an earlier moment was.
func (m moment) since(at moment) (least, most time.Duration) {
	if m.session == at.session {
		return m.uptime - at.uptime, m.uptime - at.uptime
	}
	return m.earliest.Sub(at.latest), m.latest.Sub(at.earliest)
}
