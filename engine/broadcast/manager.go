package broadcast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"bot/engine"
	"bot/store"
)

// Store is what broadcasts ask of the store.
type Store interface {
	Recall(account, key string) (string, error)
	Remember(ctx context.Context, account string, notes []engine.Note) error
	Recollect(account, prefix, after string, limit int) ([]engine.Note, error)
	SubmitPage(ctx context.Context, cmds []engine.Command, window time.Duration, account string, notes []engine.Note) ([]bool, error)
	Deliveries(after uint64, limit int) ([]store.Delivery, error)
	Find(taskID string) (store.Delivery, store.Final, error)
	Cancel(ctx context.Context, taskID string) error
	Letters(after uint64, limit int) ([]store.Letter, error)
	Now() time.Time
}

// Options is what a Manager works with. Store, Account, Template and Window are
// required. Funcs may be called by many goroutines at once.
type Options struct {
	Store Store
	// Account tells what is known of an account, nothing where there is none.
	Account func(name string) (a Account, ok bool)
	// Template reads a text that may refer to Recipient; its error is for whoever
	// wrote the text.
	Template func(text string) (engine.BroadcastTemplate, error)
	// Unwanted says in a word why nothing is to be sent to somebody, "" when they
	// may be sent the command. It answers from memory. nil: all may.
	Unwanted func(c *engine.Command, user string) string
	// Quota tells which part of what an account may still do today n of an action
	// are; ok is false where nothing limits it. nil: it is not told.
	Quota func(account string, a engine.Action, n int) (share float64, ok bool)
	// Window is how long a settled task id is remembered.
	Window func() time.Duration
	// Submitted is told of commands that were stored, Cancelled of one that was taken
	// out, which it passes on to Gone, as that of a person's cancellation does. nil: Gone.
	Submitted func(cmds []engine.Command, duplicate []bool)
	Cancelled func(c *engine.Command)
	// Count is told what became of recipients, for a metric.
	Count  func(outcome string, n int)
	Chance func() float64 // in [0,1); default: math/rand
	Log    *slog.Logger   // default: none
	// MaxRecipients bounds one audience; default 2,000,000. Freezing one takes some
	// 20 bytes of memory a recipient while it lasts.
	MaxRecipients int
	// Room is the most commands of one broadcast that wait in the outbox; default 1,000.
	Room int
}

// Account is what a broadcast has to know of one.
type Account struct {
	Location *time.Location
	// Pace is the most that the account may do of an action at length; zero: nobody
	// limits it.
	Pace func(a engine.Action) engine.Rate
	// Takes are the params that the account's platform cannot do an action without;
	// nil: none.
	Takes func(a engine.Action) []string
	// Rate is what a broadcast is released at where it does not say; zero: 10/s.
	Rate      engine.Rate
	TextLimit int // of one text in bytes; 0: not known
}

// Manager makes broadcasts and releases them. Its methods are safe for concurrent
// use. Call Recover before anything is sent, then Run.
type Manager struct {
	o         Options
	preparing chan struct{} // holds one: an audience is being frozen
	poke      chan struct{} // holds one: look again

	mu      sync.Mutex
	entries map[string]*entry
}

// entry is a broadcast in memory. acting is held over a change that is written
// down; what is read without it is guarded by the Manager's mu.
type entry struct {
	acting sync.Mutex

	b          Broadcast
	at         cursor
	outbox     map[int]store.Phase // its commands in the outbox, by their numbers
	pausing    string              // why it is to be paused as soon as somebody may write
	unreadable error               // why it cannot go on
	line       line                // of the release; Run's own
}

// Refused: the state of the broadcast does not allow what was asked.
type Refused struct{ Message string }

func (e *Refused) Error() string { return e.Message }

// ErrBusy: another audience is being written down.
var ErrBusy = errors.New("another broadcast is being prepared; try again when it is ready")

// ErrNone: there is no broadcast of that id.
var ErrNone = errors.New("there is no broadcast of that id")

// New makes a Manager that knows of nothing until Recover.
func New(o Options) *Manager {
	if o.Unwanted == nil {
		o.Unwanted = func(*engine.Command, string) string { return "" }
	}
	if o.Submitted == nil {
		o.Submitted = func([]engine.Command, []bool) {}
	}
	if o.Count == nil {
		o.Count = func(string, int) {}
	}
	if o.Chance == nil {
		o.Chance = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	o.MaxRecipients = cmp.Or(o.MaxRecipients, 2_000_000)
	o.Room = cmp.Or(o.Room, 1000)
	m := &Manager{o: o, preparing: make(chan struct{}, 1), poke: make(chan struct{}, 1), entries: make(map[string]*entry)}
	if m.o.Cancelled == nil {
		m.o.Cancelled = m.Gone
	}
	return m
}

func (m *Manager) wake() {
	select {
	case m.poke <- struct{}{}:
	default:
	}
}

func (m *Manager) entry(id string) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.entries[id]
}

// all are the entries in the order in which they were made.
func (m *Manager) all() []*entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]*entry, 0, len(m.entries))
	for _, e := range m.entries {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b *entry) int {
		return cmp.Or(a.b.Created.Compare(b.b.Created), strings.Compare(a.b.ID, b.b.ID))
	})
	return list
}

// Recover takes up what there was when the last process ended: what it left half
// prepared is failed, what runs goes on from its cursor, and of what was cancelled
// nothing waits any more. It must come before anything is sent.
func (m *Manager) Recover(ctx context.Context) error {
	list, err := m.stored()
	if err != nil {
		return err
	}
	m.mu.Lock()
	for _, e := range list {
		m.entries[e.b.ID] = e
	}
	m.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := m.walk(ctx); err != nil {
		return err
	}
	for _, e := range list {
		if err := m.recoverOne(ctx, e); err != nil {
			return err
		}
	}
	return nil
}

func (m *Manager) recoverOne(ctx context.Context, e *entry) error {
	switch e.b.State {
	case Preparing:
		if err := m.forgetChunks(ctx, e.b.ID); err != nil {
			return err
		}
		return m.fail(ctx, e, "the process ended while its audience was being written down; nothing was sent")
	case Cancelled:
		return m.cancelWaiting(ctx, e)
	}
	return nil
}

// walk finds the commands of broadcasts in the outbox.
func (m *Manager) walk(ctx context.Context) error {
	const page = 512
	for after := uint64(0); ; {
		rows, err := m.o.Store.Deliveries(after, page)
		if err != nil {
			return fmt.Errorf("look for commands of broadcasts: %w", err)
		}
		m.mu.Lock()
		for _, d := range rows {
			after = d.ID
			if e, n, ok := m.whose(d.Command); ok {
				e.outbox[n] = d.Progress.Phase
			}
		}
		m.mu.Unlock()
		if len(rows) < page || ctx.Err() != nil {
			return ctx.Err()
		}
	}
}

// whose finds the broadcast of a command, and its number there. mu is held.
func (m *Manager) whose(c *engine.Command) (e *entry, n int, ok bool) {
	id, ok := Of(c)
	if !ok || m.entries[id] == nil {
		return nil, 0, false
	}
	n, ok = numberOf(id, c.TaskID)
	return m.entries[id], n, ok
}

// Settled is told of each settlement that is on disk. It returns at once.
func (m *Manager) Settled(c *engine.Command, s *store.Settlement) {
	if _, ours := Of(c); !ours {
		return
	}
	m.mu.Lock()
	if e, n, ok := m.whose(c); ok {
		if s.Final == "" {
			e.outbox[n] = s.Progress.Phase
		} else {
			delete(e.outbox, n)
		}
	}
	m.mu.Unlock()
	if s.Final != "" {
		m.o.Count(string(s.Final), 1)
		m.wake()
	}
}

// Moved is told that a person ended the doubt about a command or put it back from the
// dead letters, so that nobody who asks how a broadcast stands has to look all of them up.
func (m *Manager) Moved(c *engine.Command) {
	m.mu.Lock()
	e, n, ok := m.whose(c)
	m.mu.Unlock()
	if !ok {
		return
	}
	if err := m.lookUp(e, n); err != nil {
		m.o.Log.Error("where a command stands now cannot be read", "broadcast", e.b.ID, "task_id", c.TaskID, "error", err)
	}
	m.wake()
}

// Gone is told of a command that somebody took out of the outbox. It returns at once.
func (m *Manager) Gone(c *engine.Command) {
	m.Settled(c, &store.Settlement{Final: store.Cancelled})
}

// Reconfigured is to be called when accounts have changed: what an account is to do
// that is gone is paused.
func (m *Manager) Reconfigured() { m.wake() }

// Suspect has a running broadcast paused, unless a person has gone on with it after
// that before. It returns at once, and nothing more is released from then on.
func (m *Manager) Suspect(id, reason string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e := m.entries[id]; e != nil && e.b.State == Running && !e.b.Excused && e.pausing == "" {
		e.pausing = reason
		m.wake()
	}
}

// snapshot is a broadcast as it stands.
func (m *Manager) snapshot(e *entry) Broadcast {
	m.mu.Lock()
	defer m.mu.Unlock()
	return e.b
}

// write makes a change of a broadcast durable and then known. acting is held. An
// act that was begun is seen through: whoever gave up waiting for it must not leave
// one state on disk and another in memory.
func (m *Manager) write(ctx context.Context, e *entry, change func(b *Broadcast)) error {
	b := m.snapshot(e)
	change(&b)
	note, err := b.note()
	if err != nil {
		return err
	}
	note.Stops = b.State != Running
	if err := m.o.Store.Remember(context.WithoutCancel(ctx), owner, []engine.Note{note}); err != nil {
		return fmt.Errorf("remember broadcast %s: %w", b.ID, err)
	}
	m.mu.Lock()
	e.b = b
	m.mu.Unlock()
	m.o.Log.Info("broadcast "+string(b.State), "broadcast", b.ID, "name", b.Name, "account", b.Account, "reason", b.Reason)
	return nil
}

func (m *Manager) fail(ctx context.Context, e *entry, reason string) error {
	m.o.Log.Error("broadcast failed", "broadcast", e.b.ID, "account", e.b.Account, "reason", reason)
	return m.write(ctx, e, func(b *Broadcast) { b.State, b.Reason, b.Ended = Failed, reason, m.o.Store.Now() })
}
