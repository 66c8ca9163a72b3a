package boltstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bot/engine"
	"bot/store"
)

// Resolve ends the doubt about a command in a person's stead.
func (s *Store) Resolve(ctx context.Context, taskID string, arrived bool, learned []engine.Note, counts ...engine.Count) error {
	err := s.do(ctx, &act{grows: !arrived, size: 512 + 256*(len(learned)+len(counts)), run: func(t *txn) error {
		at, ok := t.findTask(taskID)
		if !ok || at.dead && !arrived {
			return store.ErrGone
		}
		if at.dead {
			return t.arrivedDead(at.id, learned, counts)
		}
		p, err := progressOf(t, at.id)
		if err != nil {
			return err
		}
		if p.Phase != store.InDoubt {
			return store.ErrGone
		}
		c, err := store.DecodeCommand(t.get(tOutbox, be(at.id)))
		if err != nil {
			return fmt.Errorf("%w: command %d: %w", store.ErrDamaged, at.id, err)
		}
		if arrived {
			return t.arrived(at.id, c, p, learned, counts)
		}
		return t.resend(at.id, *c, p)
	}})
	return wrap("resolve doubt", err)
}

// arrived takes a command out of the outbox that somebody knows to have arrived.
func (t *txn) arrived(id uint64, c *engine.Command, p store.Progress, learned []engine.Note, counts []engine.Count) error {
	p.Phase = store.Waiting
	tried, err := triedOf(c, &p)
	if err != nil {
		return err
	}
	n, err := toldOf(c.Account, learned, counts)
	if err != nil {
		return err
	}
	t.unsend(id, c.TaskID)
	t.confirmed(c, tried, n)
	return nil
}

// arrivedDead takes a command out of the dead letters that arrived all the same.
func (t *txn) arrivedDead(id uint64, learned []engine.Note, counts []engine.Count) error {
	l, rec, err := openLetter(t.letter(id))
	if err != nil {
		return fmt.Errorf("%w: letter %d: %w", store.ErrDamaged, id, err)
	}
	c, err := store.DecodeCommand(rec)
	if err != nil {
		return fmt.Errorf("%w: letter %d: %w", store.ErrDamaged, id, err)
	}
	tried, err := triedOf(c, &store.Progress{Phase: store.Waiting, Attempts: l.Count, Tries: l.Tries})
	if err != nil {
		return err
	}
	n, err := toldOf(c.Account, learned, counts)
	if err != nil {
		return err
	}
	t.exhume(id, letter{TaskID: c.TaskID})
	t.confirmed(c, tried, n)
	return nil
}

// confirmed notes that a command which is in the outbox no more has arrived, and
// what is to be remembered of that.
func (t *txn) confirmed(c *engine.Command, tried []byte, n *told) {
	if c.Submitted {
		t.settle(c.TaskID, store.Confirmed, tried)
	}
	t.tell(n)
}

// resend puts a command at the tail of the outbox, with its history and time anew.
func (t *txn) resend(id uint64, c engine.Command, p store.Progress) error {
	o, err := prepareCommand(renewed(c, t.now))
	if err != nil {
		return err
	}
	p = store.Progress{Phase: store.Waiting, Tries: p.Tries, Reason: p.Reason, Awaits: p.Awaits}
	t.unsend(id, c.TaskID)
	t.track(t.send(o), prepareHistory(p), true)
	return nil
}

// renewed is a command that a person sends again: it counts as created now and
// loses a deadline that has passed.
func renewed(c engine.Command, now time.Time) *engine.Command {
	c.Created = now
	if !c.Deadline.After(now) {
		c.Deadline = time.Time{}
	}
	return &c
}

// Doubts returns the commands after id that are in doubt.
func (s *Store) Doubts(after uint64, limit int) ([]store.Delivery, error) {
	var out []store.Delivery
	for _, id := range s.doubt.after(after) {
		if len(out) == limit {
			break
		}
		d, err := s.Delivery(id)
		switch {
		case errors.Is(err, store.ErrGone), errors.Is(err, store.ErrDamaged): // resolved meanwhile; spoiled
			continue
		case err != nil:
			return nil, err
		}
		if d.Progress.Phase == store.InDoubt {
			out = append(out, d)
		}
	}
	return out, nil
}
