package dispatch

import (
	"context"
	"errors"
	"time"

	"bot/store"
)

const (
	firstPause = 50 * time.Millisecond
	longPause  = time.Second // the longest between two tries at a full store
)

// patiently repeats an act while the store has no room for it. Nobody failed,
// so nobody is charged, and the work done so far is not thrown away. It gives
// up with ctx and returns ctx's error then.
func (d *Dispatcher) patiently(ctx context.Context, what string, act func() error) error {
	for pause := firstPause; ; pause = min(2*pause, longPause) {
		err := act()
		if !errors.Is(err, store.ErrFull) {
			return err
		}
		if pause == firstPause {
			d.o.Log.Warn("store is full, waiting for room", "act", what)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

const (
	firstBackoff = time.Second
	longBackoff  = 30 * time.Second
)

// backoff is the wait after the n-th failure: a random share, chance in [0,1),
// of a time that doubles, so that what failed together does not return together.
func backoff(n int, chance float64) time.Duration {
	limit := longBackoff
	if n < 6 { // beyond, the doubled time is past the limit anyway
		limit = min(limit, firstBackoff<<(n-1))
	}
	return time.Duration(chance * float64(limit))
}
