// Package trace keeps the steps of every message's life, so that one id tells
// what became of it: received, refused and why, handled by which rule, sent at
// which attempt.
//
// It is evidence and no guarantee. Steps are told after the act that they are
// about is on disk, and are in the hands of the system as fast as one goroutine
// can write them (a process that is killed loses the last instant's, a power cut
// those that were not written back), in files of an hour beside the store. In the
// store they would be as safe as what they tell of, but they would make every
// act larger, and a trace that has filled the disk would stop what it watches.
// So nobody waits for it: what cannot be written in time is lost and counted.
package trace

import (
	"context"
	"log/slog"
	"time"

	"bot/engine/hourly"
)

// Dir is where the trace of a store lies.
func Dir(storePath string) string { return storePath + ".trace" }

// The steps.
const (
	Received  = "received"
	Duplicate = "duplicate"
	Refused   = "refused"
	Queued    = "queued"
	Handled   = "handled"
	NoReply   = "no_reply" // handled, and nothing is said
	Command   = "command"  // is in the outbox
	Attempt   = "attempt"
	Sent      = "sent"
	Confirmed = "confirmed"
	InDoubt   = "in_doubt"
	Retry     = "retry"
	Dead      = "dead"
	Cancelled = "cancelled"
)

// Step is one thing that happened.
type Step struct {
	Time    time.Time `json:"time"`
	Step    string    `json:"step"`
	Account string    `json:"account"`
	Skill   string    `json:"skill"`
	TaskID  string    `json:"task_id"`
	Note    string    `json:"note"`
}

// Entry is steps that happened to one event or one command, under all the ids that
// are known of it.
type Entry struct {
	Account      string
	Conversation string
	Event        string // the platform's id
	Ref          string // engine.Event.Ref
	Task         string
	Trace        string // engine.Command.TraceID
	Steps        []Step // those without an Account are the entry's account's
}

// MaxNote bounds a note, in bytes; what is longer is cut.
const MaxNote = 600

// Options is what a Recorder needs. Dir, Limits and Now are required.
type Options struct {
	Dir string
	// Limits are how long at least and how many bytes at most are kept; a keep of 0
	// keeps nothing. They are asked for with every entry, by many goroutines at once.
	Limits func() (keep time.Duration, size int64)
	Now    func() time.Time
	Lost   func(entries int) // is told of entries that are not kept; nil = nobody asks
	Log    *slog.Logger      // default: none
}

const (
	maxWaiting = 8192 // entries that wait to be written
	tidyEvery  = time.Minute
)

// Recorder takes entries and writes them. Its methods are safe for concurrent use.
type Recorder struct {
	o       Options
	waiting chan Entry
	flushes chan chan struct{}
	looking chan struct{} // a place in it is the right to read the files
}

// New makes a Recorder; nothing is opened yet.
func New(o Options) *Recorder {
	if o.Lost == nil {
		o.Lost = func(int) {}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Recorder{o: o, waiting: make(chan Entry, maxWaiting), flushes: make(chan chan struct{}), looking: make(chan struct{}, 1)}
}

// On tells whether anything is kept, so that nobody needs to make entries for
// nothing.
func (r *Recorder) On() bool {
	keep, _ := r.o.Limits()
	return keep > 0
}

// Add takes an entry, which must not be changed afterwards. It never blocks.
func (r *Recorder) Add(e Entry) {
	if !r.On() {
		return
	}
	select {
	case r.waiting <- e:
	default:
		r.o.Lost(1)
	}
}

// Run writes until ctx is done, then what still waits, and returns nil: whatever
// the disk does, it is no failure of the engine. Only one Run may be going on.
func (r *Recorder) Run(ctx context.Context) error {
	w := hourly.NewWriter(hourly.Options{
		Dir: r.o.Dir, Limits: r.o.Limits, Now: r.o.Now, Lost: r.o.Lost, Log: r.o.Log, What: "the trace, which bot trace reads,",
	})
	defer w.Close()
	tidy := time.NewTicker(tidyEvery)
	defer tidy.Stop()
	var rec []byte
	put := func(e Entry) {
		rec = e.append(rec[:0])
		w.Add(rec)
	}
	for {
		select {
		case e := <-r.waiting:
			put(e)
			if len(r.waiting) == 0 { // else there is more to go with it
				w.Flush()
			}
		case done := <-r.flushes:
			for range len(r.waiting) {
				put(<-r.waiting)
			}
			w.Flush()
			close(done)
		case <-tidy.C:
			w.Tidy()
		case <-ctx.Done():
			for range len(r.waiting) {
				put(<-r.waiting)
			}
			return nil
		}
	}
}

// flush waits until what was added is written, or ctx is done.
func (r *Recorder) flush(ctx context.Context) {
	done := make(chan struct{})
	select {
	case r.flushes <- done:
		<-done
	case <-ctx.Done():
	}
}
