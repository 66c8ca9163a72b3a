package dispatch

import (
	"container/heap"
	"strings"
	"time"

	"bot/engine"
)

// account is what the mailboxes of one account have in common. One exists while
// the account has mailboxes.
type account struct {
	name  string
	boxes int
	held  []*mailbox // their account is not in the configuration
}

// place is an engine.ConversationKey that takes half the room: there is one for
// each conversation with waiting events, twice.
type place struct {
	account      *account
	conversation string
}

// mailbox is the waiting events of one conversation, by their places in the
// log. It is never empty. At any time it is in exactly one of six places: among
// the ready, with a turn, among the delayed, parked, behind a suspect, or held.
type mailbox struct {
	place
	head     uint64        // the event whose turn it is
	rest     *fifo[uint64] // those after it; nil when there never was one, as for most
	waited   bool          // the time that head had to wait has passed
	parked   bool          // head was begun, and a skill was busy
	reserved string        // of that skill a run is counted in for head's turn
}

func (b *mailbox) push(seq uint64) {
	if b.rest == nil {
		b.rest = new(fifo[uint64])
	}
	b.rest.push(seq)
}

// next moves on to the next event, or reports that there is none.
func (b *mailbox) next() bool {
	if b.rest == nil || b.rest.len() == 0 {
		return false
	}
	b.head = b.rest.pop()
	return true
}

// table is all mailboxes. It has one owner.
type table struct {
	boxes    map[place]*mailbox
	accounts map[string]*account
	peak     int // the most mailboxes since boxes was made: maps grow and never shrink
}

func newTable() table {
	return table{boxes: make(map[place]*mailbox), accounts: make(map[string]*account)}
}

// add puts an event at the end of its conversation's mailbox, and returns the
// mailbox if it is a new one.
func (t *table) add(seq uint64, key engine.ConversationKey) *mailbox {
	a := t.accounts[key.Account]
	if b := t.boxes[place{a, key.Conversation}]; b != nil {
		b.push(seq)
		return nil
	}
	// The names are copied, since they may be parts of the event's own memory,
	// all of which they would keep.
	if a == nil {
		a = &account{name: strings.Clone(key.Account)}
		t.accounts[a.name] = a
	}
	b := &mailbox{place: place{a, strings.Clone(key.Conversation)}, head: seq}
	t.boxes[b.place] = b
	a.boxes++
	t.peak = max(t.peak, len(t.boxes))
	return b
}

// remove drops an empty mailbox.
func (t *table) remove(b *mailbox) {
	delete(t.boxes, b.place)
	if b.account.boxes--; b.account.boxes == 0 {
		delete(t.accounts, b.account.name)
	}
	if t.peak < 1024 || len(t.boxes) > t.peak/8 {
		return
	}
	boxes := make(map[place]*mailbox, len(t.boxes))
	for p, b := range t.boxes {
		boxes[p] = b
	}
	t.boxes, t.peak = boxes, len(boxes)
}

// delays is the mailboxes whose first event has to wait, a heap by time. Times
// carry the monotonic clock: a wall clock that is set back must not prolong a
// wait of seconds to hours.
type delays []delay

type delay struct {
	until time.Time
	box   *mailbox
}

func (d *delays) add(until time.Time, b *mailbox) { heap.Push(d, delay{until, b}) }

// due takes out a mailbox whose time has come, nil when there is none.
func (d *delays) due(now time.Time) *mailbox {
	if len(*d) == 0 || (*d)[0].until.After(now) {
		return nil
	}
	return heap.Pop(d).(delay).box
}

// Len implements heap.Interface.
func (d delays) Len() int { return len(d) }

// Less implements heap.Interface.
func (d delays) Less(i, j int) bool { return d[i].until.Before(d[j].until) }

// Swap implements heap.Interface.
func (d delays) Swap(i, j int) { d[i], d[j] = d[j], d[i] }

// Push implements heap.Interface.
func (d *delays) Push(x any) { *d = append(*d, x.(delay)) }

// Pop implements heap.Interface.
func (d *delays) Pop() any {
	old := *d
	last := old[len(old)-1]
	old[len(old)-1] = delay{}
	*d = old[:len(old)-1]
	return last
}
