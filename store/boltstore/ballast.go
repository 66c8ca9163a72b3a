package boltstore

import (
	"time"

	bolt "go.etcd.io/bbolt"
)

// On a disk with nothing left, even taking things out needs pages first: bbolt
// writes a page anew before it frees the old one. So the file carries pages
// that hold nothing, to be given up then. The journal is folded with their help
// and does without from there on: what an act changes it changes in the trees,
// which gives back about as many pages as it takes. Until the reserve is whole
// again nothing is taken in, or what it made room for would be gone as well.
const (
	ballastRows = 512
	ballastRow  = 1900 // bytes: two rows fill a page, so that no run of pages is needed
	restockWait = time.Second
)

// ballast is the committer's.
type ballast struct {
	spent bool
	next  time.Time // when to try again to get it back, by the steady clock
}

func fillBallast(b *bolt.Bucket, put func(k, v []byte) error) error {
	b.FillPercent = 1
	row := make([]byte, ballastRow)
	for n := range uint64(ballastRows) {
		if err := put(be(n), row); err != nil {
			return err
		}
	}
	return nil
}

// spendBallast frees the pages, and tells whether there were any. It has to
// write some itself, for which the last commits have left room.
func (s *Store) spendBallast() bool {
	if s.ballast.spent {
		return false
	}
	err := s.alone(func(t *txn) error {
		t.wrote = true
		t.check(t.DeleteBucket(bBallast))
		t.check(second(t.CreateBucket(bBallast)))
		return nil
	})
	if err != nil {
		return false
	}
	s.ballast = ballast{spent: true}
	s.log.Warn("the disk is full to the last page; the store gave up its reserve and takes nothing in until it has it again")
	return true
}

// frugal tells whether an act may live on the reserve: nothing that adds to the
// store, and nothing else before the journal is folded.
func (s *Store) frugal(a *act) bool {
	return a.own || !a.grows && s.journal.unfolded() == 0
}

// scant tells that folding must give back at once what it takes: it could use
// up the reserve, or has found no room.
func (s *Store) scant() bool { return s.ballast.spent || s.journal.poor > 0 }

// restock gets the pages back when there is room, and all that could give some
// is folded. It tells whether it did.
func (s *Store) restock() bool {
	now := s.clock.Steady()
	if !s.ballast.spent || s.journal.unfolded() > 0 || now.Before(s.ballast.next) || s.Err() != nil {
		return false
	}
	s.ballast.next = now.Add(restockWait)
	err := s.alone(func(t *txn) error {
		b := t.bucket(bBallast)
		return fillBallast(b, func(k, v []byte) error {
			t.put(b, k, v)
			return nil
		})
	})
	if err != nil {
		return false
	}
	s.ballast.spent = false
	s.log.Info("the store has its reserve again and takes in what comes")
	return true
}

// alone runs an act of the store's own in a transaction of its own. Where there
// is no room for it the reserve is not touched.
func (s *Store) alone(run func(*txn) error) error {
	now, steady := s.clock.stamp()
	a := &act{run: run, now: now, steady: steady, own: true}
	s.commitOnce([]*act{a})
	return a.err
}

func second[T any](_ T, err error) error { return err }
