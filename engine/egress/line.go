package egress

import (
	"cmp"
	"math"
	"time"

	"bot/engine"
	"bot/engine/quota"
)

// item is what stays in memory of a waiting command: 40 bytes. Times are Unix
// nanoseconds of the store's clock.
type item struct {
	id       uint64
	due      int64  // rank in its line
	ready    int64  // must not leave before
	deadline int64  // its own; never where it has none
	action   int32  // number of the action, counted by the owner
	ticket   uint32 // when its ticket expires, in Unix seconds; 0: it has none
}

// scarce is how long before its ticket expires a reply is preferred to others.
const scarce = time.Minute

// rank is the item's place among the first of other lines: that of a command as
// much older as its ticket is near its end. It never changes, so replies without
// a ticket are passed by those alone that will have lost theirs a minute after
// the others were due.
func (i item) rank() int64 {
	if i.ticket == 0 {
		return i.due
	}
	return min(i.due, int64(i.ticket)*int64(time.Second)-int64(scarce))
}

const never = math.MaxInt64

func (i item) before(o item) bool {
	return cmp.Or(cmp.Compare(i.due, o.due), cmp.Compare(i.id, o.id)) < 0
}

func (item) moved(int) {}

// nanos is the time as items keep it: 0 for the zero time and all else before
// 1970, never for what lies beyond the range.
func nanos(t time.Time) int64 {
	switch year := t.Year(); {
	case year < 1970:
		return 0
	case year > 2261:
		return never
	}
	return t.UnixNano()
}

// line is the commands of one conversation in one lane: they leave one after
// the other, and the first holds the others until it is gone.
type line struct {
	conversation *conversation
	lane         engine.Lane
	items        heap[item]

	// Where the line waits; maintained by index.
	place  place
	class  int   // of place ready
	pos    int   // in the heap of its place
	expiry int64 // when the first item is given up, as the expiry heap has it
	expPos int   // in that heap, -1: not there
	from   int64 // when the first item may go, as the heap of the later has it

	// Of a line that is over a quota: which, and until when it holds it at least.
	over  quota.Rule
	until int64
}

// place says which heap a line waits in.
type place uint8

const (
	nowhere place = iota // empty, or its conversation may not send
	later                // its first command is not due
	ready                // its first command may go as far as the conversation is concerned
)

// The orders in which lines wait: those that may go by rank of their first
// command, those that may not yet by its time, all of them by their expiry.
type (
	byRank   struct{ *line }
	byReady  struct{ *line }
	byExpiry struct{ *line }
)

func (l byRank) before(o byRank) bool {
	a, b := l.items[0], o.items[0]
	return cmp.Or(cmp.Compare(a.rank(), b.rank()), cmp.Compare(a.id, b.id)) < 0
}
func (l byRank) moved(to int)             { l.pos = to }
func (l byReady) before(o byReady) bool   { return l.from < o.from }
func (l byReady) moved(to int)            { l.pos = to }
func (l byExpiry) before(o byExpiry) bool { return l.expiry < o.expiry }
func (l byExpiry) moved(to int)           { l.expPos = to }

// conversation is a conversation with commands in hand. It is forgotten when
// it has none.
type conversation struct {
	key     string
	lines   [engine.Lanes]*line
	flights int  // commands taken and not settled: while there is one, all lines rest
	recheck bool // a command was cancelled meanwhile

	freeAt  time.Time // while its own limit holds it
	pos     int       // in the heap of the limited, -1: not there
	counted bool      // that wait was counted
}

func (c *conversation) before(o *conversation) bool { return c.freeAt.Before(o.freeAt) }
func (c *conversation) moved(to int)                { c.pos = to }
