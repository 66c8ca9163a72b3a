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
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"bot/engine"
	"bot/engine/pace"
	"bot/store"
)

// Egress sends what is in an outbox. Its methods are safe for concurrent use;
// all but Run, Confirm and Reserve return at once.
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
	serves    bool                         // whoever asks for a place gets an answer
	asked     []asking                     // not taken by the owner yet
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
	o.complete()
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

// HeldBy tells whether a cause holds an account.
func (e *Egress) HeldBy(account, cause string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.holds[account][cause] != ""
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
