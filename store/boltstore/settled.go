package boltstore

import (
	"time"

	"bot/store"

	bolt "go.etcd.io/bbolt"
)

// finalCodes are on disk: never give one a new meaning.
var finalCodes = map[store.Final]byte{store.Sent: 1, store.Confirmed: 2, store.Dead: 3, store.Cancelled: 4}

func finalOf(code byte) store.Final {
	for f, c := range finalCodes {
		if c == code {
			return f
		}
	}
	return ""
}

// settledFor is how long the task ids of submitted commands stay known after
// they settled: as long as any window that Submit is called with.
func (s *Store) settledFor() time.Duration {
	return max(24*time.Hour, s.opt.CommandWindow, s.opt.Window)
}

// settledSlice is the span of steady time whose task ids go together.
func (s *Store) settledSlice() time.Duration { return s.settledFor() / 12 }

// settle notes how the command of a task id ended. progress is the JSON of what
// was tried, nil for nothing.
func (t *txn) settle(taskID string, f store.Final, progress []byte) {
	start := t.steady.Truncate(t.s.settledSlice())
	if b := t.newBucket(t.bucket(bSettled), beTime(start)); b != nil {
		v := append([]byte{finalCodes[f]}, beTime(t.steady)...)
		t.put(b, hashKey(taskID), append(v, progress...))
	}
}

// end is how a command ended: a code (1) | the steady time (8) | JSON.
type end struct {
	final    store.Final
	since    time.Time
	progress []byte // valid while the transaction lasts
}

// settled looks a task id up, the latest end first.
func settled(tx *bolt.Tx, taskID string) (e end, ok bool) {
	b := tx.Bucket(bSettled)
	h := hashKey(taskID)
	c := b.Cursor()
	for name, _ := c.Last(); name != nil; name, _ = c.Prev() {
		slice := b.Bucket(name)
		if slice == nil {
			continue // a spoiled row: no bucket at all
		}
		if v := slice.Get(h); len(v) >= 9 {
			return end{finalOf(v[0]), unbeTime(v[1:9]), v[9:]}, true
		}
	}
	return end{}, false
}
