package boltstore

import (
	"errors"
	"sync"
	"time"

	"bot/store"

	bolt "go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// readers knows the open read transactions: each keeps the pages that were
// freed since it began from being used again, so an old one makes the file grow.
type readers struct {
	mu   sync.Mutex
	open map[*time.Time]struct{}
}

func (r *readers) enter(now time.Time) *time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = make(map[*time.Time]struct{})
	}
	r.open[&now] = struct{}{}
	return &now
}

func (r *readers) leave(since *time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, since)
}

// oldest is the age of the oldest read, 0 when there is none.
func (r *readers) oldest(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var d time.Duration
	for since := range r.open {
		d = max(d, now.Sub(*since))
	}
	return d
}

// snapshot is what is committed: the trees, and the journal over them.
type snapshot struct {
	*bolt.Tx
	journal *journal
}

// get reads a row of a journaled tree.
func (s *snapshot) get(in tree, key []byte) []byte {
	if c, ok := s.journal.find(in, key); ok {
		return c.value
	}
	return getRow(s.Tx, treeNames[in], key)
}

// letter reads a dead letter.
func (s *snapshot) letter(id uint64) []byte { return getRow(s.Tx, bDead, be(id)) }

// view runs fn on a snapshot. fn must copy what it keeps, and be quick: a
// commit that is done waits for it before it tells anybody.
func (s *Store) view(fn func(*snapshot) error) error {
	s.journal.mu.RLock()
	defer s.journal.mu.RUnlock()
	return s.read(func(tx *bolt.Tx) error { return fn(&snapshot{tx, &s.journal}) })
}

// read runs fn on the file alone.
func (s *Store) read(fn func(*bolt.Tx) error) error {
	defer s.readers.leave(s.readers.enter(time.Now()))
	err := s.db.View(fn)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return store.ErrClosed
	}
	return err
}
