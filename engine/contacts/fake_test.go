package contacts

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// start is when tests begin: noon in UTC, eight in the evening in Shanghai.
var start = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

// memory is a store of one account's notes, and a clock.
type memory struct {
	notes map[string]engine.Note
	now   time.Time
	err   error
	reads int
}

func newMemory() *memory { return &memory{notes: make(map[string]engine.Note), now: start} }

func (m *memory) stands(n engine.Note) bool { return n.Expires.IsZero() || n.Expires.After(m.now) }

func (m *memory) Recall(_, key string) (string, error) {
	m.reads++
	if n := m.notes[key]; m.stands(n) {
		return n.Value, m.err
	}
	return "", m.err
}

func (m *memory) Recollect(_, prefix, after string, limit int) ([]engine.Note, error) {
	m.reads++
	if m.err != nil {
		return nil, m.err
	}
	var all []engine.Note
	for _, n := range m.notes {
		if strings.HasPrefix(n.Key, prefix) && n.Key > after && m.stands(n) {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b engine.Note) int { return strings.Compare(a.Key, b.Key) })
	return all[:min(limit, len(all))], nil
}

func (m *memory) Remember(_ context.Context, _ string, notes []engine.Note) error {
	if m.err != nil {
		return m.err
	}
	m.keep(notes)
	return nil
}

func (m *memory) keep(notes []engine.Note) {
	for _, n := range notes {
		if m.notes[n.Key] = n; n.Value == "" {
			delete(m.notes, n.Key)
		}
	}
}

// rig is a directory on a memory.
type rig struct {
	testing.TB
	*Directory
	m *memory
}

func newRig(t testing.TB, o Options) *rig {
	m := newMemory()
	o.Store, o.Now = m, func() time.Time { return m.now }
	return &rig{t, New(o), m}
}

// happens has an event of the account handled and returns the notes it cost.
func (r *rig) happens(e engine.Event) []engine.Note {
	r.Helper()
	e.Account, e.Received = "shop", r.m.now
	notes, err := r.Learn(&e)
	if err != nil {
		r.Fatal(err)
	}
	r.m.keep(notes)
	return notes
}

func (r *rig) change(changes ...Change) {
	r.Helper()
	if err := r.Change(r.Context(), "shop", changes); err != nil {
		r.Fatal(err)
	}
}

// find lists what a query chooses.
func (r *rig) find(q Query) (all []Contact) {
	r.Helper()
	for c, err := range r.Select("shop", q, r.m.now) {
		if err != nil {
			r.Fatal(err)
		}
		all = append(all, c)
	}
	return all
}

func (r *rig) ids(q Query) (ids []string) {
	r.Helper()
	for _, c := range r.find(q) {
		ids = append(ids, c.ID)
	}
	return ids
}

// shown writes a contact in one line: "u 张三 [a b] since 08-01 active 08-02 gone 08-03".
func shown(c Contact) string {
	s := c.ID
	if c.Group {
		s = "group " + s
	}
	if c.Name != "" {
		s += " " + c.Name
	}
	if len(c.Labels) > 0 {
		s += " [" + strings.Join(c.Labels, " ") + "]"
	}
	for _, t := range []struct {
		word string
		at   time.Time
	}{{"since", c.Since}, {"active", c.Active}, {"gone", c.Gone}} {
		if !t.at.IsZero() {
			s += " " + t.word + " " + t.at.Format("01-02")
		}
	}
	return s
}

// all shows everybody, whoever is gone among them.
func (r *rig) all() string {
	r.Helper()
	var lines []string
	for _, c := range r.find(Query{All: true}) {
		lines = append(lines, shown(c))
	}
	return strings.Join(lines, "; ")
}
