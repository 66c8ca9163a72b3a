package boltstore

import (
	"math"

	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// row decodes one row of a bucket whose keys are numbers. round is the cache's
// from before the transaction began.
type row[T any] func(tx *bolt.Tx, round, id uint64, v []byte) (T, error)

// page returns rows after the number, in ascending order, at most limit. A row
// that cannot be decoded is reported and left where it is: one that a bad disk
// spoiled must not stop all others.
func page[T any](s *Store, what string, bucket []byte, after uint64, limit int, decode row[T]) ([]T, error) {
	if after == math.MaxUint64 {
		return nil, nil
	}
	var out []T
	round := s.cache.round()
	err := s.view(func(tx *bolt.Tx) error {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(be(after + 1)); k != nil && len(out) < limit; k, v = c.Next() {
			r, err := decode(tx, round, unbe(k), v)
			if err != nil {
				s.spoiled(what, unbe(k), err)
				continue
			}
			out = append(out, r)
		}
		return nil
	})
	if err != nil {
		return nil, wrap("read "+what, err)
	}
	return out, nil
}

// one returns the row with the number, or store.ErrGone.
func one[T any](s *Store, what string, bucket []byte, id uint64, decode row[T]) (T, error) {
	var out T
	round := s.cache.round()
	err := s.view(func(tx *bolt.Tx) (err error) {
		v := tx.Bucket(bucket).Get(be(id))
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
