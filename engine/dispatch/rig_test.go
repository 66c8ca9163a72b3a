package dispatch_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/dispatch"
	"bot/engine/metrics"
	"bot/engine/queue"
	"bot/engine/turn"
	"bot/store"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// handler is a skill and the router that always chooses it.
type handler func(ctx context.Context, t *engine.Turn) (engine.Outcome, error)

func (h handler) Name() string { return "s" }

func (h handler) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	return h(ctx, t)
}

func (h handler) Route(*engine.Event, engine.State, engine.State) []engine.Choice {
	return []engine.Choice{{Skill: h, Why: "always"}}
}

func (h handler) Rules(e *engine.Event) []engine.Choice { return nil }

// rig is one life of a process: a queue and a dispatcher over a ledger.
type rig struct {
	t        *testing.T
	ledger   *ledger
	queue    *queue.Queue
	dispatch *dispatch.Dispatcher
	metrics  *metrics.Metrics
	setup    atomic.Pointer[turn.Setup]
	cancel   func()
	done     chan error // of the dispatcher
	read     chan error // of the queue
}

// newRig prepares a life with the account "shop"; nothing runs yet.
func newRig(t *testing.T, l *ledger, h handler, change ...func(*dispatch.Options)) *rig {
	t.Helper()
	r := &rig{t: t, ledger: l, metrics: metrics.New(), queue: queue.New(queue.Options{Inbox: l})}
	r.configure(h, "shop")
	o := dispatch.Options{
		Entries: r.queue.Entries(), Store: l,
		Setup:   func() turn.Setup { return *r.setup.Load() },
		Workers: 8, Attempts: 3, RetryFor: time.Minute, Timeout: 5 * time.Second, Grace: 10 * time.Second,
		Chance: func() float64 { return 0.5 }, Metrics: r.metrics,
	}
	for _, c := range change {
		c(&o)
	}
	r.dispatch = dispatch.New(o)
	return r
}

func (r *rig) configure(h handler, accounts ...string) {
	s := turn.Setup{Router: h, Accounts: make(map[string]engine.Account)}
	for _, a := range accounts {
		s.Accounts[a] = engine.Account{Name: a}
	}
	r.setup.Store(&s)
}

func (r *rig) start() *rig {
	ctx, cancel := context.WithCancel(r.t.Context())
	r.cancel, r.done, r.read = cancel, make(chan error, 1), make(chan error, 1)
	go func() { r.done <- r.dispatch.Run(ctx) }()
	go func() { r.read <- r.queue.Run(ctx) }()
	return r
}

// stop ends the life in an orderly way.
func (r *rig) stop() {
	r.t.Helper()
	r.cancel()
	if err := <-r.done; err != nil {
		r.t.Errorf("dispatch.Run: %v", err)
	}
	if err := <-r.read; err != nil {
		r.t.Errorf("queue.Run: %v", err)
	}
}

// kill ends the life at once and returns what the next one finds.
func (r *rig) kill() *ledger {
	next := r.ledger.crash()
	r.cancel()
	<-r.done
	<-r.read
	return next
}

// say appends one message per conversation named, in this order.
func (r *rig) say(conversations ...string) {
	r.t.Helper()
	for _, c := range conversations {
		r.append(message("shop", c))
	}
}

func (r *rig) append(e *engine.Event) {
	r.t.Helper()
	if _, err := r.queue.Append(context.Background(), []*engine.Event{e}, time.Hour); err != nil {
		r.t.Fatal(err)
	}
}

var serial atomic.Int64

func message(account, conversation string) *engine.Event {
	return &engine.Event{
		Account: account, Kind: engine.Message, ID: fmt.Sprint("m", serial.Add(1)),
		Conversation: conversation, Sender: conversation,
	}
}

// bubble runs a test with fake time.
func bubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

// pass lets fake time pass, and then everything come to rest that it set off.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func reply(text string) (engine.Outcome, error) {
	return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: text}}}, nil
}

func answering(context.Context, *engine.Turn) (engine.Outcome, error) { return reply("ok") }

// takes answers after that time, whatever its context says.
func takes(d time.Duration) handler {
	return func(context.Context, *engine.Turn) (engine.Outcome, error) {
		time.Sleep(d)
		return reply("ok")
	}
}

// settings

func workers(n int) func(*dispatch.Options) {
	return func(o *dispatch.Options) { o.Workers = n }
}

func attempts(n int) func(*dispatch.Options) {
	return func(o *dispatch.Options) { o.Attempts = n }
}

// refusing refuses an act n times.
func refusing(act string, n int, err error) func(string, uint64) error {
	return func(a string, _ uint64) error {
		if a != act || n == 0 {
			return nil
		}
		n--
		return err
	}
}

var _ dispatch.Store = store.Store(nil)
