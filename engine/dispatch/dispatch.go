// Package dispatch gives every event its turn. Each conversation has a mailbox
// of places in the log; the mailboxes that are ready take turns, one event
// each, so that a conversation's events are handled one at a time and in order,
// and no conversation waits for another's long queue. Failed turns are repeated
// after a back-off and in the end buried; events that were in hand when the
// process died are taken up alone.
//
// What a turn is, package turn knows; where events come from and where commands
// go, others do.
package dispatch

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/metrics"
	"bot/engine/turn"
	"bot/engine/warm"
	"bot/store"
)

// Store is what a Dispatcher asks of the store; store.Inbox and store.Turns say
// what the methods promise.
type Store interface {
	turn.Memory
	Entry(seq uint64) (store.Entry, error)
	Fail(ctx context.Context, f store.Failure) error
	Begin(seq uint64) (end func())
	Suspects() []uint64
	Charge(ctx context.Context, seq uint64) (store.Tries, error)
}

// Options is what a Dispatcher needs. Entries, Store, Setup and Chance are
// required.
type Options struct {
	Entries <-chan store.Entry // in log order
	Store   Store
	// Setup returns the present snapshot of the configuration. Each turn asks
	// for it once and ends with the one it began with.
	Setup func() turn.Setup
	// Committed is called after a commit that held commands, other than one that was
	// reserved, by many goroutines at once; it must not block.
	Committed func()
	// Reserve keeps a place for a command whose commit is about to be written, see
	// egress.Egress.Reserve: mark goes into the commit, and end is told what that answered. It is
	// called by many goroutines at once. nil = all commands wait until they are committed.
	Reserve func(c *engine.Command) (mark *store.Progress, end func(error))
	// Raised is told, like Committed, how many events a commit put into the log.
	// nil = nobody asks.
	Raised func(n int)
	// Presence is told, like Committed, that a committed event said whether its
	// account is connected to its platform. nil = nobody asks.
	Presence func(account string, online bool)

	// Handled is told of each event once it is committed, like Committed; nil = nobody asks.
	Handled func(e *engine.Event, r turn.Report)

	// Begun is told of each event when an attempt at it begins, and Buried of one
	// that is given up, ahead of what waits behind it; nil = nobody asks.
	Begun  func(e *engine.Event)
	Buried func(e *engine.Event, tries store.Tries)

	// Failed is told of an attempt that will be followed by another, after that
	// long. nil = nobody asks.
	Failed func(e *engine.Event, tries store.Tries, wait time.Duration)

	// Contact is turn.Options.Contact; it is called by many goroutines at once.
	Contact func(e *engine.Event) ([]engine.Note, error)

	// Show is turn.Options.Show, and Confirm turn.Options.Confirm.
	Show    func(e *engine.Event, text string)
	Confirm func(ctx context.Context, account, key string, ok bool, note string) error

	Workers  int           // turns at a time; default 64
	Attempts int           // at one event, before it is buried; default 5
	RetryFor time.Duration // from an event's first failure until it is buried; default 60 s
	Timeout  time.Duration // of a skill that sets none; default 10 s
	Grace    time.Duration // for turns in hand when Run is to end; default 10 s

	Now     func() time.Time // the store's clock; default time.Now
	Chance  func() float64   // in [0,1), safe for concurrent use
	Log     *slog.Logger     // default: none
	Metrics *metrics.Metrics // default: counted and not shown
}

func (o *Options) setDefaults() {
	positive(&o.Workers, 64)
	positive(&o.Attempts, 5)
	positive(&o.RetryFor, time.Minute)
	positive(&o.Timeout, 10*time.Second)
	positive(&o.Grace, 10*time.Second)
	if o.Committed == nil {
		o.Committed = func() {}
	}
	if o.Reserve == nil {
		o.Reserve = func(*engine.Command) (*store.Progress, func(error)) { return nil, nil }
	}
	if o.Raised == nil {
		o.Raised = func(int) {}
	}
	if o.Presence == nil {
		o.Presence = func(string, bool) {}
	}
	if o.Handled == nil {
		o.Handled = func(*engine.Event, turn.Report) {}
	}
	if o.Begun == nil {
		o.Begun = func(*engine.Event) {}
	}
	if o.Buried == nil {
		o.Buried = func(*engine.Event, store.Tries) {}
	}
	if o.Failed == nil {
		o.Failed = func(*engine.Event, store.Tries, time.Duration) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = metrics.New()
	}
}

func positive[T int | time.Duration](v *T, otherwise T) {
	if *v <= 0 {
		*v = otherwise
	}
}

// Dispatcher owns the mailboxes. Only one Run may be going on at a time; all
// other methods are safe for concurrent use.
type Dispatcher struct {
	o        Options
	table    table
	ready    fifo[*mailbox]
	delayed  delays
	parked   map[string]*fifo[*mailbox] // by the skill that is busy
	gates    gates
	suspects []uint64            // still to be taken up alone
	alone    bool                // a suspect has a worker, and nobody else is to get one
	behind   map[uint64]*mailbox // suspects that have a turn, each with the mailbox that has come to it
	looked   bool                // for suspects
	running  int                 // turns that have a worker
	away     int                 // turns that wait for another system
	failure  error               // of the store; ends every Run
	crew     *warm.Crew          // of the present Run: turns, and the skills in them
	alarm    *time.Timer
	results  chan result
	changed  chan struct{}
	stats    counts
}

// counts is Stats while it is written.
type counts struct {
	waiting, conversations, running, away, parked, held, gone atomic.Int64
}

// Stats is what a Dispatcher has before it now.
type Stats struct {
	Waiting       int // events in mailboxes, those at their turn included
	Conversations int // mailboxes
	Running       int // turns that have a worker
	Away          int // turns that wait for another system
	Parked        int // mailboxes whose skill runs as often as it may
	Held          int // mailboxes whose account is not in the configuration
	Gone          int // events met since the start that had been settled otherwise
}

// New makes a Dispatcher.
func New(o Options) *Dispatcher {
	o.setDefaults()
	return &Dispatcher{
		o:       o,
		table:   newTable(),
		parked:  make(map[string]*fifo[*mailbox]),
		behind:  make(map[uint64]*mailbox),
		results: make(chan result, o.Workers), // most are handed in without a wait
		changed: make(chan struct{}, 1),
	}
}

// Reconfigured says that Setup answers differently now: events that were held
// because their account was unknown are looked at again. It never blocks.
func (d *Dispatcher) Reconfigured() {
	select {
	case d.changed <- struct{}{}:
	default:
	}
}

// Waiting is how many events are in the mailboxes, those at their turn included.
func (d *Dispatcher) Waiting() int { return int(d.stats.waiting.Load()) }

// Stats tells what is going on. The numbers are read one after the other.
func (d *Dispatcher) Stats() Stats {
	return Stats{
		Waiting:       d.Waiting(),
		Conversations: int(d.stats.conversations.Load()),
		Running:       int(d.stats.running.Load()),
		Away:          int(d.stats.away.Load()),
		Parked:        int(d.stats.parked.Load()),
		Held:          int(d.stats.held.Load()),
		Gone:          int(d.stats.gone.Load()),
	}
}
