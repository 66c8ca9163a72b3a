package dispatch

import (
	"context"

	"bot/engine"
	"bot/store"
)

// memory is the store as one turn sees it: one that always has room in the end.
type memory struct {
	d *Dispatcher
	// leave lets the reply go that was reserved before it was committed; nil: none was.
	leave func(error)
}

func (m *memory) State(k engine.StateKey) (engine.State, error) { return m.d.o.Store.State(k) }

func (m *memory) Recall(account, key string) (string, error) {
	return m.d.o.Store.Recall(account, key)
}

func (m *memory) Granted(account, skill, key string) (bool, error) {
	return m.d.o.Store.Granted(account, skill, key)
}

func (m *memory) Commit(ctx context.Context, c store.Commit) error {
	return m.d.patiently(ctx, "commit", func() error { return m.commit(ctx, c) })
}

// commit marks the first command where that may leave at once, so that it need not wait
// for a second commit before its request.
func (m *memory) commit(ctx context.Context, c store.Commit) error {
	if ctx.Err() != nil || len(c.Commands) == 0 || !firstLeads(c.Commands) {
		return m.d.o.Store.Commit(ctx, c)
	}
	mark, end := m.d.o.Reserve(&c.Commands[0])
	if mark == nil {
		return m.d.o.Store.Commit(ctx, c)
	}
	c.Mark = mark
	// Whoever keeps the place has to know whether this was written, so it is seen through.
	if err := m.d.o.Store.Commit(context.WithoutCancel(ctx), c); err != nil {
		end(err)
		return err
	}
	m.leave = end
	return nil
}

// firstLeads tells whether the first command is due no later than the others.
func firstLeads(commands []engine.Command) bool {
	for i := range commands {
		if commands[i].Due().Before(commands[0].Due()) {
			return false
		}
	}
	return true
}

// passOn lets so many commands that were committed be sent.
func (m *memory) passOn(commands int) {
	if m.leave != nil {
		m.leave(nil)
		commands--
	}
	if commands > 0 {
		m.d.o.Committed()
	}
}
