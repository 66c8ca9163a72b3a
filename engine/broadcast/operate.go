package broadcast

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"bot/store"
)

// Start lets one that is ready run.
func (m *Manager) Start(ctx context.Context, id string) (Status, error) {
	return m.change(id, func(e *entry) error {
		if err := e.only("started", Ready); err != nil {
			return err
		}
		return m.write(ctx, e, func(b *Broadcast) { b.State, b.Reason, b.Started = Running, "", m.o.Store.Now() })
	})
}

// Pause has nothing more released. What waits in the outbox goes out: that is two
// seconds' worth.
func (m *Manager) Pause(ctx context.Context, id string) (Status, error) {
	return m.change(id, func(e *entry) error {
		if err := e.only("paused", Running); err != nil {
			return err
		}
		return m.pause(ctx, e, "by an operator")
	})
}

// pause stops the release. acting is held.
func (m *Manager) pause(ctx context.Context, e *entry, reason string) error {
	err := m.write(ctx, e, func(b *Broadcast) { b.State, b.Reason = Paused, reason })
	if err == nil {
		m.mu.Lock()
		e.pausing = ""
		m.mu.Unlock()
	}
	return err
}

// riskReason begins the reason of a pause that the risk matrix asked for.
const riskReason = "risk: "

// RiskReason is the reason of a pause by a row of the risk matrix.
func RiskReason(row string) string { return riskReason + row }

// Resume goes on at the cursor, at the rate. Whoever resumes what the risk matrix
// has paused has looked at it: the matrix pauses it no more.
func (m *Manager) Resume(ctx context.Context, id string) (Status, error) {
	return m.change(id, func(e *entry) error {
		if err := e.only("resumed", Paused); err != nil {
			return err
		}
		if _, known := m.o.Account(e.b.Account); !known {
			return &Refused{fmt.Sprintf("account %q is not configured", e.b.Account)}
		}
		return m.write(ctx, e, func(b *Broadcast) {
			b.Excused = b.Excused || strings.HasPrefix(b.Reason, riskReason)
			b.State, b.Reason = Running, ""
		})
	})
}

// Cancel ends it for good, and takes out of the outbox what waits there. What is
// being sent is sent.
func (m *Manager) Cancel(ctx context.Context, id string) (Status, error) {
	return m.change(id, func(e *entry) error {
		if err := e.only("cancelled", Ready, Running, Paused); err != nil {
			return err
		}
		err := m.write(ctx, e, func(b *Broadcast) { b.State, b.Reason, b.Ended = Cancelled, "", m.o.Store.Now() })
		if err != nil {
			return err
		}
		if err := m.cancelWaiting(ctx, e); err != nil {
			return err
		}
		return m.forgetChunks(ctx, id)
	})
}

// cancelWaiting takes what waits of a cancelled broadcast out of the outbox. Where
// that is interrupted the next start goes on with it.
func (m *Manager) cancelWaiting(ctx context.Context, e *entry) error {
	m.mu.Lock()
	numbers := slices.Sorted(maps.Keys(e.outbox))
	m.mu.Unlock()
	const atOnce = 64 // acts that are handed in together share a commit
	for some := range slices.Chunk(numbers, atOnce) {
		errs := make([]error, len(some))
		var acts sync.WaitGroup
		for i, n := range some {
			acts.Go(func() { errs[i] = m.cancelOne(ctx, e, n) })
		}
		acts.Wait()
		if err := errors.Join(errs...); err != nil {
			return fmt.Errorf("cancel the commands of broadcast %s: %w", e.b.ID, err)
		}
	}
	return nil
}

func (m *Manager) cancelOne(ctx context.Context, e *entry, n int) error {
	task := taskID(e.b.ID, n)
	d, final, err := m.o.Store.Find(task)
	if err == nil && final == "" {
		err = m.o.Store.Cancel(ctx, task)
	}
	switch {
	case errors.Is(err, store.ErrGone), final != "": // it is being sent, or was
		return nil
	case err != nil:
		return err
	}
	m.o.Cancelled(d.Command)
	return nil
}

// Delete forgets one that has ended, or was never started.
func (m *Manager) Delete(ctx context.Context, id string) error {
	e := m.entry(id)
	if e == nil {
		return ErrNone
	}
	if m.snapshot(e).State == Preparing {
		return e.only("deleted")
	}
	e.acting.Lock()
	defer e.acting.Unlock()
	if err := e.only("deleted", Ready, Done, Cancelled, Failed); err != nil {
		return err
	}
	if err := m.forget(context.WithoutCancel(ctx), &e.b); err != nil {
		return err
	}
	m.mu.Lock()
	delete(m.entries, id)
	m.mu.Unlock()
	m.o.Log.Info("broadcast deleted", "broadcast", id, "name", e.b.Name, "account", e.b.Account)
	return nil
}

// change does something to a broadcast that is not being prepared.
func (m *Manager) change(id string, act func(e *entry) error) (Status, error) {
	e := m.entry(id)
	switch {
	case e == nil:
		return Status{}, ErrNone
	case m.snapshot(e).State == Preparing: // its lock is held for long
		return Status{}, &Refused{"its audience is still being written down"}
	}
	e.acting.Lock()
	defer e.acting.Unlock()
	if err := act(e); err != nil {
		return Status{}, err
	}
	m.wake()
	return m.status(e)
}

// only refuses what the state does not allow. acting is held.
func (e *entry) only(done string, in ...State) error {
	if slices.Contains(in, e.b.State) {
		return nil
	}
	return &Refused{fmt.Sprintf("it is %s and cannot be %s", e.b.State, done)}
}
