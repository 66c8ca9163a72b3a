package pace

import (
	"math"
	"time"

	"bot/engine"
)

// The pauses that nobody prescribed: the n-th in a row is drawn from the upper
// half of the doubled one before, 1 to 2 s at first, 30 to 60 s at last.
const (
	firstPause   = 2 * time.Second
	longestPause = time.Minute
)

func pause(n int, chance func() float64) time.Duration {
	d := longestPause
	if n < 6 {
		d = min(firstPause<<(n-1), longestPause)
	}
	return engine.Range{Min: d / 2, Max: d}.At(chance())
}

// hold is a wait that the platform asked for.
type hold struct {
	until time.Time
	count int // waits of unsaid length in a row
}

func (h *hold) wait(now time.Time) time.Duration { return max(h.until.Sub(now), 0) }

func (h *hold) extend(now time.Time, wait time.Duration, chance func() float64) (time.Duration, bool) {
	began := !h.until.After(now)
	if wait <= 0 && began {
		// Requests that were in flight together are told off together: that
		// is one refusal, not many.
		h.count++
		wait = pause(h.count, chance)
	}
	if until := now.Add(wait); until.After(h.until) {
		h.until = until
	}
	return h.wait(now), began
}

// breaker keeps an account from knocking at a door behind which nobody is.
type breaker struct {
	fails   int // in a row; 0: closed
	until   time.Time
	probing bool // the one that may go after a pause is on its way
}

func (b *breaker) wait(now time.Time) time.Duration {
	switch {
	case b.probing:
		return Forever
	case b.fails == 0:
		return 0
	}
	return max(b.until.Sub(now), 0)
}

func (b *breaker) take() { b.probing = b.fails > 0 }

func (b *breaker) close() (was bool) {
	was = b.fails > 0
	*b = breaker{}
	return was
}

// fail opens the breaker or lengthens the pause after a probe. Others that
// were in flight when it opened tell nothing new.
func (b *breaker) fail(now time.Time, chance func() float64) (opened bool) {
	if b.fails > 0 && !b.probing {
		return false
	}
	b.fails++
	b.probing = false
	b.until = now.Add(pause(b.fails, chance))
	return b.fails == 1
}

// gap draws from a normal distribution around the middle of the range, a
// quarter of its width as deviation, until the draw lies in the range: one in
// twenty-two does not.
func gap(r engine.Range, chance func() float64) time.Duration {
	middle, sigma := float64(r.Min+r.Max)/2, float64(r.Max-r.Min)/4
	for range 100 {
		// Box-Muller; 1-u keeps the logarithm away from zero.
		z := math.Sqrt(-2*math.Log(1-chance())) * math.Cos(2*math.Pi*chance())
		if d := time.Duration(middle + z*sigma); d >= r.Min && d <= r.Max {
			return d
		}
	}
	// Only a source that is not random gets here.
	return time.Duration(middle)
}
