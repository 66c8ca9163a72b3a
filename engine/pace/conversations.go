package pace

import (
	"slices"
	"time"

	"bot/engine"
)

// conversations holds a bucket for each conversation that sent lately. A
// conversation without one has a full bucket, so a full bucket is forgotten:
// memory follows what was sent within one interval of the rate, not the number
// of people ever talked to.
type conversations struct {
	rate    engine.Rate
	buckets map[string]*bucket
	// recent has one entry for each bucket. All buckets have the same rate and
	// a burst of 1, so they fill up in the order of the list.
	recent []filling
}

type filling struct {
	conversation string
	full         time.Time
}

func (c *conversations) set(r engine.Rate, now time.Time) {
	c.rate = r
	if r.PerSecond() == 0 {
		c.buckets, c.recent = nil, nil
		return
	}
	for i, r := range c.recent {
		b := c.buckets[r.conversation]
		b.set(c.rate, 1, now)
		c.recent[i].full = now.Add(b.wait(now))
	}
	slices.SortFunc(c.recent, func(a, b filling) int { return a.full.Compare(b.full) })
}

func (c *conversations) wait(now time.Time, conversation string) time.Duration {
	if b := c.buckets[conversation]; b != nil {
		return b.wait(now)
	}
	return 0
}

func (c *conversations) take(now time.Time, conversation string) {
	if c.rate.PerSecond() == 0 {
		return
	}
	c.forget(now)
	b := c.buckets[conversation]
	if b == nil {
		b = &bucket{}
		b.set(c.rate, 1, now)
		if c.buckets == nil {
			c.buckets = map[string]*bucket{}
		}
		c.buckets[conversation] = b
		b.take(now)
		c.recent = append(c.recent, filling{conversation, now.Add(b.wait(now))})
		return
	}
	b.take(now)
}

func (c *conversations) give(now time.Time, conversation string) {
	if b := c.buckets[conversation]; b != nil {
		b.give(now)
	}
}

// forget drops the buckets that are full. One that is not, though it was to
// be, goes back to the end.
func (c *conversations) forget(now time.Time) {
	for len(c.recent) > 0 && !c.recent[0].full.After(now) {
		name := c.recent[0].conversation
		c.recent = c.recent[1:]
		if wait := c.buckets[name].wait(now); wait > 0 {
			c.recent = append(c.recent, filling{name, now.Add(wait)})
		} else {
			delete(c.buckets, name)
		}
	}
}
