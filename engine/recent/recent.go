// Package recent keeps a copy of what was lately handled, so that `bot replay`
// can play it through an edited configuration. It is a convenience and promises
// nothing: records are written some time after the event was committed, are not
// synced, and are dropped where the disk is full or slower than the events come.
// The engine never waits for it.
//
// The copies lie in a folder beside the store, written by package hourly. A record
// is what store.AppendEvent made, which has its own checksum.
//
// What is kept of an event is what skills see of it: not its raw body, which
// they do not read, no permission to reply, and nothing that only the engine's
// own memory is for. Its kind is the one it had by what was remembered at its
// turn (engine.Event.KindWhen).
package recent

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"bot/engine"
)

// Dir is where the recent intake of a store lies.
func Dir(storePath string) string { return storePath + ".recent" }

// Options is what an Archive needs. Dir, Limits and Now are required.
type Options struct {
	Dir string
	// Limits are how long at least and how many bytes at most are kept. A keep of
	// 0 keeps nothing. They may change while the Archive works; they are asked for
	// with every event, by many goroutines at once.
	Limits  func() (keep time.Duration, size int64)
	Now     func() time.Time // the clock of Event.Received
	Dropped func(events int) // is told of events that are not kept; nil = nobody asks
	Log     *slog.Logger     // default: none
}

// Bounds of what waits to be written.
const (
	maxWaiting      = 4096    // events
	maxWaitingBytes = 8 << 20 // of memory that they hold
	eventBytes      = 1 << 10 // what an event takes besides its texts, about
)

// How long a record may stay in memory, and how often old files are looked for.
const (
	flushAfter = time.Second
	tidyEvery  = time.Minute
)

// Archive takes copies of events and writes them.
type Archive struct {
	o       Options
	waiting chan handled
	bytes   atomic.Int64 // that the waiting events hold
}

// handled is an event with the kind that skills saw.
type handled struct {
	event *engine.Event
	kind  engine.Kind
}

func (h handled) size() int64 {
	return int64(eventBytes + len(h.event.Raw) + len(h.event.Text))
}

// New makes an Archive; nothing is opened yet.
func New(o Options) *Archive {
	if o.Dropped == nil {
		o.Dropped = func(int) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Archive{o: o, waiting: make(chan handled, maxWaiting)}
}

// Add has a copy of a handled event kept; kind is what skills saw it as. It
// never blocks: what there is no room for is dropped. Expiries are left out,
// since a replay makes its own. It may be called by many goroutines at once,
// also when Run is not going on.
func (a *Archive) Add(e *engine.Event, kind engine.Kind) {
	if keep, _ := a.o.Limits(); keep <= 0 || e.Kind == engine.Expired {
		return
	}
	h := handled{e, kind}
	if a.bytes.Add(h.size()) <= maxWaitingBytes {
		select {
		case a.waiting <- h:
			return
		default:
		}
	}
	a.bytes.Add(-h.size())
	a.o.Dropped(1)
}

// Run writes until ctx is done, then what still waits, and returns nil: whatever
// the disk does, it is no failure of the engine. Only one Run may be going on.
func (a *Archive) Run(ctx context.Context) error {
	w := newWriter(a.o)
	defer w.Close()
	tidy, flush := time.NewTicker(tidyEvery), time.NewTimer(flushAfter)
	defer tidy.Stop()
	defer flush.Stop()
	for {
		select {
		case h := <-a.waiting:
			if !w.Buffered() {
				flush.Reset(flushAfter)
			}
			a.write(w, h)
		case <-flush.C:
			w.Flush()
		case <-tidy.C:
			w.Tidy()
		case <-ctx.Done():
			a.drain(w)
			return nil
		}
	}
}

func (a *Archive) write(w *writer, h handled) {
	a.bytes.Add(-h.size())
	w.add(h)
}

func (a *Archive) drain(w *writer) {
	for {
		select {
		case h := <-a.waiting:
			a.write(w, h)
		default:
			return
		}
	}
}
