// Package presence holds what an account has to send while the account is not
// connected to its platform, and lets it go when the account is back: by the
// platform's own word, or by asking, since some platforms never say so.
package presence

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// What is waited for between two questions.
const (
	firstLook  = 5 * time.Second // a report of being offline can be stale
	lookEvery  = 30 * time.Second
	lookLonger = 5 * time.Minute // after an hour
	longGone   = time.Hour
	lookTime   = 20 * time.Second // of one question
)

// Options is what a Keeper needs; all fields but Log are required.
type Options struct {
	// Offline is the note by which an account is known to be offline.
	Offline string
	Memory  channel.Memory
	// Hold stops an account for a reason, and lets it go for none.
	Hold func(account, reason string)
	// Accounts are those that are configured now, with how each is asked; nil
	// where its platform cannot be.
	Accounts func() map[string]channel.Prober
	Log      *slog.Logger
}

// Keeper watches over the accounts that are offline. Its methods are safe for
// concurrent use and return at once, but for Run.
type Keeper struct {
	o    Options
	news chan struct{} // holds one: there is somebody to look after

	mu      sync.Mutex
	offline map[string]time.Time // since when, by a monotonic clock
}

// New makes a Keeper; it does nothing until Recover or Run.
func New(o Options) *Keeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Keeper{o: o, news: make(chan struct{}, 1), offline: make(map[string]time.Time)}
}

// Recover holds the accounts that were offline when the last process ended.
// Call it before anything is sent.
func (k *Keeper) Recover() {
	for account := range k.o.Accounts() {
		if why := k.o.Memory.Recall(account, k.o.Offline); why != "" {
			k.hold(account, why)
		}
	}
}

// Changed is told what an event said of an account; the note is written by then.
func (k *Keeper) Changed(account string, online bool) {
	if online {
		k.release(account)
		return
	}
	k.hold(account, k.o.Memory.Recall(account, k.o.Offline))
}

func (k *Keeper) hold(account, why string) {
	k.mu.Lock()
	_, known := k.offline[account]
	if !known {
		k.offline[account] = time.Now()
	}
	k.mu.Unlock()
	k.o.Hold(account, why)
	if known {
		return
	}
	k.o.Log.Error("account is offline; what it has to send is held", "account", account, "note", why)
	select {
	case k.news <- struct{}{}:
	default:
	}
}

func (k *Keeper) release(account string) {
	k.mu.Lock()
	since, known := k.offline[account]
	delete(k.offline, account)
	k.mu.Unlock()
	k.o.Hold(account, "")
	if known {
		k.o.Log.Info("account is online again", "account", account, "offline_s", int(time.Since(since).Seconds()))
	}
}

// Run asks the platforms about the accounts that are offline until ctx is done.
// It returns nil.
func (k *Keeper) Run(ctx context.Context) error {
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-k.news:
			timer.Reset(firstLook)
		case <-timer.C:
			timer.Reset(k.look(ctx))
		}
	}
}

// look asks about every account that is offline and returns when to look again.
func (k *Keeper) look(ctx context.Context) time.Duration {
	k.mu.Lock()
	waiting := make(map[string]time.Time, len(k.offline))
	for account, since := range k.offline {
		waiting[account] = since
	}
	k.mu.Unlock()
	next := lookLonger
	probers := k.o.Accounts()
	for account, since := range waiting {
		if time.Since(since) < longGone {
			next = lookEvery
		}
		p := probers[account]
		if p == nil || ctx.Err() != nil {
			continue
		}
		k.ask(ctx, account, p)
	}
	return next
}

func (k *Keeper) ask(ctx context.Context, account string, p channel.Prober) {
	limited, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	online, note, err := p.Online(limited)
	switch {
	case err != nil:
		k.o.Log.Warn("cannot ask whether the account is online", "account", account, "error", err)
	case !online:
		k.o.Log.Debug("account is still offline", "account", account, "note", note)
	default:
		if err := k.o.Memory.Remember(ctx, account, engine.Note{Key: k.o.Offline}); err != nil {
			k.o.Log.Error("cannot remember that the account is online", "account", account, "error", err)
			return
		}
		k.release(account)
	}
}
