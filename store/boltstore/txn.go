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
	*bolt.Tx
	s *Store

	now, steady time.Time // of the act that runs
	wrote       bool
	err         error    // of the first write that was refused
	after       []func() // what to do once all is on disk, in order

	anyLong  bool                 // there may be long values
	direct   bool                 // into the trees, for want of room for a journal
	own      layer                // what it changes in the journaled trees, for looking up
	changes  []keyed              // the same, in order
	rows     uint64               // of the journal, with its own
	folded   int                  // keys of the old generation, or
	shedding map[treeKey]struct{} // those that leave it
	oldDone  bool                 // they are all
	renewed  bool                 // the young generation has ended: its changes are folded, or
	rotated  bool                 // they are the old one's from now on

	fresh    []engine.Key // dedup keys that this transaction adds, in order
	freshSet map[engine.Key]struct{}
	tasks    map[string][]uint64 // outbox ids and letters that it adds, by task id
}

type keyed struct {
	treeKey
	change
}

func newTxn(s *Store, tx *bolt.Tx) *txn {
	t := &txn{Tx: tx, s: s, direct: s.ballast.spent && s.journal.unfolded() == 0}
	// What is only ever appended to wants full pages. bbolt does not remember this.
	for _, name := range [][]byte{bWal, bOutbox} {
		tx.Bucket(name).FillPercent = 0.9
	}
	piece, _ := tx.Bucket(bLong).Cursor().First()
	t.anyLong = piece != nil
	return t
}

func (t *txn) bucket(name []byte) *bolt.Bucket { return t.Bucket(name) }

// get reads a row of a journaled tree. It must not be changed.
func (t *txn) get(in tree, key []byte) []byte {
	if c, ok := t.own.get(in, key); ok {
		return c.value
	}
	if c, ok := t.s.journal.find(in, key); ok {
		return c.value
	}
	return getRow(t.Tx, treeNames[in], key)
}

// set changes a row of a journaled tree; value is kept and must not change.
// fresh says that there is no row under the key.
func (t *txn) set(in tree, key, value []byte, fresh bool) {
	t.change(treeKey{in, string(key)}, change{value, fresh})
}

// unset removes a row of a journaled tree, where there is one.
func (t *txn) unset(in tree, key []byte) { t.change(treeKey{in, string(key)}, change{}) }

func (t *txn) change(k treeKey, c change) {
	t.wrote = true
	if t.direct {
		t.settleRow(k, c)
		return
	}
	t.own.set(k, c)
	t.changes = append(t.changes, keyed{k, c})
}

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
	if !t.oldDone && !t.s.journal.resting() {
		t.fold()
	}
	t.writeJournal()
	if t.err != nil {
		return t.err
	}
	if err := t.writeKeys(); err != nil {
		return fmt.Errorf("write dedup keys: %w", err)
	}
	if err := markLast(t.Tx); err != nil {
		return fmt.Errorf("name the commit: %w", err)
	}
	if err := t.bucket(bMeta).SetSequence(uint64(t.now.UnixNano())); err != nil {
		return fmt.Errorf("write time: %w", err)
	}
	return nil
}
