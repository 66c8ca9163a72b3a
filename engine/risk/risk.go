// Package risk is the guard at the door: the rows of the [[risk]] matrix, each
// a behaviour, a condition and an action, and who is muted or degraded by them.
// It gives a verdict on one event and counts what the bot answers; what is
// blocked, said, logged and shown is carried out by the funcs it is given.
//
// Counters live in memory, in fixed room: a restart begins them anew. Mutes and
// degradations are notes of their account and outlive it.
package risk

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"bot/engine"
)

// Memory keeps what must outlive the process; see store.Memory.
type Memory interface {
	Remember(ctx context.Context, account string, notes []engine.Note) error
	Recollect(account, prefix, after string, limit int) ([]engine.Note, error)
}

// Hit is a row that fits an event and whose condition is met.
type Hit struct {
	Row, Action                 string
	Account, User, Conversation string
	// More is how often the alert was kept back since the last one.
	More int
}

// Options is what a Guard works with; all fields but Log are required. Funcs are
// called by many goroutines at once.
type Options struct {
	Memory Memory
	// Block shuts somebody out for good: a person, or a conversation.
	Block func(ctx context.Context, account, id string) error
	// Say sends a text to the event's conversation, by the ordinary road. It is
	// called once for a mute, on the event's own goroutine.
	Say func(ctx context.Context, e *engine.Event, row, text string)
	// Hit is told of every hit, Alert of those of action "alert": of one person,
	// conversation or account once for the length of the row's rate, or a minute.
	Hit, Alert func(h Hit)
	// Pause is told that the account says one text to too many: bulk work is to
	// stop. It must not block. nil: nobody does it.
	Pause   func(c *engine.Command, h Hit)
	Now     func() time.Time     // the store's clock: mutes end by it
	Clock   func() time.Duration // since any moment, never back: windows go by it
	Log     *slog.Logger
	MaxKeys int // counters that are kept, the oldest are forgotten; 0 = 100,000
}

// Bounds of what a Guard holds in memory: about 200 bytes a counter, 300
// where texts are compared, and 200 a penalty with its id.
const (
	maxKeys      = 100_000
	maxPenalties = 100_000
)

// Guard gives the verdicts. It is safe for concurrent use. Events of one person
// that are asked about at the same instant are counted one after the other.
type Guard struct {
	o         Options
	rules     atomic.Pointer[Rules]
	counters  *counters
	penalties penalties
	texts     sync.Pool // of *text
	told      recentHashes
}

// New makes a Guard without rows, which lets everything in.
func New(o Options) *Guard {
	if o.MaxKeys <= 0 {
		o.MaxKeys = maxKeys
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Pause == nil {
		o.Pause = func(*engine.Command, Hit) {}
	}
	g := &Guard{o: o, counters: newCounters(o.MaxKeys)}
	g.penalties.of = make(map[subject]penalty)
	g.texts.New = func() any { return new(text) }
	g.rules.Store(&Rules{})
	return g
}

// SetRules replaces the matrix, which belongs to the Guard from now on. Rows
// that keep their name and condition keep their counters, those that keep their
// name the number of their hits; who is muted stays so.
func (g *Guard) SetRules(rules *Rules) {
	before := g.rules.Load()
	for _, r := range rules.rows {
		if old := before.byName[r.name]; old != nil {
			r.hits = old.hits
		}
	}
	g.rules.Store(rules)
}

// Admit tells why an event is not to be answered, "" when it is; the reason is a
// metric label, of which there are as many as rows and one more. An event that
// is to be answered cheaply it marks (engine.Event.Degraded). It reads no disk;
// where it blocks or mutes it waits until that is on disk.
func (g *Guard) Admit(e *engine.Event) (reason string) {
	rules := g.rules.Load()
	rows := rules.byKind[e.Kind]
	if len(rows) == 0 && g.penalties.none() || e.Self { // nobody guards against themselves
		return ""
	}
	worst := g.weigh(rows, e)
	if e.Kind.OfAccount() {
		return ""
	}
	muted, degraded := g.inForce(rules, e)
	switch {
	case worst != nil && worst.action == block:
		g.block(worst, e)
		return worst.reason
	case muted.reason != "":
		return muted.reason
	case worst != nil && worst.action == mute:
		g.impose(worst, e)
		return worst.reason
	case worst != nil && worst.action == ignore:
		return worst.reason
	case worst != nil && worst.action == degrade:
		if worst.lasts > 0 {
			g.impose(worst, e)
		}
		e.Degraded = worst.name
	case degraded.reason != "":
		e.Degraded = degraded.row
	}
	return ""
}

// weigh asks every row about the event, counts, and returns the severest that
// hits, the first of equals; nil when none does.
func (g *Guard) weigh(rows []*row, e *engine.Event) (worst *row) {
	if len(rows) == 0 {
		return nil
	}
	t := g.texts.Get().(*text)
	t.of(e.Text)
	defer func() {
		t.of("")
		g.texts.Put(t)
	}()
	now := g.o.Clock()
	first := g.counters.first(e)
	for _, r := range rows {
		if !r.fits(e, t) || !g.met(r, e, t, now, first) {
			continue
		}
		if first {
			g.hit(r, e, now)
		}
		if worst == nil || r.action > worst.action {
			worst = r
		}
	}
	return worst
}

// met counts the event for the row and tells whether there have been too many.
func (g *Guard) met(r *row, e *engine.Event, t *text, now time.Duration, first bool) bool {
	if !r.counts() {
		return true
	}
	key, n := g.counters.key(r.id, e.Account, r.per.of(e)), 0
	if first {
		n = r.weight(e)
	}
	switch r.on {
	case onReplies: // one more answer would be the event's own
		return g.counters.count(key, r.window, now, 0)+1 > r.most
	case onRepeat:
		said := g.counters.hash(t.essence())
		again := g.counters.again(key, said, r.window, now, first)
		return again && g.counters.count(key, r.window, now, n) > r.most
	}
	return g.counters.count(key, r.window, now, n) > r.most
}

// hit tells of a hit.
func (g *Guard) hit(r *row, e *engine.Event, now time.Duration) {
	r.hits.Add(1)
	h := Hit{Row: r.name, Action: r.action.String(), Account: e.Account, User: e.Sender, Conversation: e.Conversation}
	g.o.Hit(h)
	if r.action != alert {
		return
	}
	var quiet bool
	if h.More, quiet = g.counters.quiet(g.counters.key(r.id, e.Account, r.per.of(e)), r.window, now); !quiet {
		g.o.Alert(h)
	}
}

// Answered counts, for the rows on "replies", that the event was answered in its
// own conversation.
func (g *Guard) Answered(e *engine.Event, commands []engine.Command) {
	rules := g.rules.Load()
	if len(rules.replies) == 0 {
		return
	}
	for i := range commands {
		if c := &commands[i]; c.Lane == engine.LaneReply && c.Action.Place() == "to" && c.ConversationKey() == e.ConversationKey() {
			g.answered(rules, e)
			return
		}
	}
}

func (g *Guard) answered(rules *Rules, e *engine.Event) {
	now := g.o.Clock()
	for _, r := range rules.replies {
		if r.fits(e, nil) {
			g.counters.count(g.counters.key(r.id, e.Account, r.per.of(e)), r.window, now, 1)
		}
	}
}

// block shuts the event's subject out. Should that fail, this event is refused
// all the same, and the next one tries again.
func (g *Guard) block(r *row, e *engine.Event) {
	id := r.per.of(e)
	if err := g.o.Block(context.Background(), e.Account, id); err != nil {
		g.o.Log.Error("could not block", "account", e.Account, "user", id, "risk", r.name, "error", err)
		return
	}
	g.o.Log.Warn("blocked", "account", e.Account, "user", id, "risk", r.name)
}
