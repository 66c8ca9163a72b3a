package contacts

import (
	"strings"
	"sync"
)

// seen keeps the records of contacts that wrote lately and of whom the last event told
// nothing new, so that the next one need not read the store to say so again: on a
// busy day that is nearly every message. A record here never says anything that
// the store does not; where in doubt it is not here. It is safe for concurrent use.
//
// It holds two generations: when the young one is full it becomes the old one, and
// whoever did not write since is forgotten. The zero value is empty.
type seen struct {
	mu         sync.Mutex
	young, old map[who]string
	// changes counts what people changed: a record that was read before one of them
	// must not come in after it.
	changes uint64
}

// who is a contact of an account.
type who struct{ account, id string }

// seenMost bounds a generation. Both together take about 3 MiB.
const seenMost = 8192

// record returns a contact's, and when it was looked for, for keep.
func (s *seen) record(account, id string) (value string, at uint64) {
	w := who{account, id}
	s.mu.Lock()
	defer s.mu.Unlock()
	value, ok := s.young[w]
	if ok {
		return value, s.changes
	}
	if value, ok = s.old[w]; ok {
		s.put(w, value)
	}
	return value, s.changes
}

// keep takes the record in that the store was found to have since at.
func (s *seen) keep(account, id, value string, at uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at == s.changes {
		// The ids may be parts of a whole callback, which is not to stay for them.
		s.put(who{strings.Clone(account), strings.Clone(id)}, strings.Clone(value))
	}
}

func (s *seen) put(w who, value string) {
	if s.young == nil || len(s.young) >= seenMost {
		s.young, s.old = make(map[who]string), s.young
	}
	s.young[w] = value
}

// drop forgets a record that is about to change.
func (s *seen) drop(account, id string) {
	w := who{account, id}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changes++
	delete(s.young, w)
	delete(s.old, w)
}
