package boltstore

import (
	"hash/maphash"
	"slices"
	"sync"
)

// tasks finds the outbox ids and letters of a task id. It keeps hashes only:
// an answer is a candidate, to be compared with the record on disk.
type tasks struct {
	seed maphash.Seed
	mu   sync.RWMutex
	one  map[uint64]uint64
	more map[uint64][]uint64 // further ids of a hash; nearly always empty
}

func newTasks() *tasks {
	return &tasks{seed: maphash.MakeSeed(), one: make(map[uint64]uint64), more: make(map[uint64][]uint64)}
}

func (m *tasks) add(taskID string, id uint64) {
	h := maphash.String(m.seed, taskID)
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, taken := m.one[h]; taken {
		m.more[h] = append(m.more[h], id)
		return
	}
	m.one[h] = id
}

func (m *tasks) remove(taskID string, id uint64) {
	h := maphash.String(m.seed, taskID)
	m.mu.Lock()
	defer m.mu.Unlock()
	more := m.more[h]
	if m.one[h] == id {
		if len(more) == 0 {
			delete(m.one, h)
			return
		}
		m.one[h], more = more[0], more[1:]
	} else {
		more = slices.DeleteFunc(more, func(n uint64) bool { return n == id })
	}
	if len(more) == 0 {
		delete(m.more, h)
	} else {
		m.more[h] = more
	}
}

// ids returns the candidates.
func (m *tasks) ids(taskID string) []uint64 {
	h := maphash.String(m.seed, taskID)
	m.mu.RLock()
	defer m.mu.RUnlock()
	id, ok := m.one[h]
	if !ok {
		return nil
	}
	return append([]uint64{id}, m.more[h]...)
}

// idSet is a set of ids for concurrent use.
type idSet struct {
	mu  sync.Mutex
	ids map[uint64]struct{}
}

func (s *idSet) set(id uint64, in bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !in {
		delete(s.ids, id)
		return
	}
	if s.ids == nil {
		s.ids = make(map[uint64]struct{})
	}
	s.ids[id] = struct{}{}
}

func (s *idSet) has(id uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, in := s.ids[id]
	return in
}

func (s *idSet) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.ids)
}

// after lists the ids beyond one, in ascending order.
func (s *idSet) after(id uint64) (ids []uint64) {
	s.mu.Lock()
	for one := range s.ids {
		if one > id {
			ids = append(ids, one)
		}
	}
	s.mu.Unlock()
	slices.Sort(ids)
	return ids
}
