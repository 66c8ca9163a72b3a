package dispatch_test

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// ledger is a store in memory that can be made to refuse and to die. It keeps
// the promises of store.Inbox and store.Turns that handling depends on.
type ledger struct {
	store.Inbox // for the methods that nobody calls here

	mu       sync.Mutex
	log      []store.Entry // by sequence number from 1
	out      map[uint64]bool
	states   map[engine.StateKey]engine.State
	versions uint64
	once     map[store.Once]string
	begun    map[uint64]bool
	suspects []uint64
	refuse   func(act string, seq uint64) error
	dead     bool

	ended   []uint64        // handled or buried, in the order in which it happened
	handled []uint64        // in the order of their commits
	buried  []store.Failure // in the order of burying
	failed  []store.Failure // attempts recorded, those of refunds included
	charged []uint64
	commits []store.Commit // that were written
}

func newLedger() *ledger {
	return &ledger{
		out: make(map[uint64]bool), states: make(map[engine.StateKey]engine.State),
		once: make(map[store.Once]string), begun: make(map[uint64]bool),
	}
}

// crash makes every later act on l fail and returns what the next process finds.
func (l *ledger) crash() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.dead = true
	next := l.copy()
	next.suspects = slices.Sorted(maps.Keys(l.begun))
	return next
}

// restart is what the next process finds after a clean end.
func (l *ledger) restart() *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.copy()
}

func (l *ledger) copy() *ledger {
	next := newLedger()
	next.log, next.out = slices.Clone(l.log), maps.Clone(l.out)
	next.states, next.versions, next.once = maps.Clone(l.states), l.versions, maps.Clone(l.once)
	next.ended, next.handled, next.buried = slices.Clone(l.ended), slices.Clone(l.handled), slices.Clone(l.buried)
	return next
}

// may is called with the lock held.
func (l *ledger) may(ctx context.Context, act string, seq uint64) error {
	switch {
	case l.dead:
		return store.ErrClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case l.refuse != nil:
		return l.refuse(act, seq)
	}
	return nil
}

func (l *ledger) entry(seq uint64) (*store.Entry, error) {
	if seq == 0 || seq > uint64(len(l.log)) || l.out[seq] {
		return nil, store.ErrGone
	}
	return &l.log[seq-1], nil
}

func (l *ledger) Append(ctx context.Context, events []*engine.Event, _ time.Duration) (store.Appended, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.may(ctx, "append", 0); err != nil {
		return store.Appended{}, err
	}
	var got store.Appended
	for _, e := range events {
		e.Received = time.Now()
		l.log = append(l.log, store.Entry{Seq: uint64(len(l.log) + 1), Event: e})
		got.Seqs, got.Duplicate = append(got.Seqs, uint64(len(l.log))), append(got.Duplicate, false)
	}
	return got, nil
}

func (l *ledger) Read(after uint64, limit int) ([]store.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.dead {
		return nil, store.ErrClosed
	}
	var out []store.Entry
	for i := after; i < uint64(len(l.log)) && len(out) < limit; i++ {
		if e := l.log[i]; !l.out[e.Seq] {
			out = append(out, e)
		}
	}
	return out, nil
}

func (l *ledger) Entry(seq uint64) (store.Entry, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.may(context.Background(), "entry", seq); err != nil {
		return store.Entry{}, err
	}
	e, err := l.entry(seq)
	if err != nil {
		return store.Entry{}, err
	}
	return *e, nil
}

func (l *ledger) State(k engine.StateKey) (engine.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.states[k].Clone(), l.may(context.Background(), "state", 0)
}

func (l *ledger) Recall(string, string) (string, error) { return "", nil }

func (l *ledger) Granted(string, string, string) (bool, error) { return false, nil }

func (l *ledger) Commit(ctx context.Context, c store.Commit) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.may(ctx, "commit", c.Seq); err != nil {
		return err
	}
	if _, err := l.entry(c.Seq); err != nil {
		return err
	}
	for _, w := range c.States {
		if l.states[w.Key].Version != w.Read {
			return store.ErrConflict
		}
	}
	for _, o := range c.Once {
		o.Until = time.Time{}
		if owner, taken := l.once[o]; taken && owner != c.Owner {
			return &store.TakenError{Key: o.Key, Skill: o.Skill, Owner: owner}
		}
	}
	for _, o := range c.Once {
		o.Until = time.Time{}
		l.once[o] = c.Owner
	}
	for _, w := range c.States {
		l.versions++
		w.State.Version = l.versions
		l.states[w.Key] = w.State
	}
	l.out[c.Seq] = true
	l.commits = append(l.commits, c)
	l.handled, l.ended = append(l.handled, c.Seq), append(l.ended, c.Seq)
	return nil
}

func (l *ledger) Fail(ctx context.Context, f store.Failure) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.may(ctx, "fail", f.Seq); err != nil {
		return err
	}
	e, err := l.entry(f.Seq)
	if err != nil {
		return err
	}
	e.Tries = f.Tries
	if f.Bury {
		l.out[f.Seq] = true
		l.buried, l.ended = append(l.buried, f), append(l.ended, f.Seq)
	} else {
		l.failed = append(l.failed, f)
	}
	return nil
}

func (l *ledger) Begin(seq uint64) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.begun[seq] = true
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.begun, seq)
	}
}

func (l *ledger) Suspects() []uint64 { return l.suspects }

func (l *ledger) Charge(ctx context.Context, seq uint64) (store.Tries, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.may(ctx, "charge", seq); err != nil {
		return store.Tries{}, err
	}
	e, err := l.entry(seq)
	if err != nil {
		return store.Tries{}, err
	}
	e.Tries.Count++
	l.charged = append(l.charged, seq)
	return e.Tries, nil
}

// look lets a test read under the lock.
func (l *ledger) look(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// waiting lists what is still in the log.
func (l *ledger) waiting() (seqs []uint64) {
	l.look(func() {
		for _, e := range l.log {
			if !l.out[e.Seq] {
				seqs = append(seqs, e.Seq)
			}
		}
	})
	return seqs
}

func (l *ledger) tries(seq uint64) (t store.Tries) {
	l.look(func() { t = l.log[seq-1].Tries })
	return t
}

// wantHandled expects exactly these commits, in this order.
func (l *ledger) wantHandled(t *testing.T, seqs ...uint64) {
	t.Helper()
	l.look(func() {
		if !slices.Equal(l.handled, seqs) {
			t.Errorf("handled %v, want %v", l.handled, seqs)
		}
	})
}

// wantBuried expects exactly these burials, in this order.
func (l *ledger) wantBuried(t *testing.T, seqs ...uint64) {
	t.Helper()
	l.look(func() {
		var got []uint64
		for _, f := range l.buried {
			got = append(got, f.Seq)
		}
		if !slices.Equal(got, seqs) {
			t.Errorf("buried %v, want %v", got, seqs)
		}
	})
}
