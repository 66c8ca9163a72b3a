// Package schedule turns the passing of time into events: the expiry of
// conversations today. What is due lives in the store, never in a sleeping
// goroutine, so a restart neither loses nor repeats it.
package schedule

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"bot/store"
)

// Options is what a Schedule needs.
type Options struct {
	Store interface {
		Fire(ctx context.Context) (events, ended int, more bool, err error)
		NextExpiry() (time.Time, error)
		Sweep(ctx context.Context) error
		Now() time.Time
	}
	Fired func(events int) // events were put into the log
	Every time.Duration    // between two looks at what is due; default 1 s
	Sweep time.Duration    // between two sweeps; default 1 min
	Log   *slog.Logger
}

// Schedule looks at the store's clock. Make it with New, run it once.
type Schedule struct{ o Options }

// New fills in the defaults.
func New(o Options) *Schedule {
	if o.Every == 0 {
		o.Every = time.Second
	}
	if o.Sweep == 0 {
		o.Sweep = time.Minute
	}
	return &Schedule{o}
}

// Run works until ctx is done or the store has failed. A store without room is
// asked again at the next tick: expiries wait, they are not lost.
//
// The first sweep is at once: processes that never live as long as the time
// between two must not keep for ever what is over.
func (s *Schedule) Run(ctx context.Context) error {
	tick, sweep := time.NewTicker(s.o.Every), time.NewTimer(0)
	defer tick.Stop()
	defer sweep.Stop()
	for ctx.Err() == nil {
		var err error
		select {
		case <-ctx.Done():
		case <-tick.C:
			err = s.fire(ctx)
		case <-sweep.C:
			err = s.o.Store.Sweep(ctx)
			sweep.Reset(s.o.Sweep)
		}
		switch {
		case err == nil, ctx.Err() != nil:
		case errors.Is(err, store.ErrFull):
			s.o.Log.Warn("no room to record what time has ended; trying again", "error", err)
		default:
			return err
		}
	}
	return nil
}

func (s *Schedule) fire(ctx context.Context) error {
	next, err := s.o.Store.NextExpiry()
	if err != nil || next.IsZero() || !next.Before(s.o.Store.Now()) {
		return err
	}
	for more := true; more; {
		var events int
		if events, _, more, err = s.o.Store.Fire(ctx); err != nil {
			return err
		}
		if events > 0 {
			s.o.Fired(events)
		}
	}
	return nil
}
