// Package presence holds what an account has to send while the account is not
// connected to its platform, and lets it go when the account is back: by the
// platform's own word, or by asking, since some platforms never say so.
package presence

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
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

// Store is what is asked of the store; see store.Memory.
type Store interface {
	Recall(account, key string) (string, error)
	Remember(ctx context.Context, account string, notes []engine.Note) error
}

// Options is what a Keeper needs; all fields but Asked and Log are required.
type Options struct {
	// Offline is the key of the note by which an account is known to be offline,
	// and Why what it says, for people.
	Offline string
	Why     func(note string) string
	Store   Store
	// Hold stops an account for a reason, and lets it go for none.
	Hold func(account, reason string)
	// Accounts are those that are configured now, with how each is asked; nil
	// where its platform cannot be.
	Accounts func() map[string]channel.Prober
	// Asked is told what a platform answered; nil = nobody asks.
	Asked func(account string, online bool, note string, err error)
	Log   *slog.Logger
}

// Keeper watches over the accounts that are offline. Its methods are safe for
// concurrent use and return at once, but for Run.
type Keeper struct {
	o    Options
	news chan struct{} // holds one: there is somebody to look after

	mu      sync.Mutex
	offline map[string]outage
}

// outage is an account that is offline.
type outage struct {
	since time.Time // by a monotonic clock
	told  int       // how often; an answer to a question asked before counts for nothing
}

// New makes a Keeper; it does nothing until Recover or Run.
func New(o Options) *Keeper {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Asked == nil {
		o.Asked = func(string, bool, string, error) {}
	}
	return &Keeper{o: o, news: make(chan struct{}, 1), offline: make(map[string]outage)}
}

// Recover holds an account that was offline when the last process ended. Call it
// before anything is sent.
func (k *Keeper) Recover(account string) error {
	note, err := k.o.Store.Recall(account, k.o.Offline)
	if note != "" {
		k.hold(account, k.o.Why(note))
	}
	return err
}

// Changed is told what an event said of an account; the note is written by then.
func (k *Keeper) Changed(account string, online bool) {
	if online {
		k.release(account)
		return
	}
	note, err := k.o.Store.Recall(account, k.o.Offline)
	if err != nil {
		k.o.Log.Error("cannot read why the account is offline", "account", account, "error", err)
	}
	k.hold(account, cmp.Or(k.o.Why(note), unsaid))
}

// unsaid stands for what a platform did not say.
const unsaid = "its platform says so"

// Suspect holds an account whose platform refused to serve it, until asking
// shows that it is connected. Nothing is written: the next process would be
// refused like this one. Accounts that cannot be asked about are left alone.
func (k *Keeper) Suspect(account, why string) {
	if k.o.Accounts()[account] != nil {
		k.hold(account, why)
	}
}

func (k *Keeper) hold(account, why string) {
	k.mu.Lock()
	o, known := k.offline[account]
	if !known {
		o.since = time.Now()
	}
	o.told++
	k.offline[account] = o
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
	o, known := k.offline[account]
	delete(k.offline, account)
	k.mu.Unlock()
	k.o.Hold(account, "")
	if known {
		k.o.Log.Info("account is online again", "account", account, "offline_s", int(time.Since(o.since).Seconds()))
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

// atOnce bounds the questions that are asked side by side.
const atOnce = 4

// look asks about every account that is offline and returns when to look again.
func (k *Keeper) look(ctx context.Context) time.Duration {
	k.mu.Lock()
	waiting := maps.Clone(k.offline)
	k.mu.Unlock()
	next := lookLonger
	probers := k.o.Accounts()
	var asking sync.WaitGroup
	slots := make(chan struct{}, atOnce)
	for account, o := range waiting {
		if time.Since(o.since) < longGone {
			next = lookEvery
		}
		if p := probers[account]; p != nil && ctx.Err() == nil {
			slots <- struct{}{}
			asking.Go(func() {
				defer func() { <-slots }()
				k.ask(ctx, account, o, p)
			})
		}
	}
	asking.Wait()
	return next
}

// ask asks whether the account is online. What the platform answers is void
// when it said something else meanwhile.
func (k *Keeper) ask(ctx context.Context, account string, asked outage, p channel.Prober) {
	limited, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	online, note, err := p.Online(limited)
	k.o.Asked(account, online, note, err)
	switch {
	case err != nil:
		k.o.Log.Warn("cannot ask whether the account is online", "account", account, "error", err)
		return
	case !online:
		k.o.Log.Debug("account is still offline", "account", account, "note", note)
		return
	case k.moved(account, asked):
		return
	}
	if err := k.o.Store.Remember(ctx, account, []engine.Note{{Key: k.o.Offline}}); err != nil {
		k.o.Log.Error("cannot remember that the account is online", "account", account, "error", err)
		return
	}
	if !k.moved(account, asked) {
		k.release(account)
		return
	}
	// It went offline again in this very moment, and its note with ours.
	err = k.o.Store.Remember(ctx, account, []engine.Note{{Key: k.o.Offline, Value: unsaid, Stops: true}})
	if err != nil {
		k.o.Log.Error("cannot remember that the account is offline", "account", account, "error", err)
	}
}

// moved tells whether the account was spoken of since.
func (k *Keeper) moved(account string, asked outage) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.offline[account] != asked
}
