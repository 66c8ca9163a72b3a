package egress

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// stage is which of the three acts of a send is under way.
type stage uint8

const (
	marking  stage = iota // the attempt is being written down
	sending               // the request is on the wire
	settling              // its end is being written down
)

// flight is a command on its way. It belongs to the owner, or to the goroutine
// of the act that runs, until that reports it back.
type flight struct {
	account      *account
	conf         Account // as it was when the flight began
	conversation *conversation
	lane         engine.Lane
	item         item
	left         time.Time // when its account's pace let it go
	delivery     store.Delivery
	vetted       Vetted         // as it was looked at last
	bulk         bool           // it counts as such for its account (beside)
	rides        bool           // what is being written of it waits for a commit of others
	late         string         // what is to be said of a reply that goes as a push
	charge       []engine.Count // what its mark counts
	refund       bool           // its settlement gives that back
	reserved     bool           // what its command's commit answered is not known yet

	stage      stage
	progress   store.Progress     // of the mark
	failure    *channel.SendError // of the request; nil: none
	note       string             // of a request that succeeded
	took       time.Duration      // by the request; 0: there was none
	settlement store.Settlement
	err        error // of the mark or the settle

	// Of a flight that makes no request: what the platform says of an earlier one,
	// as it is counted, and who told it (nil: its silence).
	told         string
	confirmation *confirmation
}

// errPutOff ends an act that found the store full until it was too late.
var errPutOff = errors.New("store stayed full")

// fullPause is the time between two tries at a full store.
const fullPause = time.Second

// acts does what takes time, each act on a goroutine of its own, and reports
// the flight when it is done.
type acts struct {
	outbox  store.Outbox
	log     *slog.Logger
	reports chan *flight
	stop    context.Context // done: start nothing new
	cut     context.Context // done: end what runs
	// The store had no room for the last mark, the last settle. It may well
	// have room for one and not for the other.
	noMark, noSettle atomic.Bool
}

// mark writes down that an attempt begins.
func (s *acts) mark(f *flight) {
	f.err = s.write(f.riding(s.stop), &s.noMark, func(ctx context.Context) error {
		return s.outbox.Attempt(ctx, f.delivery.ID, f.progress, f.charge...)
	})
	s.reports <- f
}

// settle writes down how it ended.
func (s *acts) settle(f *flight) {
	f.err = s.write(f.riding(s.cut), &s.noSettle, func(ctx context.Context) error {
		return s.outbox.Settle(ctx, f.settlement)
	})
	s.reports <- f
}

// riding is ctx for an act that is in no hurry where the flight is not.
func (f *flight) riding(ctx context.Context) context.Context {
	if f.rides {
		return store.Riding(ctx)
	}
	return ctx
}

// write does an act of the store, again and again while there is no room.
// until ends the waiting only: an act that was handed in is seen through,
// since one that was abandoned would leave unknown what is on disk.
func (s *acts) write(until context.Context, full *atomic.Bool, act func(context.Context) error) error {
	for {
		err := act(context.WithoutCancel(until))
		if !errors.Is(err, store.ErrFull) {
			if err == nil && full.CompareAndSwap(true, false) {
				s.log.Info("the store has room again; sending goes on")
			}
			return err
		}
		if full.CompareAndSwap(false, true) {
			s.log.Warn("sending waits for room in the store", "error", err)
		}
		select {
		case <-time.After(fullPause):
		case <-until.Done():
			return fmt.Errorf("%w: %w", errPutOff, err)
		}
	}
}

// send makes the request.
func (s *acts) send(f *flight) {
	ctx, cancel := context.WithTimeout(s.cut, f.conf.Timeout)
	defer cancel()
	began := time.Now()
	if tried(f.before(), channel.Unsure) {
		ctx = channel.WithDoubt(ctx)
	}
	f.note, f.failure = s.try(ctx, f)
	f.took = max(time.Since(began), 1)
	s.reports <- f
}

// try turns whatever a Sender does into an answer. What it must not do, panic
// or return a foreign error, tells nothing of what went out before.
func (s *acts) try(ctx context.Context, f *flight) (note string, failure *channel.SendError) {
	defer func() {
		if r := recover(); r != nil {
			what := fmt.Sprintf("a %T", r)
			if e, ok := r.(runtime.Error); ok {
				what = e.Error() // safe to print, unlike a value that may hold anything
			}
			s.log.Error("sender panicked", "account", f.account.name, "task_id", f.delivery.Command.TaskID,
				"panic", what, "stack", string(debug.Stack()))
			failure = &channel.SendError{Class: channel.Unsure, Note: "the sender panicked"}
		}
	}()
	note, err := f.conf.Sender.Send(ctx, f.vetted.Command)
	if err == nil {
		return note[:min(len(note), channel.MaxNote)], nil
	}
	if errors.As(err, &failure) && failure != nil {
		return "", failure
	}
	return "", &channel.SendError{Class: channel.Unsure, Note: "the sender gave an error without a class"}
}
