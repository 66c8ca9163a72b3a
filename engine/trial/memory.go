package trial

import (
	"context"
	"slices"
	"strconv"
	"time"

	"bot/engine"
	"bot/store"
)

// memory is the part of a store that a turn needs, kept in maps: what a trial
// forgets when it ends. It honours the refusals of store.Turns that skills can
// notice (a taken once-key), not those that only concurrency brings about.
type memory struct {
	states   map[engine.StateKey]engine.State
	once     map[store.Once]time.Time  // Until is zeroed in the key
	notes    map[[2]string]engine.Note // by account and key
	versions uint64
	sent     []engine.Command
	later    []waiting // what may still be called off, in the order of leaving
	raised   []*engine.Event
	now      func() time.Time
	// soonest is no later than the first expiry of any state, so that most looks
	// for one need not visit them all; zero where none expires.
	soonest time.Time
}

func newMemory(now func() time.Time) *memory {
	return &memory{
		states: make(map[engine.StateKey]engine.State),
		once:   make(map[store.Once]time.Time),
		notes:  make(map[[2]string]engine.Note),
		now:    now,
	}
}

// State implements turn.Memory.
func (m *memory) State(k engine.StateKey) (engine.State, error) { return m.states[k].Clone(), nil }

// Recall implements turn.Memory. A trial begins knowing nobody.
func (m *memory) Recall(account, key string) (string, error) {
	n := m.notes[[2]string{account, key}]
	if !n.Expires.IsZero() && !n.Expires.After(m.now()) {
		return "", nil
	}
	return n.Value, nil
}

// Granted implements turn.Memory.
func (m *memory) Granted(account, skill, key string) (bool, error) {
	return m.once[store.Once{Account: account, Skill: skill, Key: key}].After(m.now()), nil
}

// Commit implements turn.Memory.
func (m *memory) Commit(_ context.Context, c store.Commit) error {
	for _, o := range c.Once {
		if m.once[onceKey(o)].After(m.now()) {
			return &store.TakenError{Key: o.Key, Skill: o.Skill, Owner: c.Owner}
		}
	}
	for _, o := range c.Once {
		m.once[onceKey(o)] = o.Until
	}
	for _, w := range c.States {
		if !w.State.Exists() {
			delete(m.states, w.Key)
			continue
		}
		m.versions++
		s := w.State.Clone()
		s.Version = m.versions
		m.states[w.Key] = s
		m.expires(s.Expires)
	}
	m.sent = append(m.sent, c.Commands...)
	for _, n := range c.Learned {
		m.notes[[2]string{c.Account, n.Key}] = n
	}
	for _, n := range c.Counts {
		before, _ := m.Recall(c.Account, n.Key)
		had, _ := strconv.Atoi(before) // 0 where there was nothing
		m.notes[[2]string{c.Account, n.Key}] = engine.Note{Key: n.Key, Value: strconv.Itoa(had + n.Add), Expires: n.Expires}
	}
	m.raised = append(m.raised, c.Raised...)
	return nil
}

func onceKey(o store.Once) store.Once {
	o.Until = time.Time{}
	return o
}

// take returns the commands since the last take, in the order of leaving.
func (m *memory) take() []engine.Command {
	out := m.sent
	m.sent = nil
	slices.SortStableFunc(out, func(a, b engine.Command) int { return a.Due().Compare(b.Due()) })
	return out
}

// nextExpiry returns the state that runs out first, before t; of several that
// run out together the one written first, so that a trial repeats itself.
func (m *memory) nextExpiry(t time.Time) (engine.StateKey, engine.State, bool) {
	var key engine.StateKey
	var first engine.State
	if m.soonest.IsZero() || !t.After(m.soonest) {
		return key, first, false
	}
	m.soonest = time.Time{}
	for k, s := range m.states {
		m.expires(s.Expires)
		if s.Expired(t) && (!first.Exists() || earlier(s, first)) {
			key, first = k, s
		}
	}
	return key, first, first.Exists()
}

func (m *memory) expires(at time.Time) {
	if !at.IsZero() && (m.soonest.IsZero() || at.Before(m.soonest)) {
		m.soonest = at
	}
}

func earlier(a, b engine.State) bool {
	if !a.Expires.Equal(b.Expires) {
		return a.Expires.Before(b.Expires)
	}
	return a.Version < b.Version
}
