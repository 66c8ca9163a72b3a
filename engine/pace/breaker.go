package pace

import (
	"time"

	"bot/engine"
)

// The pauses that nobody prescribed: the n-th in a row is drawn from the upper
// half of the doubled one before, 1 to 2 s at first.
const (
	firstPause = 2 * time.Second
	// longestUnreachable is the longest pause while nobody answers: a connection
	// that does not come about harms no account.
	longestUnreachable = time.Minute
)

func pause(n int, longest time.Duration, chance func() float64) time.Duration {
	d := firstPause
	for ; n > 1 && d < longest; n-- {
		d *= 2
	}
	d = min(d, longest)
	return engine.Range{Min: d / 2, Max: d}.At(chance())
}

// breaker keeps an account from knocking at a door behind which nobody is.
type breaker struct {
	fails int // in a row; 0: closed
	until time.Time
	probe time.Time // when the one left that may go after a pause; zero: none is on its way
}

func (b *breaker) wait(now time.Time) time.Duration {
	switch {
	case !b.probe.IsZero():
		return Forever
	case b.fails == 0:
		return 0
	}
	return max(b.until.Sub(now), 0)
}

func (b *breaker) take(now time.Time) {
	if b.fails > 0 {
		b.probe = now
	}
}

// back takes note that a command that left then is over, whatever came of it.
func (b *breaker) back(left time.Time) {
	if left.Equal(b.probe) {
		b.probe = time.Time{}
	}
}

func (b *breaker) close() (was bool) {
	was = b.fails > 0
	*b = breaker{}
	return was
}

// fail opens the breaker or lengthens the pause after a probe. Others that
// were in flight when it opened tell nothing new.
func (b *breaker) fail(now, left time.Time, chance func() float64) (opened bool) {
	if b.fails > 0 && !left.Equal(b.probe) {
		return false
	}
	b.back(left)
	b.fails++
	b.until = now.Add(pause(b.fails, longestUnreachable, chance))
	return b.fails == 1
}
