// Package app builds, starts, reloads and stops one engine. It knows every
// runtime package and no concrete skill or store: those are handed in. The
// whole product is a value, so that a test can start it on free ports, twice.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"bot/engine"
	"bot/engine/alert"
	"bot/engine/broadcast"
	"bot/engine/byhand"
	"bot/engine/config"
	"bot/engine/console"
	"bot/engine/contacts"
	"bot/engine/dispatch"
	"bot/engine/egress"
	"bot/engine/health"
	"bot/engine/ingress"
	"bot/engine/metrics"
	"bot/engine/presence"
	"bot/engine/pull"
	"bot/engine/queue"
	"bot/engine/recent"
	"bot/engine/risk"
	"bot/engine/schedule"
	"bot/engine/talk"
	"bot/engine/trace"
	"bot/store"
)

// StoreOptions is what a store is opened with.
type StoreOptions struct {
	Path    string
	Window  time.Duration // the longest dedup window
	MaxKeys int
	MinFree int64
	// CommandWindow is how long a settled task id must stay known at least.
	CommandWindow time.Duration
	Log           *slog.Logger
	Observe       func(d time.Duration, acts int) // of every transaction
}

// Options is what an engine needs from outside. All fields are required but
// Listeners and those that are told of something.
type Options struct {
	Plan        *Plan
	Load        func() (*config.Config, error) // reads the configuration's files again
	BuildSkills SkillBuilder
	// Template reads the texts of broadcasts.
	Template  func(text string) (engine.BroadcastTemplate, error)
	OpenStore func(ctx context.Context, o StoreOptions) (store.Store, error)
	// Announce leaves the listeners' real addresses beside the store, for the
	// verbs of the command line.
	Announce func(storePath, callback, admin string) error
	Version  string
	Chance   func() float64 // in [0,1), safe for concurrent use
	Log      *slog.Logger
	// Listeners are open already, by the key of the configuration whose place they
	// take: server.listen, admin.listen. The others are opened. Run closes them.
	Listeners map[string]net.Listener
	Started   func(Addrs)           // called once, when callbacks are taken
	Reloading func() (ended func()) // called when a reload begins, applied or not
	Stopping  func()                // called once, when no more callbacks are going to be taken
}

// Addrs is where the listeners really are.
type Addrs struct{ Callback, Admin string }

// App is one engine. Make it with New, Run it once; Reload may be called by
// any goroutine while it runs.
type App struct {
	o       Options
	metrics *metrics.Metrics

	live       atomic.Pointer[Plan] // what turns, routes and limits follow
	generation atomic.Int64
	applied    atomic.Pointer[time.Time] // when live came to be so
	ready      atomic.Bool
	reloading  sync.Mutex
	pausing    sync.Mutex // so that a note and its hold agree

	store    store.Store
	queue    *queue.Queue
	dispatch *dispatch.Dispatcher
	egress   *egress.Egress
	ingress  *ingress.Ingress
	presence *presence.Keeper
	ear      *byhand.Ear
	porter   *pull.Porter
	recent   *recent.Archive
	trace    *trace.Recorder
	samples  *console.Samples
	explain  *rate.Limiter // of explanations why nothing is said
	guard    *risk.Guard
	calendar *schedule.Calendar
	contacts *contacts.Directory
	casts    *broadcast.Manager
	runs     runs
	desk     *alert.Desk
	board    *health.Board
	trouble  troubles
	room     room
	talks    talk.List
}

// New prepares an engine; nothing is opened yet.
func New(o Options) *App {
	a := &App{o: o, metrics: metrics.New()}
	a.live.Store(o.Plan)
	a.generation.Store(1)
	a.appliedNow()
	a.beginCounts(o.Plan)
	return a
}

// Run opens the store, starts everything, and works until ctx is done (nil) or
// something that cannot be repaired fails (the error). Either way intake stops
// first, what is in hand is committed or left in the log, and the store is
// closed last.
func (a *App) Run(ctx context.Context) (err error) {
	cfg := a.o.Plan.Config
	var down closers
	defer func() { err = errors.Join(err, down.close()) }()
	for key, l := range a.o.Listeners {
		down.push(key, l.Close)
	}
	down.push("connections", a.hangUp)

	if err := a.prepareStages(ctx, cfg, &down); err != nil {
		return unlessAsked(ctx, err)
	}
	admin, err := a.listen(ctx, "admin.listen", cfg.Admin.Listen)
	if err != nil {
		return unlessAsked(ctx, err)
	}
	down.push("admin listener", admin.Close)
	callbacks, err := a.listen(ctx, "server.listen", cfg.Server.Listen)
	if err != nil {
		return unlessAsked(ctx, err)
	}
	down.push("callback listener", callbacks.Close)
	return a.work(ctx, cfg, callbacks, admin)
}

// unlessAsked is nil where err says no more than that ctx has ended: being
// asked to stop before the start is complete is no failure.
func unlessAsked(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil
	}
	return err
}

// hangUp lets go of the connections to platforms and other systems, which would
// idle on without use.
func (a *App) hangUp() error {
	a.live.Load().hangUp()
	a.o.Plan.host.Client.CloseIdleConnections()
	a.o.Plan.host.Fetch.CloseIdleConnections()
	return nil
}

// prepareStages opens the store and builds the stages. A reload that is asked
// for meanwhile waits until there is something to reload.
func (a *App) prepareStages(ctx context.Context, cfg *config.Config, down *closers) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	if err := a.open(ctx, cfg); err != nil {
		return err
	}
	down.push("store", a.store.Close)
	return a.build(ctx, cfg)
}

func (a *App) open(ctx context.Context, cfg *config.Config) error {
	st, err := a.o.OpenStore(ctx, StoreOptions{
		Path: cfg.Store.Path, Window: cfg.LongestWindow(), MaxKeys: cfg.Dedup.MaxKeys, MinFree: int64(cfg.Store.MinFree),
		CommandWindow: cfg.Dedup.CommandWindow.Std(), Log: a.o.Log,
		Observe: func(d time.Duration, acts int) {
			a.metrics.Commit.Observe(d.Seconds())
			a.metrics.Acts.Observe(float64(acts))
		},
	})
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	a.store = st
	a.o.Plan.memory.use(st, a.o.Log)
	return nil
}

// build makes the stages of the road, from the platform's door to the
// platform's door; each knows only what it is handed.
func (a *App) build(ctx context.Context, cfg *config.Config) error {
	// What keeps watch.
	a.desk, a.board = a.newDesk(), health.New(a.store, a.store.Now, a.o.Log)
	a.trace, a.recent = a.newTrace(cfg), a.newRecent(cfg)
	a.samples = console.NewSamples(a.metrics.Registry)
	a.explain = rate.NewLimiter(explained, explained)

	// What is known of people and accounts, and what leaves.
	a.ear = byhand.New(time.Now)
	a.contacts = a.newContacts()
	a.queue = queue.New(queue.Options{Inbox: a.store, Buffer: 64, Log: a.o.Log})
	a.egress = egress.New(a.egressOptions(cfg))
	a.presence = a.newPresence()
	a.guard = a.newGuard()
	a.casts = a.newBroadcasts()
	if err := a.recoverHolds(a.o.Plan); err != nil {
		return err
	}
	if err := a.casts.Recover(ctx); err != nil {
		return err
	}

	// What is handled, and what comes in.
	a.dispatch = dispatch.New(a.dispatchOptions(cfg))
	a.calendar = schedule.NewCalendar(schedule.CalendarOptions{
		Store: a.store, Window: a.window, Raised: a.raised, Log: a.o.Log,
	})
	a.calendar.Set(a.o.Plan.Skills.Schedules())
	a.porter = a.newPorter()
	a.ingress = ingress.New(a.ingressOptions(cfg))
	a.gauges()
	a.paceGauges()
	return a.ingress.SetRoutes(a.o.Plan.routes)
}
