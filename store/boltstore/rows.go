package boltstore

import (
	"iter"
	"math"

	"bot/store"
)

// row decodes one row of a bucket whose keys are numbers. round is the cache's
// from before the transaction began.
type row[T any] func(tx *snapshot, round, id uint64, v []byte) (T, error)

// series reads a bucket whose keys are numbers, in their order.
type series interface {
	get(tx *snapshot, id uint64) []byte
	after(tx *snapshot, id uint64) iter.Seq2[uint64, []byte]
}

// plain is a bucket whose rows are all in its tree, and may be long.
type plain []byte

func (b plain) get(tx *snapshot, id uint64) []byte { return getRow(tx.Tx, b, be(id)) }

func (b plain) after(tx *snapshot, id uint64) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		c := tx.Bucket(b).Cursor()
		for k, v := c.Seek(be(id + 1)); k != nil; k, v = c.Next() {
			if !yield(unbe(k), whole(tx.Tx, b, k, v)) {
				return
			}
		}
	}
}

// get and after make a journaled tree a series.
func (t tree) get(tx *snapshot, id uint64) []byte { return tx.get(t, be(id)) }

// after merges what the tree has with what the journal knows better.
func (t tree) after(tx *snapshot, id uint64) iter.Seq2[uint64, []byte] {
	return func(yield func(uint64, []byte) bool) {
		var journaled ids // rows that may not be in the tree yet
		if t == tOutbox {
			journaled = tx.journal.commandsAfter(id)
		}
		for id, v := range plain(treeNames[t]).after(tx, id) {
			if !t.ahead(tx, &journaled, id-1, yield) {
				return
			}
			journaled.next(id) // itself, where it is in both
			if c, known := tx.journal.find(t, be(id)); known {
				v = c.value
			}
			if v != nil && !yield(id, v) {
				return
			}
		}
		t.ahead(tx, &journaled, math.MaxUint64, yield)
	}
}

// ahead shows the rows that are in the journal alone, up to an id.
func (t tree) ahead(tx *snapshot, journaled *ids, limit uint64, yield func(uint64, []byte) bool) bool {
	for id, ok := journaled.next(limit); ok; id, ok = journaled.next(limit) {
		if c, _ := tx.journal.find(t, be(id)); c.value != nil && !yield(id, c.value) {
			return false
		}
	}
	return true
}

// page returns rows after the number, in ascending order, at most limit. A row
// that cannot be decoded is reported and left where it is: one that a bad disk
// spoiled must not stop all others.
func page[T any](s *Store, what string, in series, after uint64, limit int, decode row[T]) ([]T, error) {
	if after == math.MaxUint64 || limit <= 0 {
		return nil, nil
	}
	var out []T
	round := s.cache.round()
	err := s.view(func(tx *snapshot) error {
		for id, v := range in.after(tx, after) {
			r, err := decode(tx, round, id, v)
			if err != nil {
				s.spoiled(what, id, err)
				continue
			}
			if out = append(out, r); len(out) == limit {
				break
			}
		}
		return nil
	})
	if err != nil {
		return nil, wrap("read "+what, err)
	}
	return out, nil
}

// one returns the row with the number, or store.ErrGone.
func one[T any](s *Store, what string, in series, id uint64, decode row[T]) (T, error) {
	var out T
	round := s.cache.round()
	err := s.view(func(tx *snapshot) (err error) {
		v := in.get(tx, id)
		if v == nil {
			return store.ErrGone
		}
		out, err = decode(tx, round, id, v)
		return err
	})
	if err != nil {
		var none T
		return none, wrap("read "+what, err)
	}
	return out, nil
}

// spoiled reports a row that cannot be decoded, once in the store's life.
func (s *Store) spoiled(what string, id uint64, err error) {
	if !s.bad.has(id) {
		s.bad.set(id, true)
		s.log.Error("a row cannot be read and stays where it is; restore a backup to get it back", "in", what, "row", id, "error", err)
	}
}
