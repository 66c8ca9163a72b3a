package boltstore

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"
)

// The rows that come and go with every event are not changed in their trees at
// once. A conversation's state lies on a page of its own, and to write that
// page and those above it for each event was most of a commit; a command is
// often gone before its page would be written. Instead a commit appends what
// it changes to a journal in the same file, one run of pages at its end,
// and keeps it in memory in a layer over the trees. Later the layer is folded
// into the trees in the order of keys, each key once, with its last value.
//
// There are two generations. The young one takes the changes in; the old one
// is frozen and folded a few keys with each commit, so that no act waits for
// much of it. When it is done its journal is dropped and the young one becomes
// the old. Until then folding may be cut off anywhere: whoever opens the file
// reads the journals, in order, and folds them again, which changes nothing.
const (
	foldEvery = 250 * time.Millisecond // a young generation's age
	foldStep  = 32                     // keys folded with a commit, or
	foldParts = 16                     // this part of the generation, if that is more
	// maxReclaims bounds the commits that fold and do nothing else, when there
	// is no room for what is to be written.
	maxReclaims = 64
	// journalRow is the bytes of a row, of which two fill a page: however long
	// a change is, the journal needs no run of pages, which a full disk may not
	// have although it has pages.
	journalRow = 1900
	// changeOverhead is about what a change takes in memory beyond its bytes.
	changeOverhead = 64
)

// tree is a bucket whose rows go through the journal. The numbers are on disk.
type tree byte

const (
	tWal      tree = iota // removals only: events are appended to its tree
	tDelivery             // before outbox: what shrinks the file is folded first
	tOutbox
	tState
	trees
)

var treeNames = [trees][]byte{bWal, bDelivery, bOutbox, bState}

// change is what a key of a tree is set to.
type change struct {
	value []byte // nil: removed
	fresh bool   // nothing older lies under this key, so that to remove it is to forget it
}

// layer is the changes of one generation, or of one transaction.
type layer struct {
	rows [trees]map[string]change
	ids  []uint64 // of commands put into the outbox, ascending; some may be gone again
	size int
}

func (l *layer) get(t tree, key []byte) (change, bool) {
	c, ok := l.rows[t][string(key)]
	return c, ok
}

func (l *layer) set(k treeKey, c change) {
	rows := l.rows[k.t]
	before, known := rows[k.key]
	l.size += len(k.key) + len(c.value) + changeOverhead
	if known && before.fresh {
		if c.value == nil {
			delete(rows, k.key) // as if it had never been
			return
		}
		c.fresh = true
	}
	if rows == nil {
		rows = make(map[string]change)
		l.rows[k.t] = rows
	}
	rows[k.key] = c
	if k.t == tOutbox && c.value != nil && !known {
		l.ids = append(l.ids, unbe([]byte(k.key)))
	}
}

// generation is a layer and where it lies on disk.
type generation struct {
	layer
	numbers []uint64 // of its journals: one, or all that were found at the start
	written uint64   // rows of the journal
	began   time.Duration

	// Of the old one.
	keys   []treeKey // in the order of folding; nil: not sorted yet
	folded int       // of keys
}

type treeKey struct {
	t   tree
	key string
}

// order is the keys of a generation that takes nothing in any more, as they are to be
// folded: what frees pages first, what needs many at once last, and else in the order of
// the trees. They are sorted when the committer first asks, which it does after it has
// answered the commit that closed the generation: that takes a millisecond or more.
func (g *generation) order() []treeKey {
	if g.keys == nil {
		g.keys = sorted(&g.layer)
	}
	return g.keys
}

func sorted(l *layer) []treeKey {
	var groups [3][trees][]string
	n := 0
	for t, rows := range l.rows {
		for key, c := range rows {
			class := 2
			switch size := len(c.value); {
			case size == 0:
				class = 0
			case size < 4096:
				class = 1
			}
			groups[class][t] = append(groups[class][t], key)
		}
		n += len(rows)
	}
	all := make([]treeKey, 0, n) // not nil, even where there is none
	for _, group := range groups {
		for t, keys := range group {
			slices.Sort(keys)
			for _, key := range keys {
				all = append(all, treeKey{tree(t), key})
			}
		}
	}
	return all
}

// regroup makes one old generation of all there is, so that what the young one
// removes can be folded although there is no room for something in the old one.
func (j *journal) regroup() bool {
	if j.young.size == 0 {
		return false
	}
	old := j.old
	if old == nil {
		old = &generation{}
	}
	all := &generation{numbers: slices.Concat(old.numbers, j.young.numbers)}
	for _, k := range old.order()[old.folded:] {
		all.set(k, old.rows[k.t][k.key])
	}
	for t, rows := range j.young.rows {
		for key, c := range rows {
			all.set(treeKey{tree(t), key}, c)
		}
	}
	all.ids = slices.Concat(old.ids, j.young.ids)
	number := j.young.numbers[0] + 1
	j.mu.Lock()
	defer j.mu.Unlock()
	j.old, j.young = all, j.newGeneration(number)
	return true
}

// journal is both generations. Only the committer changes it; mu is for those
// who read beside it.
type journal struct {
	limit  int // bytes of a young generation
	uptime func() time.Duration

	mu    sync.RWMutex
	young *generation
	old   *generation // nil: all is folded

	// poor is how often in a row there was no room for folding: then what is
	// folded leaves the journal at once, in smaller steps, and in the end nothing is
	// folded any more.
	poor int
}

func (j *journal) newGeneration(number uint64) *generation {
	return &generation{numbers: []uint64{number}, began: j.uptime()}
}

// step is how many keys of the old generation to fold with the next commit.
func (j *journal) step() int { return max(foldStep, len(j.old.order())/foldParts) }

// unfolded is how many keys there are to be folded.
func (j *journal) unfolded() int {
	n := 0
	for _, rows := range j.young.rows {
		n += len(rows)
	}
	if j.old != nil {
		n += len(j.old.order()) - j.old.folded
	}
	return n
}

// resting tells that there is no room to fold anything.
func (j *journal) resting() bool { return j.poor > 2 }

// find returns what a key was last set to, if it is in the journal at all.
func (j *journal) find(t tree, key []byte) (change, bool) {
	if c, ok := j.young.get(t, key); ok {
		return c, true
	}
	if j.old != nil {
		return j.old.get(t, key)
	}
	return change{}, false
}

// due tells whether the young generation has gathered enough.
func (j *journal) due() bool {
	y := j.young
	return y.size > 0 && (y.size >= j.limit || j.uptime()-y.began >= foldEvery)
}

// ids are places in the outbox, ascending: those of the old generation and then
// those of the young one, since ids only ever rise.
type ids [2][]uint64

// commandsAfter are the ids of the commands in the journal beyond one; some may
// be gone again.
func (j *journal) commandsAfter(id uint64) (out ids) {
	for i, g := range []*generation{j.old, j.young} {
		if g != nil {
			at, _ := slices.BinarySearch(g.ids, id+1)
			out[i] = g.ids[at:]
		}
	}
	return out
}

// next takes the first id off, if it is at most the limit.
func (n *ids) next(limit uint64) (id uint64, ok bool) {
	for i := range n {
		if len(n[i]) > 0 {
			if id = n[i][0]; id > limit {
				return 0, false
			}
			n[i] = n[i][1:]
			return id, true
		}
	}
	return 0, false
}

// states are the values of all states in the journal, as they are now.
func (j *journal) states() iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for _, c := range j.young.rows[tState] {
			if c.value != nil && !yield(c.value) {
				return
			}
		}
		if j.old == nil {
			return
		}
		for key, c := range j.old.rows[tState] {
			if _, newer := j.young.rows[tState][key]; c.value != nil && !newer && !yield(c.value) {
				return
			}
		}
	}
}

// load reads what the last process had not folded, as one old generation.
func (j *journal) load(tx *bolt.Tx) error {
	parent := tx.Bucket(bJournal)
	last := uint64(0)
	err := parent.ForEachBucket(func(name []byte) error {
		last = unbe(name)
		if j.old == nil {
			j.old = &generation{}
		}
		j.old.numbers = append(j.old.numbers, last)
		var all []byte // changes go on from row to row
		err := parent.Bucket(name).ForEach(func(_, v []byte) error {
			all = append(all, v...)
			return nil
		})
		if err == nil {
			err = readChanges(all, &j.old.layer)
		}
		return wrap(fmt.Sprintf("read journal %d", last), err)
	})
	if err != nil {
		return err
	}
	if j.old != nil {
		slices.Sort(j.old.ids)
		j.old.ids = slices.Compact(j.old.ids)
	}
	j.young = j.newGeneration(last + 1)
	return nil
}

// A change in the journal is: tree (1 byte) | key length, key | value length
// plus one, value; length 0 removes. Lengths are varints. That a change was
// fresh is not kept: a part of its generation may have been folded since.

func appendChange(b []byte, k treeKey, c change) []byte {
	b = append(b, byte(k.t))
	b = binary.AppendUvarint(b, uint64(len(k.key)))
	b = append(b, k.key...)
	if c.value == nil {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(len(c.value))+1)
	return append(b, c.value...)
}

var errChange = errors.New("a change is broken")

// readChanges takes the changes over; their values stay where they are in b.
func readChanges(b []byte, into *layer) error {
	for len(b) > 0 {
		k, c, rest, err := readChange(b)
		if err != nil {
			return err
		}
		into.set(k, c)
		b = rest
	}
	return nil
}

// readChange reads the first change of b. It fails where b ends in the midst of it.
func readChange(b []byte) (k treeKey, c change, rest []byte, err error) {
	if k.t = tree(b[0]); k.t >= trees {
		return k, c, nil, errChange
	}
	n, w := binary.Uvarint(b[1:])
	if b = b[1:]; w <= 0 || n > uint64(len(b)-w) {
		return k, c, nil, errChange
	}
	k.key = string(b[w : w+int(n)])
	b = b[w+int(n):]
	n, w = binary.Uvarint(b)
	if w <= 0 {
		return k, c, nil, errChange
	}
	if b = b[w:]; n > 0 {
		if n-1 > uint64(len(b)) {
			return k, c, nil, errChange
		}
		c.value, b = b[:n-1:n-1], b[n-1:]
	}
	return k, c, b, nil
}
