package queue

import (
	"sync"

	"bot/engine"
	"bot/store"
)

// How much of the log before its reader is kept in memory: entries, and about as
// many bytes.
const (
	reach    = 1024
	maxBytes = 4 << 20
)

// ahead is what was just logged beyond the reader, so that it need not be read back.
// It holds what Append wrote, within its bounds; where something is missing the log
// is read, which is the truth. It is safe for concurrent use.
type ahead struct {
	mu    sync.Mutex
	after uint64 // the last entry that the reader has
	last  uint64 // the highest that was added, or was to be
	// ring holds entries beyond after by reach at most, so that no two want one place.
	ring  [reach]store.Entry
	bytes int
}

// add takes an event that is in the log under seq. It returns false where the
// reader has to look for it there.
func (a *ahead) add(seq uint64, e *engine.Event) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = max(a.last, seq)
	switch {
	case seq <= a.after:
		return true // it has been there
	case seq > a.after+reach || a.bytes+weight(e) > maxBytes:
		return false
	}
	a.ring[seq%reach] = store.Entry{Seq: seq, Event: e}
	a.bytes += weight(e)
	return true
}

// next takes out the entries that follow seq without a gap, into the room that
// entries has. Its caller has everything up to seq, from here or from the log: what
// is here of that goes.
func (a *ahead) next(seq uint64, entries []store.Entry) []store.Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(entries) < cap(entries) && a.ring[(seq+1)%reach].Seq == seq+1 {
		seq++
		entries = append(entries, a.ring[seq%reach])
	}
	for s := a.after + 1; s <= min(seq, a.after+reach); s++ {
		a.clear(s)
	}
	a.after = max(a.after, seq) // it may have stopped before it could hand on what it took
	return entries
}

// gap tells up to where something is known of beyond what the reader has, if anything.
func (a *ahead) gap() (upTo uint64, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last, a.last > a.after
}

// empty tells that the log holds nothing up to there: what was known of is gone.
func (a *ahead) empty(upTo uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last == upTo {
		a.last = a.after
	}
}

// clear empties the place of an entry, which is there or not.
func (a *ahead) clear(seq uint64) {
	if e := &a.ring[seq%reach]; e.Event != nil {
		a.bytes -= weight(e.Event)
		*e = store.Entry{}
	}
}

// weight is about what an event takes in memory.
func weight(e *engine.Event) int { return len(e.Raw) + len(e.Text) + 512 }
