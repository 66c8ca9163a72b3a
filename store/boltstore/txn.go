package boltstore

import (
	"fmt"
	"time"

	"bot/engine"

	bolt "go.etcd.io/bbolt"
)

// txn is the write transaction as acts see it. It lives in the committer and
// for one attempt only.
type txn struct {
	s  *Store
	tx *bolt.Tx

	now, steady time.Time // of the act that runs
	wrote       bool
	err         error    // of the first write that was refused
	after       []func() // what to do once all is on disk, in order

	fresh    []engine.Key // dedup keys that this transaction adds, in order
	freshSet map[engine.Key]struct{}
	tasks    map[string][]uint64 // outbox ids and letters that it adds, by task id
}

func newTxn(s *Store, tx *bolt.Tx) *txn {
	t := &txn{s: s, tx: tx}
	// What is only ever appended to wants full pages. bbolt does not remember this.
	for _, name := range [][]byte{bWal, bOutbox} {
		tx.Bucket(name).FillPercent = 0.9
	}
	return t
}

func (t *txn) bucket(name []byte) *bolt.Bucket { return t.tx.Bucket(name) }

// put writes; a refusal ends the transaction, see try.
func (t *txn) put(b *bolt.Bucket, k, v []byte) {
	t.wrote = true
	t.check(b.Put(k, v))
}

func (t *txn) del(b *bolt.Bucket, k []byte) {
	t.wrote = true
	t.check(b.Delete(k))
}

func (t *txn) dropBucket(parent *bolt.Bucket, name []byte) {
	t.wrote = true
	t.check(parent.DeleteBucket(name))
}

func (t *txn) newBucket(parent *bolt.Bucket, name []byte) *bolt.Bucket {
	t.wrote = true
	b, err := parent.CreateBucketIfNotExists(name)
	t.check(err)
	return b
}

func (t *txn) next(name []byte) uint64 {
	n, err := t.bucket(name).NextSequence()
	t.check(err)
	return n
}

func (t *txn) check(err error) {
	if err != nil && t.err == nil {
		t.err = err
	}
}

func (t *txn) then(f func()) { t.after = append(t.after, f) }

// finish writes what belongs to the transaction as a whole.
func (t *txn) finish() error {
	if err := t.writeKeys(); err != nil {
		return fmt.Errorf("write dedup keys: %w", err)
	}
	if err := t.bucket(bMeta).SetSequence(uint64(t.now.UnixNano())); err != nil {
		return fmt.Errorf("write time: %w", err)
	}
	return nil
}
