package storetest

import (
	"sync"
	"time"
)

// Clock is a clock that tests set. It has two hands: the wall clock, which
// people and time servers move as they like, and the uptime, which only the
// passing of time moves. Safe for concurrent use.
type Clock struct {
	mu     sync.Mutex
	wall   time.Time
	uptime time.Duration
}

// NewClock starts in the spring of 2026.
func NewClock() *Clock {
	return &Clock{wall: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
}

// Now is the wall clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.wall
}

// Uptime is the time that has passed since the clock was made.
func (c *Clock) Uptime() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.uptime
}

// Advance lets time pass.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = c.wall.Add(d)
	c.uptime += d
}

// Jump sets the wall clock by d, back or forth, while no time passes.
func (c *Clock) Jump(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wall = c.wall.Add(d)
}
