package boltstore

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"time"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// A note's row is expiry (8, 0 for none) | value, which is never empty.
const noteValueAt = 8

// noteSweep bounds the notes that one act of a sweep takes out.
const noteSweep = 256

// lastTime is the last that a row can name; an expiry beyond it is moved there.
var lastTime = time.Unix(0, math.MaxInt64)

// noteWrite is an engine.Note ready to be written.
type noteWrite struct {
	key     []byte
	row     []byte // nil forgets
	expires time.Time
}

// over tells whether the note is forgotten by the time it is written.
func (w noteWrite) over(now time.Time) bool {
	return w.row == nil || !w.expires.IsZero() && !w.expires.After(now)
}

// noteKey lies with the others of its account, in the order of their bytes.
func noteKey(account, key string) []byte { return append(accountPrefix(account), key...) }

func prepareNote(account string, n engine.Note) (noteWrite, error) {
	if err := store.CheckNote(n); err != nil {
		return noteWrite{}, err
	}
	w := noteWrite{key: noteKey(account, n.Key), expires: n.Expires}
	if len(w.key) > bolt.MaxKeySize-8 {
		return w, fmt.Errorf("the key of note %q has %d bytes with its account, more than %d", n.Key, len(w.key), bolt.MaxKeySize-8)
	}
	if n.Value == "" {
		return w, nil
	}
	expiry := be(0)
	if !n.Expires.IsZero() {
		if n.Expires.After(lastTime) {
			w.expires = lastTime
		}
		expiry = beTime(w.expires)
	}
	w.row = append(expiry, n.Value...)
	return w, nil
}

// notesReady is the notes of one act, and what they need.
type notesReady struct {
	writes []noteWrite
	size   int
	adds   bool // not all of them forget, or stop something
}

func prepareNotes(account string, notes []engine.Note) (notesReady, error) {
	var ready notesReady
	for _, n := range notes {
		w, err := prepareNote(account, n)
		if err != nil {
			return notesReady{}, err
		}
		ready.writes = append(ready.writes, w)
		ready.size += 2*len(w.key) + len(w.row) + 64
		ready.adds = ready.adds || w.row != nil && !n.Stops
	}
	return ready, nil
}

// notes writes notes down; of several under one key the last counts. What a
// note is already costs nothing.
func (t *txn) notes(writes []noteWrite) {
	for _, w := range writes {
		b := t.bucket(bNotes)
		old, row := b.Get(w.key), w.row
		if w.over(t.now) {
			row = nil
		}
		if bytes.Equal(old, row) {
			continue
		}
		t.moveNoteExpiry(w.key, old, row)
		if row == nil {
			t.del(b, w.key)
		} else {
			t.put(b, w.key, row)
		}
	}
}

// moveNoteExpiry has the expiry row follow a note that is replaced.
func (t *txn) moveNoteExpiry(key, old, row []byte) {
	from, to := noteExpiryOf(old), noteExpiryOf(row)
	if bytes.Equal(from, to) {
		return
	}
	b := t.bucket(bNoteExpiry)
	if from != nil {
		t.del(b, expiryRow(from, key))
	}
	if to != nil {
		t.put(b, expiryRow(to, key), nil)
	}
}

// noteExpiryOf is the time in a note's row at which it expires, nil for none.
func noteExpiryOf(row []byte) []byte {
	if unbe(row) == 0 {
		return nil
	}
	return row[:noteValueAt]
}

// readNote reads a row; it is the zero Note where there is none, or none that
// has not expired.
func readNote(key string, row []byte, now time.Time) (engine.Note, error) {
	if row == nil {
		return engine.Note{}, nil
	}
	if len(row) <= noteValueAt {
		return engine.Note{}, fmt.Errorf("%w: note %q has %d bytes", store.ErrDamaged, key, len(row))
	}
	n := engine.Note{Key: key}
	if at := noteExpiryOf(row); at != nil {
		if n.Expires = unbeTime(at); !n.Expires.After(now) {
			return engine.Note{}, nil
		}
	}
	n.Value = string(row[noteValueAt:])
	return n, nil
}

// Recall looks a note up.
func (s *Store) Recall(account, key string) (string, error) {
	var n engine.Note
	err := s.read(func(tx *bolt.Tx) (err error) {
		n, err = readNote(key, tx.Bucket(bNotes).Get(noteKey(account, key)), s.Now())
		return err
	})
	return n.Value, wrap("recall note", err)
}

// Recollect lists notes of an account.
func (s *Store) Recollect(account, prefix, after string, limit int) ([]engine.Note, error) {
	var out []engine.Note
	of := len(accountPrefix(account))
	within, last := noteKey(account, prefix), noteKey(account, max(prefix, after))
	err := s.read(func(tx *bolt.Tx) error {
		now := s.Now()
		c := tx.Bucket(bNotes).Cursor()
		for k, row := c.Seek(last); bytes.HasPrefix(k, within) && len(out) < limit; k, row = c.Next() {
			key := string(k[of:])
			if key == after {
				continue
			}
			n, err := readNote(key, row, now)
			if err != nil {
				return err
			}
			if n.Value != "" {
				out = append(out, n)
			}
		}
		return nil
	})
	if err != nil {
		return nil, wrap("recollect notes", err)
	}
	return out, nil
}

// Remember writes notes down.
func (s *Store) Remember(ctx context.Context, account string, notes []engine.Note) error {
	ready, err := prepareNotes(account, notes)
	if err != nil || len(notes) == 0 {
		return wrap("remember", err)
	}
	err = s.do(ctx, &act{grows: ready.adds, size: ready.size, run: func(t *txn) error {
		t.notes(ready.writes)
		return nil
	}})
	return wrap("remember", err)
}

// sweepNotes takes expired notes out, a number with each act.
func (s *Store) sweepNotes(ctx context.Context) error {
	for {
		due := false
		err := s.read(func(tx *bolt.Tx) error {
			k, _ := tx.Bucket(bNoteExpiry).Cursor().First()
			due = k != nil && !unbeTime(k).After(s.Now())
			return nil
		})
		if err != nil || !due {
			return err
		}
		err = s.do(ctx, &act{size: 64, run: func(t *txn) error {
			t.endNotes()
			return nil
		}})
		if err != nil {
			return err
		}
	}
}

// endNotes takes out the notes that expired first. It collects before it
// deletes: a cursor skips rows when the bucket changes under it.
func (t *txn) endNotes() {
	notes, expiry := t.bucket(bNotes), t.bucket(bNoteExpiry)
	var rows [][]byte
	c := expiry.Cursor()
	for k, _ := c.First(); k != nil && len(rows) < noteSweep && !unbeTime(k).After(t.now); k, _ = c.Next() {
		rows = append(rows, bytes.Clone(k))
	}
	for _, row := range rows {
		t.del(expiry, row)
		if key := row[8:]; bytes.Equal(noteExpiryOf(notes.Get(key)), row[:8]) {
			t.del(notes, key)
		}
	}
}
