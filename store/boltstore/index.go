package boltstore

import (
	"encoding/binary"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"bot/engine"

	bolt "go.etcd.io/bbolt"
)

// slice is the dedup keys that arrived in one span of steady time [start, end).
// On disk it is a bucket; its table finds the ordinal of a key.
type slice struct {
	start, end time.Time
	count      uint32
	table      table
	memory     *memTable // the same table while it lies in memory, else nil
	dropped    bool
}

// index is what the store remembers of the dedup keys on disk: per slice a
// table. Only the committer changes it; anyone may read it.
type index struct {
	length time.Duration // of a slice
	limit  int           // keys in memory
	path   string        // of the store; moved tables lie beside it
	log    *slog.Logger

	mu       sync.RWMutex
	slices   []*slice // oldest first
	moves    sync.WaitGroup
	moving   bool
	overflow bool // the warning was given
}

// sliceLength is a twelfth of the window.
func sliceLength(window time.Duration) time.Duration {
	return min(6*time.Hour, max(time.Second, window/12))
}

// perSlice bounds the keys of one slice, so that the one that grows, which has
// to be in memory, leaves room for others.
func (x *index) perSlice() int { return max(1, x.limit/4) }

// hit is a place on disk where a key may stand.
type hit struct {
	start   time.Time
	ordinal uint32
}

// find returns where k may stand in slices that had not ended before since,
// the newest first.
func (x *index) find(k engine.Key, since time.Time) ([]hit, error) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var hits []hit
	var buf [4]uint32
	for _, sl := range slices.Backward(x.slices) {
		if sl.end.Before(since) {
			break
		}
		ordinals, err := sl.table.find(k, buf[:0])
		if err != nil {
			return nil, err
		}
		for _, o := range ordinals {
			hits = append(hits, hit{sl.start, o})
		}
	}
	return hits, nil
}

// current returns the slice that takes keys at the steady time and how many it
// has: the newest one, or a new one that add will begin.
func (x *index) current(steady time.Time) (start time.Time, count uint32) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	if len(x.slices) == 0 {
		return steady, 0
	}
	sl := x.slices[len(x.slices)-1]
	if steady.Before(sl.end) && int(sl.count) < x.perSlice() {
		return sl.start, sl.count
	}
	// Names are unique even when a slice fills up within one tick of the clock.
	if !steady.After(sl.start) {
		steady = sl.start.Add(1)
	}
	return steady, 0
}

// add notes keys that were committed to the slice that began at start.
func (x *index) add(start time.Time, keys []engine.Key) {
	x.mu.Lock()
	defer x.mu.Unlock()
	n := len(x.slices)
	if n == 0 || !x.slices[n-1].start.Equal(start) {
		x.begin(start)
		n = len(x.slices)
	}
	sl := x.slices[n-1]
	for _, k := range keys {
		sl.memory.add(k, sl.count)
		sl.count++
	}
}

func (x *index) begin(start time.Time) {
	if n := len(x.slices); n > 0 && x.slices[n-1].end.After(start) {
		x.slices[n-1].end = start
	}
	t := newMemTable(0)
	x.slices = append(x.slices, &slice{start: start, end: start.Add(x.length), table: t, memory: t})
	x.makeRoom()
}

// makeRoom moves the oldest tables out until the newest slice can fill up
// within the limit. The newest is never moved. Call with mu held.
func (x *index) makeRoom() {
	older := x.slices[:max(0, len(x.slices)-1)]
	keep := 0
	for _, sl := range older {
		if sl.memory != nil {
			keep += int(sl.count)
		}
	}
	room := x.limit - x.perSlice()
	if keep <= room || x.moving {
		return
	}
	if !x.overflow {
		x.overflow = true
		x.log.Warn("more dedup keys than dedup.max_keys; the oldest are looked up on disk from now on, which is slower", "max_keys", x.limit)
	}
	var out []*slice
	for _, sl := range older {
		if sl.memory != nil && keep > room {
			out = append(out, sl)
			keep -= int(sl.count)
		}
	}
	x.moving = true
	x.moves.Go(func() { x.move(out) })
}

// move writes tables to disk beside the committer: a slice that is not the
// newest does not change any more, so its table can be read without the lock.
func (x *index) move(out []*slice) {
	failed := false
	for _, sl := range out {
		ft, err := spill(sl.memory, filepath.Dir(x.path), filepath.Base(x.path)+indexSuffix+"*")
		x.mu.Lock()
		switch {
		case err != nil:
			failed = true
			x.log.Warn("dedup index stays in memory", "error", err)
		case sl.dropped:
			x.discard(ft)
		default:
			sl.table, sl.memory = ft, nil
		}
		x.mu.Unlock()
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.moving = false
	if !failed { // else the next slice tries again
		x.makeRoom()
	}
}

func (x *index) discard(t table) {
	if err := t.close(); err != nil {
		x.log.Warn("dedup index left behind", "error", err)
	}
}

// ended returns the starts of the slices that ended before since.
func (x *index) ended(since time.Time) []time.Time {
	x.mu.RLock()
	defer x.mu.RUnlock()
	var starts []time.Time
	for _, sl := range x.slices {
		if sl.end.Before(since) {
			starts = append(starts, sl.start)
		}
	}
	return starts
}

func (x *index) drop(start time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.slices = slices.DeleteFunc(x.slices, func(sl *slice) bool {
		if !sl.start.Equal(start) {
			return false
		}
		sl.dropped = true
		x.discard(sl.table)
		return true
	})
}

func (x *index) keys() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n := 0
	for _, sl := range x.slices {
		n += int(sl.count)
	}
	return n
}

func (x *index) close() {
	x.moves.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, sl := range x.slices {
		x.discard(sl.table)
	}
	x.slices = nil
}

// Keys lie in blocks of 64, each named by the ordinal of its first key.
const (
	blockKeys = 64
	keyLen    = len(engine.Key{})
)

func blockOf(ordinal uint32) []byte {
	return binary.BigEndian.AppendUint32(nil, ordinal/blockKeys*blockKeys)
}

// stands tells whether k stands at h.
func stands(tx *bolt.Tx, k engine.Key, h hit) bool {
	b := tx.Bucket(bDedup).Bucket(beTime(h.start))
	if b == nil {
		return false // dropped since the index was asked
	}
	block := b.Get(blockOf(h.ordinal))
	at := int(h.ordinal%blockKeys) * keyLen
	return at+keyLen <= len(block) && engine.Key(block[at:at+keyLen]) == k
}

// known tells whether k is a duplicate for an act of this transaction.
func (t *txn) known(k engine.Key, window time.Duration) (bool, error) {
	if _, ok := t.freshSet[k]; ok {
		return true, nil
	}
	hits, err := t.s.index.find(k, t.steady.Add(-window))
	if err != nil {
		return false, err
	}
	for _, h := range hits {
		if stands(t.Tx, k, h) {
			return true, nil
		}
	}
	return false, nil
}

func (t *txn) remember(k engine.Key) {
	if t.freshSet == nil {
		t.freshSet = make(map[engine.Key]struct{})
	}
	t.freshSet[k] = struct{}{}
	t.fresh = append(t.fresh, k)
}

// writeKeys appends the transaction's keys to the current slice. The last block
// is rewritten until it is full: its page is written anyway.
func (t *txn) writeKeys() error {
	if len(t.fresh) == 0 {
		return nil
	}
	start, count := t.s.index.current(t.steady)
	b := t.newBucket(t.bucket(bDedup), beTime(start))
	if t.err != nil {
		return t.err
	}
	b.FillPercent = 1.0
	for n, rest := count, t.fresh; len(rest) > 0; {
		name := blockOf(n)
		block := make([]byte, 0, blockKeys*keyLen)
		block = append(block, b.Get(name)...)
		for len(rest) > 0 && len(block) < blockKeys*keyLen {
			block = append(block, rest[0][:]...)
			rest = rest[1:]
			n++
		}
		t.put(b, name, block)
	}
	keys := t.fresh
	t.then(func() { t.s.index.add(start, keys) })
	return t.err
}

// load reads the slices of the file and builds their tables, sized at once.
func (x *index) load(db *bolt.DB) error {
	return db.View(func(tx *bolt.Tx) error {
		dedup := tx.Bucket(bDedup)
		return dedup.ForEachBucket(func(name []byte) error {
			b := dedup.Bucket(name)
			var count uint32
			if k, v := b.Cursor().Last(); k != nil {
				count = binary.BigEndian.Uint32(k) + uint32(len(v)/keyLen)
			}
			t := newMemTable(int(count))
			c := b.Cursor()
			n := uint32(0)
			for _, block := c.First(); block != nil; _, block = c.Next() {
				for ; len(block) >= keyLen; block = block[keyLen:] {
					t.add(engine.Key(block[:keyLen]), n)
					n++
				}
			}
			x.loaded(unbeTime(name), n, t)
			return nil
		})
	})
}

func (x *index) loaded(start time.Time, count uint32, t *memTable) {
	x.mu.Lock()
	if n := len(x.slices); n > 0 && x.slices[n-1].end.After(start) {
		x.slices[n-1].end = start
	}
	x.slices = append(x.slices, &slice{start: start, end: start.Add(x.length), count: count, table: t, memory: t})
	x.makeRoom()
	x.mu.Unlock()
	// At start nothing is waiting, so memory need not run ahead of the move.
	x.moves.Wait()
}
