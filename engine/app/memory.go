package app

import (
	"context"
	"errors"
	"sync/atomic"

	"bot/engine"
	"bot/store"
)

// memory is what adapters remember, once there is a store: they are made
// before it is opened, since a configuration is judged first. Without one, as
// in a check, nothing was ever remembered.
type memory struct {
	store atomic.Pointer[store.Store]
}

func (m *memory) use(s store.Store) { m.store.Store(&s) }

// Recall implements channel.Memory. What cannot be read counts as forgotten:
// adapters keep nothing that they could not find out again.
func (m *memory) Recall(account, key string) string {
	s := m.store.Load()
	if s == nil {
		return ""
	}
	value, err := (*s).Recall(account, key)
	if err != nil {
		return ""
	}
	return value
}

// Remember implements channel.Memory.
func (m *memory) Remember(ctx context.Context, account string, notes ...engine.Note) error {
	s := m.store.Load()
	if s == nil {
		return errors.New("there is no store to remember in")
	}
	return (*s).Remember(ctx, account, notes)
}
