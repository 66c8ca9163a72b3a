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

// view runs fn on a snapshot of what is committed. fn must copy what it keeps.
func (s *Store) view(fn func(*bolt.Tx) error) error {
	defer s.readers.leave(s.readers.enter(time.Now()))
	err := s.db.View(fn)
	if errors.Is(err, berrors.ErrDatabaseNotOpen) {
		return store.ErrClosed
	}
	return err
}
