// Package health keeps the evidence by which it is judged whether an account
// works: the last callback and the last one that was refused, what was sent and
// what failed, whether its platform says that it is connected. All of it is in
// memory and cheap to note; only the time of the last callback is kept on disk, so
// that silence is measured across restarts.
package health

import (
	"cmp"
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
)

// Store is what is asked of the store; see store.Memory.
type Store interface {
	Recall(account, key string) (string, error)
	Remember(ctx context.Context, account string, notes []engine.Note) error
}

// callbackKey is the note of when the last callback came.
const callbackKey = "health/callback"

// keepEvery is how often that is written while callbacks come.
const keepEvery = 5 * time.Minute

// Board is the evidence of all accounts. Its methods are safe for concurrent use
// and but for Recover and Run do not wait for anything.
type Board struct {
	store    Store
	now      func() time.Time
	log      *slog.Logger
	accounts sync.Map // name → *account
}

// account is the evidence of one. What every callback and command touches is
// atomic.
type account struct {
	callback atomic.Int64 // last, Unix nanoseconds; 0: none is known
	sent     atomic.Int64
	known    atomic.Int64 // since when the account is watched

	mu      sync.Mutex
	kept    int64 // of callback, what the store has
	refused Mark
	failed  Mark
	failing bool // the last attempt failed for a reason that is not the command's
	offline Mark // zero time: it is not
	online  time.Time
	probe   Mark
}

// Mark is something that happened, and what was said of it.
type Mark struct {
	Time  time.Time `json:"time"`
	Class string    `json:"class,omitempty"`
	Note  string    `json:"note,omitempty"`
}

// New makes an empty Board. now is the clock of what is written.
func New(store Store, now func() time.Time, log *slog.Logger) *Board {
	return &Board{store: store, now: now, log: log}
}

func (b *Board) of(name string) *account {
	if a, ok := b.accounts.Load(name); ok {
		return a.(*account)
	}
	a := &account{}
	a.known.Store(b.now().UnixNano())
	got, _ := b.accounts.LoadOrStore(name, a)
	return got.(*account)
}

// Recover begins to watch an account, with what the last process left. An account
// that is watched already is left as it is.
func (b *Board) Recover(name string) error {
	if _, ok := b.accounts.Load(name); ok {
		return nil
	}
	note, err := b.store.Recall(name, callbackKey)
	if err != nil {
		return err
	}
	a := b.of(name)
	if at, err := time.Parse(time.RFC3339, note); err == nil {
		a.callback.CompareAndSwap(0, at.UnixNano())
		a.mu.Lock()
		a.kept = at.UnixNano()
		a.mu.Unlock()
	}
	return nil
}

// Called notes a callback that was verified.
func (b *Board) Called(name string) { b.of(name).callback.Store(b.now().UnixNano()) }

// Refused notes a callback that was not, and why. It may be anybody's.
func (b *Board) Refused(name, reason string) {
	a := b.of(name)
	a.mu.Lock()
	a.refused = Mark{Time: b.now(), Class: reason}
	a.mu.Unlock()
}

// Sent notes a command that the platform took.
func (b *Board) Sent(name string) {
	a := b.of(name)
	a.sent.Store(b.now().UnixNano())
	a.mu.Lock()
	a.failing = false
	a.mu.Unlock()
}

// Failed notes an attempt that did not succeed. ours says that the command was to
// blame, not the account or its platform.
func (b *Board) Failed(name, class, note string, ours bool) {
	a := b.of(name)
	a.mu.Lock()
	a.failed = Mark{b.now(), class, note}
	a.failing = !ours
	a.mu.Unlock()
}

// Offline notes that the account is not connected, and why.
func (b *Board) Offline(name, why string) {
	a := b.of(name)
	a.mu.Lock()
	if a.offline.Time.IsZero() {
		a.offline.Time = b.now()
	}
	a.offline.Note = why
	a.mu.Unlock()
}

// Online notes that it is again; gone tells that it was not, as far as is known.
func (b *Board) Online(name string) (gone bool) {
	a := b.of(name)
	a.mu.Lock()
	defer a.mu.Unlock()
	gone = !a.offline.Time.IsZero()
	a.offline = Mark{}
	if gone {
		a.online = b.now()
	}
	return gone
}

// Probed notes what the platform answered when it was asked.
func (b *Board) Probed(name, answer, note string) {
	a := b.of(name)
	a.mu.Lock()
	a.probe = Mark{b.now(), answer, note}
	a.mu.Unlock()
}

// The states of health.
const (
	OK      = "ok"
	Quiet   = "quiet"   // no callback for longer than is usual
	Held    = "held"    // sends nothing: paused, or its platform asked for it
	Offline = "offline" // not connected
	Failing = "failing" // the last attempt failed, and not for the command's sake
	Unknown = "unknown" // nothing was seen of it yet
)

// Row is the health of one account, for people.
type Row struct {
	Name         string    `json:"name"`
	Channel      string    `json:"channel"`
	Health       string    `json:"health"`
	Held         string    `json:"held,omitempty"` // why it sends nothing
	LastCallback time.Time `json:"last_callback,omitzero"`
	LastRefused  *Mark     `json:"last_refused,omitempty"`
	LastSent     time.Time `json:"last_sent,omitzero"`
	LastError    *Mark     `json:"last_error,omitempty"`
	Offline      *Mark     `json:"offline,omitempty"`
	LastOnline   time.Time `json:"last_online,omitzero"`
	LastProbe    *Mark     `json:"last_probe,omitempty"`
	// SilentFor is how much of the hours in which there should be callbacks went by
	// without one, where that is looked at, in seconds.
	SilentFor int `json:"silent_s,omitempty"`
}

// Row is what is known of an account. held says why it sends nothing, "" when it
// does; watch is what is expected of it.
func (b *Board) Row(name, held string, watch Watch) Row {
	a := b.of(name)
	r := Row{Name: name, Held: held, LastCallback: moment(a.callback.Load()), LastSent: moment(a.sent.Load())}
	silent := b.Silent(name, watch)
	if watch.Silence > 0 {
		r.SilentFor = int(silent.For.Seconds())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r.LastRefused, r.LastError, r.Offline, r.LastProbe = a.refused.known(), a.failed.known(), a.offline.known(), a.probe.known()
	r.LastOnline = a.online
	nothing := r.LastCallback.IsZero() && r.LastSent.IsZero() && r.LastError == nil
	switch {
	case r.Offline != nil:
		r.Health = Offline
	case held != "":
		r.Health = Held
	case a.failing:
		r.Health = Failing
	case silent.TooLong:
		r.Health = Quiet
	case nothing:
		r.Health = Unknown
	default:
		r.Health = OK
	}
	return r
}

func (m Mark) known() *Mark {
	if m.Time.IsZero() {
		return nil
	}
	return &m
}

func moment(nanos int64) time.Time {
	if nanos == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanos)
}

// Run keeps the times of the last callbacks until ctx is done, and once more
// then. It returns nil: what could not be written is at most a few minutes off.
func (b *Board) Run(ctx context.Context) error {
	tick := time.NewTicker(keepEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
			defer cancel()
			b.keep(last)
			return nil
		case <-tick.C:
			b.keep(ctx)
		}
	}
}

// keep writes what has changed.
func (b *Board) keep(ctx context.Context) {
	b.accounts.Range(func(name, v any) bool {
		a := v.(*account)
		at := a.callback.Load()
		a.mu.Lock()
		same := at == a.kept
		a.mu.Unlock()
		if same {
			return true
		}
		note := engine.Note{Key: callbackKey, Value: moment(at).UTC().Format(time.RFC3339)}
		if err := b.store.Remember(ctx, name.(string), []engine.Note{note}); err != nil {
			b.log.Warn("the time of the last callback could not be kept", "account", name, "error", err)
			return true
		}
		a.mu.Lock()
		a.kept = at
		a.mu.Unlock()
		return true
	})
}

// Evidence is what is said of an account that is silent.
type Evidence struct {
	LastCallback   time.Time // zero: none is known
	Refused, Probe *Mark
}

// Evidence returns it.
func (b *Board) Evidence(name string) Evidence {
	a := b.of(name)
	a.mu.Lock()
	defer a.mu.Unlock()
	return Evidence{moment(a.callback.Load()), a.refused.known(), a.probe.known()}
}

// since is from when silence counts: the last callback, or when the account was
// first seen.
func (a *account) since() time.Time { return moment(cmp.Or(a.callback.Load(), a.known.Load())) }
