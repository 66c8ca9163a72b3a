package risk

import (
	"hash/maphash"
	"sync"
	"time"

	"bot/engine"
)

// buckets are the parts of a window. The one that is not full yet is counted
// besides, so that no window of the whole length holds more than was counted;
// what is forgotten is forgotten by a tenth of the window too late at most.
const buckets = 10

// recentTexts is how many texts of one key are known again.
const recentTexts = 4

// counter is what is kept of one row and one person, conversation or account.
type counter struct {
	key          uint64
	newer, older *counter
	at           int64 // the number of the newest bucket
	parts        [buckets + 1]int
	sum          int
	texts        *[recentTexts]said // of rows that look for repetitions
	told         time.Duration      // when an alert went out last
	kept         int                // alerts since then
	alerted      bool
}

// said is a text that was said.
type said struct {
	hash uint64
	at   time.Duration
}

// counters are all counters, in a bounded number: the one that was not touched
// for longest goes first. Keys are hashes under a seed of the process's own, so
// that nobody can make two ids meet; by chance two of 100,000 do once in four
// billion.
type counters struct {
	seed maphash.Seed
	max  int

	mu             sync.Mutex
	byKey          map[uint64]*counter
	newest, oldest *counter
	recent         [4096]uint64 // events that were counted, by their hashes
}

func newCounters(most int) *counters {
	return &counters{seed: maphash.MakeSeed(), max: most, byKey: make(map[uint64]*counter)}
}

// key names a row's counter for an id of an account.
func (c *counters) key(row uint64, account, id string) uint64 {
	return maphash.Comparable(c.seed, struct {
		row         uint64
		account, id string
	}{row, account, id})
}

func (c *counters) hash(text []byte) uint64 { return maphash.Bytes(c.seed, text) }

// first tells whether the event is asked about for the first time. The door
// knows what was taken in; what was refused, and a copy that arrives while the
// first is being stored, is known here, a few thousand events back.
func (c *counters) first(e *engine.Event) bool {
	h := maphash.Comparable(c.seed, struct {
		account, kind, typ, id, receiver, identity string
	}{e.Account, string(e.Kind), e.Type, e.ID, e.Receiver, e.Identity})
	c.mu.Lock()
	defer c.mu.Unlock()
	slot := &c.recent[h%uint64(len(c.recent))]
	known := *slot == h
	*slot = h
	return !known
}

// count adds n to the key's window and returns how many are in it.
func (c *counters) count(key uint64, window, now time.Duration, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n == 0 && c.byKey[key] == nil {
		return 0
	}
	e := c.touch(key)
	e.advance(int64(now / max(window/buckets, 1)))
	e.parts[e.at%(buckets+1)] += n
	e.sum += n
	return e.sum
}

// again tells whether the text was said within the window, and remembers it if
// the event is a first one. Of a key the last few texts are known.
func (c *counters) again(key, text uint64, window, now time.Duration, first bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.touch(key)
	if e.texts == nil {
		e.texts = new([recentTexts]said)
	}
	oldest := 0
	for i, s := range e.texts {
		if s.hash == text {
			again := now-s.at <= window
			if first {
				e.texts[i].at = now
			}
			return again
		}
		if free := e.texts[oldest].hash == 0; !free && (s.hash == 0 || s.at < e.texts[oldest].at) {
			oldest = i
		}
	}
	e.texts[oldest] = said{text, now}
	return false
}

// quiet tells whether an alert is to be kept back, since one went out less than
// a window ago; if not, how many were.
func (c *counters) quiet(key uint64, window, now time.Duration) (kept int, quiet bool) {
	if window == 0 {
		window = time.Minute
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.touch(key)
	if e.alerted && now-e.told < window {
		e.kept++
		return 0, true
	}
	kept, e.kept = e.kept, 0
	e.told, e.alerted = now, true
	return kept, false
}

// touch finds the key's counter or makes it, at the cost of the oldest one if
// there are too many.
func (c *counters) touch(key uint64) *counter {
	e := c.byKey[key]
	if e == nil {
		if len(c.byKey) >= c.max {
			gone := c.oldest
			c.unlink(gone)
			delete(c.byKey, gone.key)
		}
		e = &counter{key: key}
		c.byKey[key] = e
	} else {
		c.unlink(e)
	}
	e.older, e.newer = c.newest, nil
	if c.newest != nil {
		c.newest.newer = e
	}
	c.newest = e
	if c.oldest == nil {
		c.oldest = e
	}
	return e
}

func (c *counters) unlink(e *counter) {
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		c.newest = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		c.oldest = e.newer
	}
}

// advance moves the window on to a bucket and empties those it enters.
func (e *counter) advance(to int64) {
	if to-e.at > buckets {
		e.parts, e.sum, e.at = [buckets + 1]int{}, 0, to
		return
	}
	for e.at < to {
		e.at++
		part := &e.parts[e.at%(buckets+1)]
		e.sum -= *part
		*part = 0
	}
}
