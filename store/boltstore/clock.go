package boltstore

import (
	"sync"
	"time"
)

// clock gives two times. Now is the wall clock, held back from falling below a
// time that was stored: while it is behind that, because somebody set it ahead and
// then right, time goes on from there at half its speed. So waits end, nothing runs
// back, and the wall clock catches up. Steady starts from it when the store is opened
// and then moves by uptime alone: what must not age when somebody sets the clock is
// measured by it.
type clock struct {
	wall   func() time.Time
	uptime func() time.Duration

	mu    sync.Mutex
	floor time.Time     // the latest time handed to an act
	since time.Duration // uptime when it was
	lead  time.Duration // by how much it has been ahead of the wall clock
	base  time.Time     // steady time when uptime was zero
	last  time.Time     // the latest steady time given
}

// start sets the floor and the beginning of steady time, neither before least.
func (c *clock) start(wall func() time.Time, uptime func() time.Duration, floor, least time.Time) {
	c.wall, c.uptime, c.floor, c.since = wall, uptime, floor, uptime()
	now := c.Now()
	if least.After(now) {
		now = least
	}
	c.base, c.last = now.Add(-uptime()), now
}

// Now returns the time in UTC, without a monotonic reading.
func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now()
}

func (c *clock) now() time.Time {
	now, held := c.both()
	if now.Before(held) {
		return held
	}
	return now
}

// both is the wall clock and what the time is at least: never further ahead of the
// wall clock than it has been seen to be, whatever uptime does.
func (c *clock) both() (wall, held time.Time) {
	wall = time.Unix(0, c.wall().UnixNano()).UTC()
	c.lead = max(c.lead, c.floor.Sub(wall))
	held = c.floor.Add((c.uptime() - c.since) / 2)
	if most := wall.Add(c.lead); held.After(most) {
		held = most
	}
	return wall, held
}

// ahead is how far the time is ahead of the wall clock.
func (c *clock) ahead() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, held := c.both()
	return max(0, held.Sub(wall))
}

// Steady returns the steady time; it never runs back.
func (c *clock) Steady() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.steady()
}

func (c *clock) steady() time.Time {
	if t := c.base.Add(c.uptime()); t.After(c.last) {
		c.last = t
	}
	return c.last
}

// stamp returns both times for an act that will store them.
func (c *clock) stamp() (now, steady time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	wall, held := c.both()
	c.floor, c.since, c.lead = wall, c.uptime(), 0
	if wall.Before(held) {
		c.floor, c.lead = held, held.Sub(wall)
	}
	return c.floor, c.steady()
}
