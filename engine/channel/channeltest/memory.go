package channeltest

import (
	"context"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// Memory is a channel.Memory for tests. Its zero value is empty and ready.
type Memory struct {
	mu    sync.Mutex
	notes map[[2]string]engine.Note
	Now   func() time.Time // nil = time.Now
}

// Recall implements channel.Memory.
func (m *Memory) Recall(account, key string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	n := m.notes[[2]string{account, key}]
	now := time.Now
	if m.Now != nil {
		now = m.Now
	}
	if !n.Expires.IsZero() && !now().Before(n.Expires) {
		return ""
	}
	return n.Value
}

// Remember implements channel.Memory.
func (m *Memory) Remember(_ context.Context, account string, notes ...engine.Note) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notes == nil {
		m.notes = make(map[[2]string]engine.Note)
	}
	for _, n := range notes {
		m.notes[[2]string{account, n.Key}] = n
	}
	return nil
}

// Host is what an engine would lend, with an empty memory, for one test.
func Host(t testing.TB) channel.Host {
	t.Helper()
	client := channel.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	return channel.Host{Client: client, Fetch: client, Memory: &Memory{}, Now: time.Now}
}
