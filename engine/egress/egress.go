// Package egress takes commands from the outbox to the platforms: the right
// one next, at the account's pace, marked before it leaves and settled after.
// It decides what a failure means for the command, its successors and its
// account; what the failure was is the adapter's to say (channel.Class).
//
// All commands wait in one index in memory, 40 bytes each, that one goroutine
// owns (see owner); their content stays in the store until their turn comes.
package egress

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/metrics"
	"bot/engine/pace"
	"bot/engine/quota"
	"bot/store"
)

// Account is how commands of one account are sent.
type Account struct {
	Sender  channel.Sender
	Limits  pace.Limits
	OnDoubt string // what to do when nobody knows whether a command went out: Hold or Resend
	// Attempts bounds the requests for one command that are charged to it;
	// below 1 counts as 1.
	Attempts int
	// Backoff is the longest wait before the first retry and before any:
	// the n-th is drawn evenly from nought to Min·2ⁿ⁻¹, at most Max.
	Backoff engine.Range
	// GiveUp bounds the life of a command from the time it was due, whatever
	// the reason that it has not left. 0 is no limit.
	GiveUp  time.Duration
	Timeout time.Duration // of one request; 0 is 30 s
	// ConfirmWithin is how long a command waits for the platform to confirm that it
	// was carried out, where its Sender is a channel.Confirmer; 0 is 5 s.
	ConfirmWithin time.Duration
	// Quota is how much it may say unasked.
	Quota quota.Limits
	// LateReply is what becomes of a reply whose ticket has expired: PushLate or
	// DropLate.
	LateReply string
}

// The values of Account.OnDoubt. Anything else counts as Hold.
const (
	Hold   = "hold"   // keep it for a person and let its successors go
	Resend = "resend" // try again in its place, as after a failure
)

// Options is what an Egress needs. Only Outbox is required.
type Options struct {
	Outbox   store.Outbox
	Global   engine.Rate // of all accounts together
	Accounts map[string]Account
	// Unwanted says why a command is not to be sent any more, "" while it is.
	// It is asked before a command is marked and just before its first byte
	// leaves, by the goroutine of Run, and must not wait: memory, or a read of the
	// store, which is microseconds of a mapped file. A command that is not wanted
	// is dead. nil = all are wanted.
	Unwanted func(c *engine.Command) string
	// Vet looks at what a command says: before it is marked, and just before its
	// first byte leaves, by the goroutine of Run. It must answer from memory, and
	// leave the command as it is. nil = all may be said as it is written.
	Vet func(c *engine.Command) Vetted
	// Sending is told, by the goroutine of Run, of a command that is about to be
	// sent, in the words in which it is; it must not block. nil = nobody asks.
	Sending func(c *engine.Command)
	// Tally is what the act that writes a settlement down has to count besides
	// (store.Settlement.Counts). It is asked by the goroutine of Run and must answer
	// from memory. nil = nothing.
	Tally func(c *engine.Command, s *store.Settlement) []engine.Count
	// Settled is told, by the goroutine of Run, how an attempt at a command, or the
	// command itself, ended, when that is on disk; it must not block. failure is the
	// attempt's, nil where none failed. nil = nobody asks.
	Settled func(c *engine.Command, s *store.Settlement, failure *channel.SendError)
	// Learn is asked, by the goroutine of Run, for what is to be remembered of a
	// command that its platform took, in the act that settles it; like Unwanted it
	// must not wait. nil = nothing.
	Learn func(c *engine.Command) []engine.Note
	// Halted is told, by the goroutine of Run, that an account's platform began to
	// refuse to serve it (channel.Halted); it must not block. nil = nobody asks.
	Halted func(account, note string)
	// Throttling is told, by the goroutine of Run, that a platform began to throttle
	// an account, lets no more than a probe through, or lets it send as before; it
	// must not block. nil = nobody asks.
	Throttling func(Throttling)
	// Recall reads an account's note, "" when there is none; it reads, and waits for
	// nothing else. How an account stood with its platform, and what quotas count, is
	// written as notes with the marks and settlements of its commands; what calls a
	// command off (engine.Command.Unless) is in the note that it names. nil = that is
	// forgotten with the process, and nothing is called off.
	Recall func(account, key string) (string, error)
	// Found is told once of each command in which listed words were found, by the
	// goroutine of Run; it must not block. nil = nobody asks.
	Found   func(c *engine.Command, v Vetted)
	Now     func() time.Time // the store's clock; what waits for it is looked at once a minute at least
	Chance  func() float64   // in [0,1); called by the goroutine of Run only
	Grace   time.Duration    // for requests in flight when Run is to end
	Log     *slog.Logger
	Metrics *metrics.Metrics
}

// Egress sends what is in an outbox. Its methods are safe for concurrent use;
// all but Run return at once.
type Egress struct {
	opts    Options
	running atomic.Bool
	poke    chan struct{} // holds one: there is something new

	mu        sync.Mutex
	settings  settings
	changed   bool                         // settings, since the owner took them
	cancelled []engine.ConversationKey     // told and not looked after yet
	spoken    []engine.ConversationKey     // likewise: somebody wrote there
	holds     map[string]map[string]string // why an account sends nothing, by its name and the cause
	shown     map[string]shown             // how accounts stand with their platforms, for people
	bound     map[string]pace.By           // whose limit their next commands wait for
	held      bool                         // holds changed, since the owner took them
	confirmed []*confirmation              // told and not taken by the owner yet
	over      error                        // of the last Run, which nobody follows yet
	resolved  []store.Delivery             // doubts that a person ended, likewise
	// unconfirmed are the commands that wait for their confirmation, by account.
	unconfirmed map[string]int
}

// settings is what a reload replaces.
type settings struct {
	accounts map[string]Account
	global   engine.Rate
}

// New returns an Egress that does nothing until Run.
func New(o Options) *Egress {
	if o.Unwanted == nil {
		o.Unwanted = func(*engine.Command) string { return "" }
	}
	if o.Vet == nil {
		o.Vet = func(c *engine.Command) Vetted { return Vetted{Command: c} }
	}
	if o.Sending == nil {
		o.Sending = func(*engine.Command) {}
	}
	if o.Learn == nil {
		o.Learn = func(*engine.Command) []engine.Note { return nil }
	}
	if o.Tally == nil {
		o.Tally = func(*engine.Command, *store.Settlement) []engine.Count { return nil }
	}
	if o.Settled == nil {
		o.Settled = func(*engine.Command, *store.Settlement, *channel.SendError) {}
	}
	if o.Halted == nil {
		o.Halted = func(string, string) {}
	}
	if o.Throttling == nil {
		o.Throttling = func(Throttling) {}
	}
	if o.Recall == nil {
		o.Recall = func(string, string) (string, error) { return "", nil }
	}
	if o.Found == nil {
		o.Found = func(*engine.Command, Vetted) {}
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
	if o.Metrics == nil {
		o.Metrics = metrics.New()
	}
	e := &Egress{
		opts: o, poke: make(chan struct{}, 1), holds: make(map[string]map[string]string), shown: make(map[string]shown),
		bound: make(map[string]pace.By), unconfirmed: make(map[string]int),
	}
	e.Reconfigure(o.Accounts, o.Global)
	return e
}

// Wake tells that the outbox may hold new commands.
func (e *Egress) Wake() {
	select {
	case e.poke <- struct{}{}:
	default:
	}
}

// Reconfigure replaces accounts and the global rate, soon after it returned.
// Tokens used, gaps, pauses, what quotas counted and waiting commands of an account
// that stays are kept. Requests in flight end by the old terms. An account that is left out
// holds its commands until it comes back.
func (e *Egress) Reconfigure(accounts map[string]Account, global engine.Rate) {
	e.mu.Lock()
	e.settings, e.changed = settings{accounts, global}, true
	e.mu.Unlock()
	e.Wake()
}

// Hold keeps an account from sending: what is marked and has not left is taken
// back, nothing costs an attempt, and whatever runs out of time meanwhile is
// dead as ever. Causes hold independently of each other. The reason is for
// people; "" ends what the cause holds. It holds for accounts that are not
// configured (yet), too.
func (e *Egress) Hold(account, cause, reason string) {
	e.mu.Lock()
	if e.holds[account] == nil {
		e.holds[account] = make(map[string]string)
	}
	if e.holds[account][cause] = reason; reason == "" {
		delete(e.holds[account], cause)
	}
	if len(e.holds[account]) == 0 {
		delete(e.holds, account)
	}
	e.held = true
	e.mu.Unlock()
	e.Wake()
}

// Held returns why accounts send nothing at present, by their names: because
// somebody holds them, or because their platform asked for a rest or does not
// serve them.
func (e *Egress) Held() map[string]string {
	now := e.opts.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	why := make(map[string]string, len(e.holds))
	for account, s := range e.shown {
		if s.rests(now) {
			why[account] = s.why
		}
	}
	for account, causes := range e.holds {
		var all []string
		for _, cause := range slices.Sorted(maps.Keys(causes)) {
			all = append(all, cause+": "+causes[cause])
		}
		if rest := why[account]; rest != "" {
			all = append(all, rest)
		}
		why[account] = strings.Join(all, "; ")
	}
	return why
}

// Cancelled tells that a waiting command of the conversation was taken out of
// the outbox, so that it no longer holds its successors. Without it they would
// wait until its own time had come.
func (e *Egress) Cancelled(k engine.ConversationKey) {
	e.mu.Lock()
	e.cancelled = append(e.cancelled, k)
	e.mu.Unlock()
	e.Wake()
}

// news returns what was told since the last call; s is nil when the settings
// are the same.
func (e *Egress) news() (s *settings, cancelled, spoken []engine.ConversationKey) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.changed {
		copied := e.settings
		s, e.changed = &copied, false
	}
	cancelled, e.cancelled = e.cancelled, nil
	spoken, e.spoken = e.spoken, nil
	return s, cancelled, spoken
}

// stopped returns the accounts that are held; ok is false when that is as it
// was at the last call.
func (e *Egress) stopped() (holds map[string]bool, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.held {
		return nil, false
	}
	e.held = false
	holds = make(map[string]bool, len(e.holds))
	for account := range e.holds {
		holds[account] = true
	}
	return holds, true
}

// Run sends until ctx is done. Then it starts nothing new, gives requests in
// flight the grace time, cancels what is left, settles what was answered and
// returns nil. A request cut off without an answer keeps its mark: the next
// Run finds it in doubt. Run returns early with an error that wraps
// store.ErrFailed or store.ErrClosed, or any other that the outbox gave and
// that leaves unknown what is on disk. When it returns nothing that it started
// does anything any more.
//
// Only one Run at a time may use an outbox; it may be called again.
func (e *Egress) Run(ctx context.Context) error {
	if !e.running.CompareAndSwap(false, true) {
		return errors.New("run egress: it runs already")
	}
	defer e.running.Store(false)

	e.mu.Lock()
	e.changed, e.held = true, true // the limiters of an earlier Run ended with it
	clear(e.unconfirmed)
	e.over = nil
	e.mu.Unlock()
	return newOwner(ctx, e).run(ctx)
}
