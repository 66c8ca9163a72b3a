// Package storetest is the contract of package store in executable form: Run
// puts any backend through it, case by case and by random sequences of acts
// beside a model. Check looks over what a store shows, Dump writes it down, and
// Faulty makes a working store misbehave for the tests of those who use one.
package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

// Options is what a store under test is opened with.
type Options struct {
	Clock  *Clock
	Window time.Duration // of dedup, the longest
}

// Traits is what backends may differ in. It is declared, so that nothing is
// left out of the suite silently.
type Traits struct {
	// Shared: several processes use the store at once, so that what one had in
	// hand when it died is not for the next to start to find.
	Shared bool
}

// Harness is one backend.
type Harness struct {
	// Open returns a fresh, empty store. The suite closes it.
	Open func(t testing.TB, o Options) store.Store
	// Reopen returns a store on the same data and with the same options, as
	// after the death of the process that had st, or after its end in order
	// when st was closed. It may close st or leave it to the suite, which does
	// not use it again.
	Reopen func(t testing.TB, st store.Store) store.Store
	// OpenReads tells how many reads the store has open, by the backend's own
	// count; nil when it has none. When nobody uses the store it is to be zero.
	OpenReads func(st store.Store) int
	Traits    Traits
}

// close closes a store that nobody uses any more.
func (h Harness) close(t testing.TB, st store.Store) {
	t.Helper()
	if s, err := st.Stats(); err == nil && s.OldestReader > 0 {
		t.Errorf("a read is open since %v", s.OldestReader)
	}
	if h.OpenReads != nil {
		if n := h.OpenReads(st); n > 0 {
			t.Fatalf("%d reads were left open", n) // closing might wait for them
		}
	}
	if err := st.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	for _, group := range []struct {
		name  string
		cases []testCase
	}{
		{"Inbox", inboxCases},
		{"Turns", turnsCases},
		{"Once", onceCases},
		{"Attempts", attemptCases},
		{"Contacts", contactCases},
		{"Memory", memoryCases},
		{"Outbox", outboxCases},
		{"Sending", sendingCases},
		{"DeadLetters", letterCases},
		{"Expiry", expiryCases},
		{"Time", timeCases},
		{"Life", lifeCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) { run(t, h, c) })
			}
		})
	}
	t.Run("Sequences", func(t *testing.T) { sequences(t, h) })
}

// testCase proves the sentence that is its name.
type testCase struct {
	name string
	run  func(e *env)
}

func run(t *testing.T, h Harness, c testCase) {
	e := &env{T: t, h: h, clock: NewClock(), ctx: t.Context()}
	e.Store = h.Open(t, Options{Clock: e.clock, Window: window})
	t.Cleanup(func() { h.close(t, e.Store) })
	c.run(e)
	if !e.closed {
		Check(t, e.Store)
	}
}

// window is the longest dedup window in the suite; slack is what a store may
// keep a key longer.
const (
	window = 72 * time.Hour
	slack  = window / 12
)

// env is one test with its store.
type env struct {
	*testing.T
	store.Store
	h      Harness
	clock  *Clock
	ctx    context.Context
	closed bool
	made   int // events, see fresh
}

// fresh appends one event that nothing else is like.
func (e *env) fresh() uint64 {
	e.Helper()
	e.made++
	return e.add(fmt.Sprint("fresh-", e.made))[0]
}

// crash replaces the store by one on the same data after a process's death.
func (e *env) crash() {
	e.Helper()
	old := e.Store
	e.Store = e.h.Reopen(e.T, old)
	e.Cleanup(func() { e.h.close(e.T, old) })
}

func (e *env) must(err error) {
	e.Helper()
	if err != nil {
		e.Fatal(err)
	}
}

// event makes an event with an id, in a conversation of its own.
func event(id string) *engine.Event {
	return &engine.Event{
		Account: "acc", Kind: engine.Message, Type: "text", ID: id,
		Conversation: "conv-" + id, Sender: "sender", Text: "text of " + id, Raw: []byte("{}"),
	}
}

// add appends events and returns their seqs; none may be a duplicate.
func (e *env) add(ids ...string) []uint64 {
	e.Helper()
	var events []*engine.Event
	for _, id := range ids {
		events = append(events, event(id))
	}
	got, err := e.Append(e.ctx, events, window)
	e.must(err)
	for i, dup := range got.Duplicate {
		if dup {
			e.Fatalf("event %s is a duplicate", ids[i])
		}
	}
	return got.Seqs
}

// duplicate tells whether an event with the id is one now; if not, it is logged.
func (e *env) duplicate(id string, window time.Duration) bool {
	e.Helper()
	got, err := e.Append(e.ctx, []*engine.Event{event(id)}, window)
	e.must(err)
	if got.Duplicate[0] != (got.Seqs[0] == 0) {
		e.Fatalf("duplicate %v with seq %d", got.Duplicate[0], got.Seqs[0])
	}
	return got.Duplicate[0]
}

func (e *env) log() []store.Entry {
	e.Helper()
	entries, err := e.Read(0, 1<<20)
	e.must(err)
	return entries
}

func (e *env) outbox() []store.Delivery {
	e.Helper()
	ds, err := e.Deliveries(0, 1<<20)
	e.must(err)
	return ds
}

func (e *env) dead() []store.Letter {
	e.Helper()
	ls, err := e.Letters(0, 1<<20)
	e.must(err)
	return ls
}

func (e *env) state(k engine.StateKey) engine.State {
	e.Helper()
	st, err := e.State(k)
	e.must(err)
	return st
}

// setState handles a new event so that it leaves the state.
func (e *env) setState(k engine.StateKey, st engine.State) {
	e.Helper()
	e.must(e.Commit(e.ctx, store.Commit{Seq: e.fresh(), Owner: "o", States: []store.StateWrite{
		{Key: k, Read: e.state(k).Version, State: st},
	}}))
}

func command(task string) engine.Command {
	return engine.Command{TaskID: task, Account: "acc", Conversation: "conv", Action: engine.SendText,
		Text: "text of " + task, Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Skill: "skill"}
}

func submitted(task string) engine.Command {
	c := command(task)
	c.Submitted = true
	return c
}

// submit stores commands from outside and returns which were duplicates.
func (e *env) submit(tasks ...string) []bool {
	e.Helper()
	var cmds []engine.Command
	for _, task := range tasks {
		cmds = append(cmds, submitted(task))
	}
	dup, err := e.Submit(e.ctx, cmds, 24*time.Hour)
	e.must(err)
	return dup
}

// find returns the delivery of a task id that must be in the outbox.
func (e *env) find(task string) store.Delivery {
	e.Helper()
	d, final, err := e.Find(task)
	e.must(err)
	if final != "" {
		e.Fatalf("task %s ended as %s", task, final)
	}
	return d
}

// parallel runs f n times at once and waits.
func parallel(n int, f func(i int)) {
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range n {
		wg.Go(func() {
			<-start
			f(i)
		})
	}
	close(start)
	wg.Wait()
}
