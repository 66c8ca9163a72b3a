package queue

import (
	"sync"

	"bot/engine"
	"bot/store"
)

// reach is how far before its reader the log is kept in memory.
const reach = 1024

// ahead is what was just logged beyond the reader, so that it need not be read back.
// It holds what Append wrote and no more than reach entries of it; where something is
// missing the log is read, which is the truth. It is safe for concurrent use.
type ahead struct {
	mu    sync.Mutex
	after uint64 // the last entry that the reader has
	ring  [reach]store.Entry
}

// add takes an event that is in the log under seq, if that is within reach or
// behind the reader.
func (a *ahead) add(seq uint64, e *engine.Event) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if seq > a.after+reach {
		return false
	}
	if seq > a.after {
		a.ring[seq%reach] = store.Entry{Seq: seq, Event: e}
	}
	return true
}

// next takes out the entries that follow seq without a gap, into the room that
// entries has.
func (a *ahead) next(seq uint64, entries []store.Entry) []store.Entry {
	a.mu.Lock()
	defer a.mu.Unlock()
	for len(entries) < cap(entries) {
		e := &a.ring[(seq+1)%reach]
		if e.Seq != seq+1 {
			break
		}
		seq++
		entries = append(entries, *e)
		*e = store.Entry{}
	}
	a.after = seq
	return entries
}

// passed tells that the reader has read these in the log.
func (a *ahead) passed(entries []store.Entry) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, e := range entries {
		a.after = e.Seq
		if held := &a.ring[e.Seq%reach]; held.Seq <= e.Seq {
			*held = store.Entry{}
		}
	}
}
