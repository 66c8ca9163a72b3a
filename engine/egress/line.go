package egress

import (
	"cmp"
	"math"
	"time"

	"bot/engine"
)

// item is what stays in memory of a waiting command: 40 bytes. Times are Unix
// nanoseconds of the store's clock.
type item struct {
	id       uint64
	due      int64 // rank in its line
	ready    int64 // must not leave before
	deadline int64 // its own; never where it has none
	action   int32 // number of the action, counted by the owner
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

func (l byRank) before(o byRank) bool     { return l.items[0].before(o.items[0]) }
func (l byRank) moved(to int)             { l.pos = to }
func (l byReady) before(o byReady) bool   { return l.items[0].ready < o.items[0].ready }
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
