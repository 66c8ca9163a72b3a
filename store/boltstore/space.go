package boltstore

import (
	"log/slog"
	"sync"
	"time"
)

// space watches the room on the disk. The answer is kept for a second, so that
// asking before each act costs nothing.
type space struct {
	dir     string
	minFree int64
	free    func(dir string) (int64, error)
	log     *slog.Logger

	mu    sync.Mutex
	asked time.Time
	short bool
}

// roomLeft is what is free on the disk, and in the file: pages that were freed
// are filled again before it grows.
func (s *Store) roomLeft(dir string) (int64, error) {
	n, err := s.opt.FreeSpace(dir)
	st := s.db.Stats()
	return n + int64(st.FreePageN+st.PendingPageN)*int64(s.db.Info().PageSize), err
}

// low tells whether the reserve is being used up. A disk that cannot be asked
// counts as roomy: the commit itself will tell.
func (s *space) low() bool {
	if s.minFree <= 0 {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if !s.asked.IsZero() && now.Sub(s.asked) < time.Second {
		return s.short
	}
	s.asked = now
	n, err := s.free(s.dir)
	short := err == nil && n < s.minFree
	if short != s.short {
		s.log.Warn("disk space crossed store.min_free", "free", n, "min_free", s.minFree, "refusing", short)
	}
	s.short = short
	return short
}
