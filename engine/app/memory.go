package app

import (
	"context"
	"log/slog"
	"sync"

	"bot/engine"
	"bot/store"
)

// memory is what adapters remember. They are made before the store is opened,
// since a configuration is judged first; until then, and for a verb that never
// opens one, notes live as long as the process.
type memory struct {
	mu    sync.Mutex
	store store.Memory // nil: there is none (yet)
	notes map[[2]string]string
	log   *slog.Logger
}

func (m *memory) use(s store.Memory, log *slog.Logger) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.store, m.log, m.notes = s, log, nil
}

// Recall implements channel.Memory. What cannot be read counts as forgotten:
// adapters keep nothing that they could not find out again.
func (m *memory) Recall(account, key string) string {
	m.mu.Lock()
	s, log, note := m.store, m.log, m.notes[[2]string{account, key}]
	m.mu.Unlock()
	if s == nil {
		return note
	}
	value, err := s.Recall(account, key)
	if err != nil {
		log.Error("a note cannot be read and counts as forgotten", "account", account, "note", key, "error", err)
	}
	return value
}

// Remember implements channel.Memory.
func (m *memory) Remember(ctx context.Context, account string, notes ...engine.Note) error {
	m.mu.Lock()
	s := m.store
	if s == nil {
		defer m.mu.Unlock()
		if m.notes == nil {
			m.notes = make(map[[2]string]string)
		}
		for _, n := range notes {
			m.notes[[2]string{account, n.Key}] = n.Value
		}
		return nil
	}
	m.mu.Unlock()
	return s.Remember(ctx, account, notes)
}
