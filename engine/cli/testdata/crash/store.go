package main

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/store"
	"bot/store/boltstore"
)

// openStore opens the real store and puts the points around its acts.
func (p *points) openStore(ctx context.Context, o app.StoreOptions) (store.Store, error) {
	s := &crashing{points: p, broke: make(chan struct{})}
	began := time.Now()
	err := p.around("Open", func() error {
		st, err := boltstore.Open(ctx, boltstore.Options{
			Path: o.Path, Window: o.Window, MaxKeys: o.MaxKeys, MinFree: o.MinFree, CommandWindow: o.CommandWindow,
			Now: time.Now, Log: o.Log, Observe: o.Observe,
			Uptime: func() time.Duration { return time.Since(began) + time.Duration(s.leapt.Load()) },
		})
		s.Store = st
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// crashing is a store with points around every act that writes. Once it was
// ordered to fail it takes no further act, as its contract says.
type crashing struct {
	store.Store
	points *points
	leapt  atomic.Int64 // time.Duration

	breaking sync.Once
	broke    chan struct{}
	failure  atomic.Pointer[error]
}

// act is an act with its points.
func (c *crashing) act(name string, do func() error) error {
	if err := c.Err(); err != nil {
		return err
	}
	err := c.points.around(name, do)
	if errors.Is(err, store.ErrFailed) {
		c.breaking.Do(func() { c.failure.Store(&err); close(c.broke) })
	}
	return err
}

func (c *crashing) Failed() <-chan struct{} {
	either := make(chan struct{})
	go func() {
		defer close(either)
		select {
		case <-c.broke:
		case <-c.Store.Failed():
		}
	}()
	return either
}

func (c *crashing) Err() error {
	if p := c.failure.Load(); p != nil {
		return *p
	}
	return c.Store.Err()
}

func (c *crashing) Append(ctx context.Context, events []*engine.Event, window time.Duration) (got store.Appended, err error) {
	err = c.act("Append", func() error {
		got, err = c.Store.Append(ctx, events, window)
		return err
	})
	return got, err
}

func (c *crashing) AppendPage(ctx context.Context, events []*engine.Event, window time.Duration, account string, notes []engine.Note) (got store.Appended, err error) {
	err = c.act("AppendPage", func() error {
		got, err = c.Store.AppendPage(ctx, events, window, account, notes)
		return err
	})
	return got, err
}

func (c *crashing) Remember(ctx context.Context, account string, notes []engine.Note) error {
	return c.act("Remember", func() error { return c.Store.Remember(ctx, account, notes) })
}

func (c *crashing) Commit(ctx context.Context, commit store.Commit) error {
	name := "Commit"
	if commit.Mark != nil {
		name = "CommitAndMark"
	}
	return c.act(name, func() error { return c.Store.Commit(ctx, commit) })
}

func (c *crashing) Fail(ctx context.Context, f store.Failure) error {
	name := "Fail"
	if f.Bury {
		name = "Bury"
	}
	return c.act(name, func() error { return c.Store.Fail(ctx, f) })
}

func (c *crashing) Charge(ctx context.Context, seq uint64) (tries store.Tries, err error) {
	err = c.act("Charge", func() error {
		tries, err = c.Store.Charge(ctx, seq)
		return err
	})
	return tries, err
}

// Begin and the end it returns have no error that could be ordered.
func (c *crashing) Begin(seq uint64) func() {
	var end func()
	c.points.around("Begin", func() error {
		end = c.Store.Begin(seq)
		return nil
	})
	return func() {
		c.points.around("End", func() error {
			end()
			return nil
		})
	}
}

func (c *crashing) SetStanding(ctx context.Context, account, user string, change engine.Change) error {
	return c.act("SetStanding", func() error { return c.Store.SetStanding(ctx, account, user, change) })
}

// Submit hands in as the first page of a job what its task id says to be one.
func (c *crashing) Submit(ctx context.Context, cmds []engine.Command, window time.Duration) (duplicate []bool, err error) {
	if len(cmds) > 0 && strings.HasPrefix(cmds[0].TaskID, "page") {
		return c.SubmitPage(ctx, cmds, window, cmds[0].Account, []engine.Note{{Key: "job/" + cmds[0].TaskID, Value: "1"}})
	}
	err = c.act("Submit", func() error {
		duplicate, err = c.Store.Submit(ctx, cmds, window)
		return err
	})
	return duplicate, err
}

func (c *crashing) SubmitPage(ctx context.Context, cmds []engine.Command, window time.Duration, account string, notes []engine.Note) (duplicate []bool, err error) {
	err = c.act("SubmitPage", func() error {
		duplicate, err = c.Store.SubmitPage(ctx, cmds, window, account, notes)
		return err
	})
	return duplicate, err
}

func (c *crashing) Resolve(ctx context.Context, taskID string, arrived bool, learned []engine.Note, counts ...engine.Count) error {
	return c.act("Resolve", func() error { return c.Store.Resolve(ctx, taskID, arrived, learned, counts...) })
}

func (c *crashing) Attempt(ctx context.Context, id uint64, p store.Progress, counts ...engine.Count) error {
	return c.act("Attempt", func() error { return c.Store.Attempt(ctx, id, p, counts...) })
}

// Settle has the ends sent, confirmed and dead; else the command is to be tried
// again, to be confirmed, or in doubt.
func (c *crashing) Settle(ctx context.Context, s store.Settlement) error {
	name := map[store.Final]string{store.Sent: "Settle", store.Confirmed: "Confirm", store.Dead: "GiveUp", "": "Retry"}[s.Final]
	if s.Final == "" {
		name = cmp.Or(map[store.Phase]string{store.Unconfirmed: "Await", store.InDoubt: "Doubt"}[s.Progress.Phase], name)
	}
	return c.act(name, func() error { return c.Store.Settle(ctx, s) })
}

func (c *crashing) Cancel(ctx context.Context, taskID string) error {
	return c.act("Cancel", func() error { return c.Store.Cancel(ctx, taskID) })
}

// Replay is another act for an event than for a command.
func (c *crashing) Replay(ctx context.Context, id uint64, counts ...engine.Count) error {
	name := "Replay"
	if l, err := c.Store.Letter(id); err == nil && l.Command != nil {
		name = "ReplayCommand"
	}
	return c.act(name, func() error { return c.Store.Replay(ctx, id, counts...) })
}

func (c *crashing) Drop(ctx context.Context, id uint64) error {
	return c.act("Drop", func() error { return c.Store.Drop(ctx, id) })
}

// NextExpiry has the schedule call Fire at each of its ticks.
func (c *crashing) NextExpiry() (time.Time, error) { return time.Unix(1, 0), nil }

// Fire passes its points when something is due. A sweep, which has a tick of
// its own that no test can wait for, goes with it.
func (c *crashing) Fire(ctx context.Context) (events, ended int, more bool, err error) {
	if err := c.Sweep(ctx); err != nil {
		return 0, 0, false, err
	}
	if next, err := c.Store.NextExpiry(); err != nil || next.IsZero() || !next.Before(c.Now()) {
		return 0, 0, false, err
	}
	err = c.act("Fire", func() error {
		events, ended, more, err = c.Store.Fire(ctx)
		return err
	})
	return events, ended, more, err
}

// later is longer than anything is remembered.
const later = 300 * time.Hour

// Sweep finds everything too old when something is ordered for it.
func (c *crashing) Sweep(ctx context.Context) error {
	if c.points.ordered("Sweep") {
		c.leapt.Add(int64(later))
	}
	return c.act("Sweep", func() error { return c.Store.Sweep(ctx) })
}

func (c *crashing) Close() error {
	return c.points.around("Close", c.Store.Close)
}
