package app

import (
	"context"
	"errors"

	"bot/store"
)

// Alive returns nil when the engine is doing its work: it is ready, and the
// store's writer has just answered. It may wait as long as a commit takes, and
// for ever where the writer is stuck, which is for ctx, or a watchdog, to end.
//
// A full disk, a long queue and a platform that is down are no lack of life: a
// restart would cure none of them. So what the writer answers is not asked, but
// that it does. It may be called by any goroutine once Started was, and waits
// for nothing when it is asked after the stop has begun.
func (a *App) Alive(ctx context.Context) error {
	if !a.ready.Load() {
		return a.readiness()
	}
	// No entry has the number 0, so this act goes the writer's whole way, behind
	// all that were handed in before, and changes nothing on the disk.
	_, err := a.store.Charge(ctx, 0)
	switch {
	case err == nil, errors.Is(err, store.ErrGone), errors.Is(err, store.ErrFull):
		return nil
	default:
		return err
	}
}
