package loadtest

import (
	"sync"
	"time"
)

// ledger holds both ends of every event's way: what the generator was answered
// and what reached the platform. From it follows what was lost, doubled or out
// of order. It is safe for concurrent use; an event costs 32 bytes.
type ledger struct {
	epoch time.Time

	mu     sync.Mutex
	chunks []*[chunkSize]record
	last   map[uint64]uint64 // newest event seen of a conversation, plus one
	totals Totals
	way    histogram // first delivery after sending, since the last restart
}

// chunkSize keeps growth from ever copying what is there, which would stall
// the load for milliseconds.
const chunkSize = 1 << 14

// record is one event. Times are nanoseconds since the epoch, plus one.
type record struct {
	sent      int64
	delivered int64
	key       uint64 // of the first delivery
	acked     bool
	again     bool // it is told again, so that its place in the order is anybody's guess
}

// Totals is the ledger summed up.
type Totals struct {
	// Acked counts the events that were answered with 200, each once.
	Acked int `json:"acked"`
	// Delivered counts the events a reply of which reached the platform.
	Delivered int `json:"delivered"`
	// Waiting counts events that were acked and not delivered so far. What is
	// left of them when nothing comes any more is lost.
	Waiting int `json:"waiting"`
	// Doubled counts replies that reached the platform again under another
	// idempotency key: no platform can tell those from new ones.
	Doubled int `json:"doubled"`
	// Repeated counts replies that came again under their own key, which is
	// allowed after a crash.
	Repeated int `json:"repeated"`
	// Disordered counts replies that came after one to a later event of the
	// same conversation.
	Disordered int `json:"disordered"`
	// Stray counts replies to events that were never sent, or to a wrong conversation.
	Stray int `json:"stray"`
}

func newLedger() *ledger {
	return &ledger{epoch: time.Now(), last: make(map[uint64]uint64)}
}

// now is the ledger's time; it is never 0.
func (l *ledger) now() int64 { return int64(time.Since(l.epoch)) + 1 }

// at returns event i's record, nil when it is beyond what was sent and grow is false.
func (l *ledger) at(i uint64, grow bool) *record {
	for grow && i/chunkSize >= uint64(len(l.chunks)) {
		l.chunks = append(l.chunks, new([chunkSize]record))
	}
	if i/chunkSize >= uint64(len(l.chunks)) {
		return nil
	}
	return &l.chunks[i/chunkSize][i%chunkSize]
}

// sent notes that event i is on its way since the time given. Only the first
// sending counts.
func (l *ledger) sent(i uint64, at int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if r := l.at(i, true); r.sent == 0 {
		r.sent = at
	}
}

// acked notes that event i was answered with success.
func (l *ledger) acked(i uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.at(i, true)
	if r.acked {
		return
	}
	r.acked = true
	l.totals.Acked++
	if r.delivered == 0 {
		l.totals.Waiting++
	}
}

// again notes that event i is to be told again: it may be taken in now, or have
// been before, after later ones of its conversation or not.
func (l *ledger) again(i uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at(i, true).again = true
}

// delivered notes a reply that the platform carried out.
func (l *ledger) delivered(d delivery, conversations uint64, at int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.at(d.index, false)
	switch {
	case r == nil || r.sent == 0 || d.conversation != d.index%conversations:
		l.totals.Stray++
	case r.delivered != 0 && r.key == d.key:
		l.totals.Repeated++
	case r.delivered != 0:
		l.totals.Doubled++
	default:
		l.first(r, d, at)
	}
}

// first is the first reply to an event.
func (l *ledger) first(r *record, d delivery, at int64) {
	r.delivered, r.key = at, d.key
	l.totals.Delivered++
	if r.acked { // the reply may overtake the answer to the callback
		l.totals.Waiting--
	}
	switch {
	case r.again:
	case d.index < l.last[d.conversation]:
		l.totals.Disordered++
	default:
		l.last[d.conversation] = d.index + 1
	}
	l.way.add(time.Duration(at - r.sent))
}

// restart forgets the times measured so far: they were of the warm-up.
func (l *ledger) restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.way = histogram{}
}

func (l *ledger) sum() Totals {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.totals
}

// latency is how long events took from the sending of the callback to the
// arrival of the reply.
func (l *ledger) latency() Latency {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.way.latency()
}
