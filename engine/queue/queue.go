// Package queue is the road from the log to whoever handles events. Events are
// appended to the store's log, and one reader hands the log on in its order
// through a bounded Go channel. The channel is never the limit of intake: when
// it is full the reader waits and the log grows. Live traffic, overflow and
// recovery after a crash are the same loop; what was just logged it need not read
// back (see ahead).
//
// The queue knows neither who appends nor who takes entries off it.
package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/store"
)

const (
	// page is how many entries one look into the log returns at most; with Buffer
	// and what is kept ahead it bounds the payloads that are in memory on this road.
	page = 64
	// recheck bounds how long an entry can lie in the log unseen, and those behind
	// it, when its poke is missing: a caller of Append that gave up waiting may have
	// logged events all the same, after its last chance to poke.
	recheck = time.Second
	// gapWait is recheck where something is known of beyond: nearly always the appender
	// of what is missing, or its poke, is a moment late. To read at once would be to
	// read back most of what comes.
	gapWait = 5 * time.Millisecond
)

// Options is what a Queue needs. Inbox is required.
type Options struct {
	Inbox  store.Inbox
	Buffer int          // entries read ahead of their taker; default 64
	Log    *slog.Logger // default: none
}

// Queue is the log with its one reader. All methods are safe for concurrent
// use, save that only one Run may be going on at a time.
type Queue struct {
	inbox   store.Inbox
	log     *slog.Logger
	entries chan store.Entry
	poked   chan struct{}
	cursor  uint64 // the last entry handed on; Run's own
	ahead   ahead
	unread  atomic.Bool       // there may be entries that are not in ahead
	taken   [page]store.Entry // out of ahead; Run's own
}

// New makes a queue whose reader stands before the oldest entry of the log.
func New(o Options) *Queue {
	if o.Buffer <= 0 {
		o.Buffer = page
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Queue{
		inbox:   o.Inbox,
		log:     o.Log,
		entries: make(chan store.Entry, o.Buffer),
		poked:   make(chan struct{}, 1),
	}
}

// Append logs the events of one callback and wakes the reader if any of them
// was new. What it answers, and when it fails, is the store's word: see
// store.Inbox.
func (q *Queue) Append(ctx context.Context, events []*engine.Event, window time.Duration) (store.Appended, error) {
	got, err := q.inbox.Append(ctx, events, window)
	if err != nil {
		return got, err
	}
	fresh := false
	for i, seq := range got.Seqs {
		if seq == 0 {
			continue
		}
		if fresh = true; !q.ahead.add(seq, events[i]) {
			q.unread.Store(true)
		}
	}
	if fresh {
		q.wake()
	}
	return got, nil
}

// Poke tells the reader that the log has grown by other ways than Append. It
// never blocks; pokes that come while one is pending are one.
func (q *Queue) Poke() {
	q.unread.Store(true)
	q.wake()
}

func (q *Queue) wake() {
	select {
	case q.poked <- struct{}{}:
	default:
	}
}

// Entries is where the log comes out, in its order. It is never closed: whoever
// takes from it ends by a context of its own.
func (q *Queue) Entries() <-chan store.Entry { return q.entries }

// Run hands on every entry after the cursor until ctx is done, and then returns
// nil; entries that were not taken stay in the log. Run again, it goes on where
// it stopped. An error means that the log cannot be read.
func (q *Queue) Run(ctx context.Context) error {
	tick := time.NewTimer(recheck)
	defer tick.Stop()
	first := q.cursor
	q.unread.Store(true)
	for ctx.Err() == nil {
		entries, err := q.next()
		if err != nil {
			return fmt.Errorf("read log after %d: %w", q.cursor, err)
		}
		handed := q.hand(ctx, entries)
		if clear(entries); !handed || len(entries) > 0 {
			continue
		}
		wait := recheck
		if _, gap := q.ahead.gap(); gap {
			wait = gapWait
		}
		tick.Reset(wait)
		select {
		case <-ctx.Done():
		case <-q.poked:
		case <-tick.C:
			q.unread.Store(true)
		}
	}
	q.log.Debug("queue reader stopped", "from", first, "to", q.cursor)
	return nil
}

// next is what follows the cursor, as much as is at hand: what was just logged, or a
// page of the log. It is good until the next call.
func (q *Queue) next() ([]store.Entry, error) {
	if entries := q.ahead.next(q.cursor, q.taken[:0]); len(entries) > 0 {
		return entries, nil
	}
	if !q.unread.Swap(false) {
		return nil, nil
	}
	known, _ := q.ahead.gap()
	entries, err := q.inbox.Read(q.cursor, page)
	if len(entries) == 0 {
		q.ahead.empty(known)
		return nil, err
	}
	q.unread.Store(true)
	return entries, err
}

// hand waits for room in the channel and reports whether all entries found it
// before ctx was done.
func (q *Queue) hand(ctx context.Context, entries []store.Entry) bool {
	for _, e := range entries {
		select {
		case q.entries <- e:
			q.cursor = e.Seq
		case <-ctx.Done():
			return false
		}
	}
	return true
}
