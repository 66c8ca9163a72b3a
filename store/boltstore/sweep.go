package boltstore

import (
	"context"
	"time"
)

// Sweep drops whole slices and periods, one in each act, so that no act waits
// for more than one of them, and then expired notes, a number in each act.
func (s *Store) Sweep(ctx context.Context) error {
	s.tellOfTheClock()
	steady := s.clock.Steady()
	for _, start := range s.index.ended(steady.Add(-s.opt.Window)) {
		err := s.dropSlice(ctx, bDedup, beTime(start), func() { s.index.drop(start) })
		if err != nil {
			return wrap("sweep dedup keys", err)
		}
	}
	// A bucket is over when its last possible entry is.
	err := s.sweepBuckets(ctx, bSettled, func(name uint64) bool {
		end := time.Unix(0, int64(name)).Add(s.settledSlice())
		return end.Add(s.settledFor()).Before(steady)
	})
	if err != nil {
		return wrap("sweep settled commands", err)
	}
	now := s.Now()
	err = s.sweepBuckets(ctx, bOnce, func(period uint64) bool { return period < periodOf(now) })
	if err != nil {
		return wrap("sweep once-keys", err)
	}
	return wrap("sweep notes", s.sweepNotes(ctx))
}

// farAhead is from when on it is worth a word that the time is ahead of the wall clock:
// a machine's clock is set by more only when something is wrong.
const farAhead = time.Minute

// tellOfTheClock warns when that begins, and says when it is over.
func (s *Store) tellOfTheClock() {
	ahead := s.clock.ahead()
	far := ahead >= farAhead
	if s.isAhead.Swap(far) == far {
		return
	}
	if far {
		s.log.Warn("the machine's clock is behind times that are stored, as if it had been wrong; until it has caught up the engine's time goes on at half its speed",
			"behind_ms", ahead.Milliseconds())
		return
	}
	s.log.Info("the machine's clock has caught up with the times that are stored")
}

func (s *Store) sweepBuckets(ctx context.Context, parent []byte, over func(name uint64) bool) error {
	var names [][]byte
	err := s.view(func(tx *snapshot) error {
		return tx.Bucket(parent).ForEachBucket(func(name []byte) error {
			if over(unbe(name)) {
				names = append(names, append([]byte(nil), name...))
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := s.dropSlice(ctx, parent, name, nil); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) dropSlice(ctx context.Context, parent, name []byte, then func()) error {
	return s.do(ctx, &act{size: 64, run: func(t *txn) error {
		b := t.bucket(parent)
		if b.Bucket(name) == nil {
			return nil // another sweep was faster
		}
		t.dropBucket(b, name)
		if then != nil {
			t.then(then)
		}
		return nil
	}})
}
