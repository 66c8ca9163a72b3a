package boltstore

import bolt "go.etcd.io/bbolt"

// Folding takes room before it gives any: a journal is dropped when all of it is
// folded, and until then much is in the file twice. Where there is no room for
// that, the journal is shed: what its first rows say is folded, and in the same
// transaction these rows go, which gives back about what it took. What
// is left of a journal is read like a whole one; a key that is changed again
// further on was folded with its last value, which it then has twice.

// shedStep is how many bytes of a journal are shed with a commit, or as many as
// the next change has; when there was no room for that, no more than the next
// change.
const shedStep = 64 << 10

// shed folds what the first rows of the old generation's journals say.
func (t *txn) shed(g *generation) {
	t.shedding = make(map[treeKey]struct{})
	left := shedStep
	if t.s.journal.poor > 1 {
		left = 1
	}
	parent := t.bucket(bJournal)
	for _, n := range g.numbers {
		b := parent.Bucket(be(n))
		if b == nil {
			continue
		}
		for left > 0 || len(t.shedding) == 0 {
			keys, rows, size := firstChanges(b)
			if rows == 0 {
				break
			}
			t.foldKeys(g, t.shedKeys(g, keys))
			t.dropRows(b, rows)
			left -= size
		}
		if k, _ := b.Cursor().First(); k != nil {
			return
		}
		t.dropBucket(parent, be(n))
	}
	t.oldDone = true
}

// shedKeys are those of the keys that have not been folded yet; the generation
// then forgets them. One that it knows nothing of is folded, or never was.
func (t *txn) shedKeys(g *generation, keys []treeKey) (unfolded []treeKey) {
	for _, k := range keys {
		_, folded := t.shedding[k]
		if _, known := g.rows[k.t][k.key]; known && !folded {
			t.shedding[k] = struct{}{}
			unfolded = append(unfolded, k)
		}
	}
	return unfolded
}

// firstChanges reads rows until one ends with a change.
func firstChanges(b *bolt.Bucket) (keys []treeKey, rows, size int) {
	var unread []byte
	c := b.Cursor()
	for key, v := c.First(); key != nil; key, v = c.Next() {
		rows, size = rows+1, size+len(v)
		unread = append(unread, v...)
		for len(unread) > 0 {
			k, _, rest, err := readChange(unread)
			if err != nil {
				break // it goes on in the next row; all was read whole when the journal was written or loaded
			}
			keys, unread = append(keys, k), rest
		}
		if len(unread) == 0 {
			break
		}
	}
	return keys, rows, size
}

// dropRows takes the first rows out.
func (t *txn) dropRows(b *bolt.Bucket, rows int) {
	for range rows {
		k, _ := b.Cursor().First()
		t.del(b, append([]byte(nil), k...))
	}
}

// leave forgets keys that are folded and whose rows are gone.
func (g *generation) leave(keys map[treeKey]struct{}) {
	left := []treeKey{} // not nil, which would have them sorted anew
	for _, k := range g.order()[g.folded:] {
		if _, gone := keys[k]; !gone {
			left = append(left, k)
		}
	}
	g.keys, g.folded = left, 0
	for k := range keys {
		delete(g.rows[k.t], k.key)
	}
}
