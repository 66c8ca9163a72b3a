package boltstore

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"bot/engine"
	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// Append logs events; see store.Inbox. Duplicates of what is on disk are
// answered without a commit; a duplicate of an event that is still being
// written stands behind it in line and so waits for it.
func (s *Store) Append(ctx context.Context, events []*engine.Event, window time.Duration) (store.Appended, error) {
	keys := keysOf(events)
	known, err := s.allKnown(keys, window)
	if err != nil {
		return store.Appended{}, wrap("append events", err)
	}
	if known {
		return s.allDuplicate(events), nil
	}
	out, err := s.append(ctx, events, keys, window, notesReady{})
	return out, wrap("append events", err)
}

// AppendPage logs events and writes notes; see store.Inbox.
func (s *Store) AppendPage(ctx context.Context, events []*engine.Event, window time.Duration, account string, notes []engine.Note) (store.Appended, error) {
	ready, err := prepareNotes(account, notes)
	if err != nil {
		return store.Appended{}, wrap("append page", err)
	}
	if len(notes) == 0 {
		return s.Append(ctx, events, window)
	}
	out, err := s.append(ctx, events, keysOf(events), window, ready)
	return out, wrap("append page", err)
}

func keysOf(events []*engine.Event) []engine.Key {
	keys := make([]engine.Key, len(events))
	for i, e := range events {
		keys[i] = e.Key()
	}
	return keys
}

// append is the act that logs what is fresh of the events and writes the notes.
func (s *Store) append(ctx context.Context, events []*engine.Event, keys []engine.Key, window time.Duration, notes notesReady) (store.Appended, error) {
	recs := make([][]byte, len(events))
	size := notes.size
	for i, e := range events {
		recs[i] = store.EncodeEvent(e)
		size += len(recs[i]) + 64
	}
	var out store.Appended
	a := &act{
		grows: len(events) > 0 || notes.adds,
		size:  size,
		stamp: func(now time.Time) {
			for i, e := range events {
				e.Received = now
				store.StampEvent(recs[i], now)
			}
		},
		run: func(t *txn) (err error) {
			if out, err = t.appendEvents(events, recs, keys, window); err != nil {
				return err
			}
			t.notes(notes.writes)
			return nil
		},
	}
	if err := s.do(ctx, a); err != nil {
		return store.Appended{}, err
	}
	return out, nil
}

func (s *Store) allDuplicate(events []*engine.Event) store.Appended {
	out := store.Appended{Seqs: make([]uint64, len(events)), Duplicate: make([]bool, len(events))}
	now := s.Now()
	for i, e := range events {
		e.Received = now
		out.Duplicate[i] = true
	}
	return out
}

func (t *txn) appendEvents(events []*engine.Event, recs [][]byte, keys []engine.Key, window time.Duration) (store.Appended, error) {
	out := store.Appended{Seqs: make([]uint64, len(events)), Duplicate: make([]bool, len(events))}
	var earlier map[engine.Key]bool
	if len(keys) > 1 {
		earlier = make(map[engine.Key]bool, len(keys))
	}
	for i, k := range keys {
		known, err := t.known(k, window)
		if err != nil {
			return store.Appended{}, err
		}
		out.Duplicate[i] = known || earlier[k]
		if earlier != nil {
			earlier[k] = true
		}
	}
	for i, e := range events {
		if out.Duplicate[i] {
			continue
		}
		out.Seqs[i] = t.log(e, recs[i])
		t.remember(keys[i])
	}
	return out, nil
}

// log puts an event at the end of the log.
func (t *txn) log(e *engine.Event, rec []byte) uint64 {
	seq := t.next(bWal)
	t.putRow(bWal, be(seq), rec)
	t.then(func() { t.s.keepEvent(seq, e, decodedSize(e, rec)) })
	return seq
}

// Seen looks a key up without writing.
func (s *Store) Seen(k engine.Key, window time.Duration) (bool, error) {
	known, err := s.allKnown([]engine.Key{k}, window)
	return known, wrap("look up key", err)
}

// allKnown tells whether every key is a duplicate of one on disk.
func (s *Store) allKnown(keys []engine.Key, window time.Duration) (bool, error) {
	if len(keys) == 0 {
		return true, nil
	}
	since := s.clock.Steady().Add(-window)
	hits := make([][]hit, len(keys))
	for i, k := range keys {
		var err error
		if hits[i], err = s.index.find(k, since); err != nil || len(hits[i]) == 0 {
			return false, err
		}
	}
	all := true
	err := s.view(func(tx *snapshot) error {
		for i, k := range keys {
			found := false
			for _, h := range hits[i] {
				found = found || stands(tx.Tx, k, h)
			}
			all = all && found
		}
		return nil
	})
	return all && err == nil, err
}

// Read returns entries after seq.
func (s *Store) Read(after uint64, limit int) ([]store.Entry, error) {
	return page(s, "log", tWal, after, limit, s.entry)
}

// Entry returns one entry.
func (s *Store) Entry(seq uint64) (store.Entry, error) {
	if s.tried.Load() == 0 {
		if e := s.cache.event(seq); e != nil {
			return store.Entry{Seq: seq, Event: e}, nil
		}
	}
	return one(s, "log", tWal, seq, s.entry)
}

// Backlog counts the events in the log.
func (s *Store) Backlog() int { return int(s.events.Load()) }

// decodedSize counts the text as well, which a record most often only points at.
func decodedSize(e *engine.Event, rec []byte) int { return len(rec) + len(e.Text) }

func (s *Store) entry(tx *snapshot, round, seq uint64, rec []byte) (store.Entry, error) {
	e := s.cache.event(seq)
	if e == nil {
		var err error
		if e, err = store.DecodeEvent(rec); err != nil {
			return store.Entry{}, fmt.Errorf("%w: event %d: %w", store.ErrDamaged, seq, err)
		}
		s.cache.fill(round, eventKey(seq), e, decodedSize(e, rec))
	}
	out := store.Entry{Seq: seq, Event: e}
	if s.tried.Load() == 0 {
		return out, nil
	}
	var err error
	out.Tries, err = triesOf(tx.Tx, seq)
	return out, err
}

func triesOf(tx *bolt.Tx, seq uint64) (t store.Tries, err error) {
	v := tx.Bucket(bTries).Get(be(seq))
	if v == nil {
		return t, nil
	}
	if err := json.Unmarshal(v, &t); err != nil {
		return t, fmt.Errorf("%w: tries of event %d: %w", store.ErrDamaged, seq, err)
	}
	return t, nil
}
