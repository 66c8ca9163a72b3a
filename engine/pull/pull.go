// Package pull answers doorbells. Some platforms say in a callback only that
// there is something to fetch; where that is, and with which token, is written
// down before the callback is acknowledged, and then it is fetched page after
// page. A page's events and how far it goes are stored in one act, so a crash
// repeats a page, whose events are then duplicates, and loses none.
//
// What a source is, and what its events mean, the package does not know.
package pull

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// Store is what is asked of the store.
type Store interface {
	AppendPage(ctx context.Context, events []*engine.Event, window time.Duration, account string, notes []engine.Note) (store.Appended, error)
	Recall(account, key string) (string, error)
	Remember(ctx context.Context, account string, notes []engine.Note) error
	Recollect(account, prefix, after string, limit int) ([]engine.Note, error)
	CommitWait() time.Duration
}

// Options is what a Porter needs. Store, Pullers and Window are required. The
// funcs may be called by several goroutines at once.
type Options struct {
	Store Store
	// Pullers are those of the live configuration, by account; it is asked
	// before each page. Sources of an account without one are left alone.
	Pullers func() map[string]channel.Puller
	// Window is how long an account's events are told from their copies.
	Window func(account string) time.Duration
	// Admit says why an event is not welcome, "" when it is; nil = all are.
	Admit func(e *engine.Event) (reason string)
	// Refused and Logged are told what became of each event of a page, once the
	// page is stored.
	Refused func(e *engine.Event, reason string)
	Logged  func(e *engine.Event, duplicate bool)
	Poke    func() // the log has grown
	// MaxCommitWait is the wait for the disk beyond which nothing is fetched;
	// nil or 0 = no limit.
	MaxCommitWait func() time.Duration
	Every         time.Duration    // between two looks at a source that nobody rings for; default 5 min
	Now           func() time.Time // what Throttled's Until is compared with; default time.Now
	Chance        func() float64   // in [0,1); default random
	Log           *slog.Logger     // default: none
}

func (o Options) withDefaults() Options {
	if o.Admit == nil {
		o.Admit = func(*engine.Event) string { return "" }
	}
	if o.Refused == nil {
		o.Refused = func(*engine.Event, string) {}
	}
	if o.Logged == nil {
		o.Logged = func(*engine.Event, bool) {}
	}
	if o.Poke == nil {
		o.Poke = func() {}
	}
	if o.MaxCommitWait == nil {
		o.MaxCommitWait = func() time.Duration { return 0 }
	}
	if o.Every <= 0 {
		o.Every = 5 * time.Minute
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Chance == nil {
		o.Chance = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Porter answers doorbells. Make it with New, run it once; its other methods
// are safe for concurrent use, also before Run and after.
type Porter struct {
	o     Options
	wake  chan struct{}   // there may be sources that nobody attends to
	found map[string]bool // accounts whose notes were read; Run's own

	mu      sync.Mutex
	sources map[place]*source
	slots   map[string]chan struct{} // of an account, see maxAtOnce
}

// place is where a source is.
type place struct{ account, source string }

// New fills in the defaults.
func New(o Options) *Porter {
	return &Porter{
		o: o.withDefaults(), wake: make(chan struct{}, 1),
		sources: make(map[place]*source), found: make(map[string]bool), slots: make(map[string]chan struct{}),
	}
}

// maxSource bounds a source's name, in bytes; see channel.Doorbell.
const maxSource = 256

func possible(source string) bool { return source != "" && len(source) <= maxSource }

// Ring returns when the doorbells are on disk; that they are answered is then
// certain. To ring again is harmless, also after an error. Errors: those of
// store.Memory.Remember, and a doorbell that names no possible source.
func (p *Porter) Ring(ctx context.Context, bells []channel.Doorbell) error {
	for _, b := range bells {
		if !possible(b.Source) {
			return fmt.Errorf("doorbell of account %s: a source of %d bytes, want 1 to %d", b.Account, len(b.Source), maxSource)
		}
	}
	for _, b := range bells {
		err := p.at(place{b.Account, b.Source}, false).rung(b.Token, func(n engine.Note) error {
			return p.o.Store.Remember(ctx, b.Account, []engine.Note{n})
		})
		if err != nil {
			return fmt.Errorf("ring for source %s of account %s: %w", b.Source, b.Account, err)
		}
	}
	return nil
}

// Wake says that the configuration has changed: what waited for another one is
// tried at once.
func (p *Porter) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sources {
		signal(s.changed)
	}
	signal(p.wake)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// at returns the source of a place. Where it is a new one, known tells whether
// it is to be fetched from before anybody rings.
func (p *Porter) at(where place, known bool) *source {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.sources[where]
	if s == nil {
		s = newSource(where, known)
		p.sources[where] = s
		signal(p.wake)
	}
	return s
}

// Run fetches until ctx is done, and then returns nil once all that it began
// has ended. An error means that the store can do no more.
func (p *Porter) Run(ctx context.Context) error {
	ctx, fail := context.WithCancelCause(ctx)
	var attending sync.WaitGroup
	defer attending.Wait()
	defer fail(nil)
	look := time.NewTicker(p.o.Every)
	defer look.Stop()
	for {
		if err := p.findSources(); err != nil {
			return err
		}
		for _, s := range p.unattended() {
			attending.Go(func() {
				if err := p.attend(ctx, s); err != nil {
					fail(err)
				}
			})
		}
		select {
		case <-ctx.Done():
			return p.ended(ctx)
		case <-p.wake:
		case <-look.C:
		}
	}
}

// ended is the failure that ended ctx, nil when that was somebody's wish.
func (p *Porter) ended(ctx context.Context) error {
	if err := context.Cause(ctx); over(err) {
		return err
	}
	return nil
}

// over tells whether the store can do no more.
func over(err error) bool { return errors.Is(err, store.ErrFailed) || errors.Is(err, store.ErrClosed) }

// unattended returns the sources that no goroutine attends to yet, and takes it
// that one will from now on.
func (p *Porter) unattended() (all []*source) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, s := range p.sources {
		if !s.attended {
			s.attended = true
			all = append(all, s)
		}
	}
	return all
}
