package storetest

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"bot/engine"
	"bot/store"

	"pgregory.net/rapid"
)

// sequences puts a store through random acts beside the model, which must
// foretell every answer and, again and again, everything there is to see.
// -rapid.checks says how many sequences, -rapid.steps how long they are on
// average. A sequence that fails is shortened and written to
// testdata/rapid/<name of the test>; what lies there is run first every time,
// so committing it makes it a regression test.
func sequences(t testing.TB, h Harness) {
	base := memory(t)
	rapid.Check(t, func(rt *rapid.T) { newMachine(sequence{t, rt, base}, h).run(rt) })
}

// memory is a folder whose files need no disk, where there is such a thing: the
// many syncs of the sequences prove nothing, since no power is cut.
func memory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "storetest-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// sequence is the part of a test that is one sequence: it fails as the sequence
// does, so that rapid can shorten it, and leaves nothing for the next one.
type sequence struct {
	testing.TB
	rt   *rapid.T
	base string // where its folders lie
}

func (s sequence) Cleanup(f func())             { s.rt.Cleanup(f) }
func (s sequence) Error(args ...any)            { s.rt.Error(args...) }
func (s sequence) Errorf(f string, args ...any) { s.rt.Errorf(f, args...) }
func (s sequence) Fail()                        { s.rt.Fail() }
func (s sequence) FailNow()                     { s.rt.FailNow() }
func (s sequence) Failed() bool                 { return s.rt.Failed() }
func (s sequence) Fatal(args ...any)            { s.rt.Fatal(args...) }
func (s sequence) Fatalf(f string, args ...any) { s.rt.Fatalf(f, args...) }
func (s sequence) Log(args ...any)              { s.rt.Log(args...) }
func (s sequence) Logf(f string, args ...any)   { s.rt.Logf(f, args...) }

func (s sequence) TempDir() string {
	dir, err := os.MkdirTemp(s.base, "sequence-")
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// machine is a store and its model.
type machine struct {
	testing.TB
	h     Harness
	clock *Clock
	st    store.Store
	model *model

	handed time.Time     // the latest time at which the store was handed an act
	passed time.Duration // uptime then
	// The highest numbers so far.
	seq, command, letter uint64
	versions             map[uint64]bool
	ends                 map[uint64]func() // of Begin, by entry
	acts, made           int
}

func newMachine(t testing.TB, h Harness) *machine {
	m := &machine{TB: t, h: h, clock: NewClock(), model: newModel(), versions: make(map[uint64]bool), ends: make(map[uint64]func())}
	m.st = h.Open(t, Options{Clock: m.clock, Window: window})
	m.model.time = moment{}.reopened(m.clock.Uptime(), m.st.Now())
	t.Cleanup(func() { h.close(t, m.st) })
	return m
}

func (m *machine) run(t *rapid.T) {
	actions := m.actions()
	actions[""] = func(*rapid.T) {
		if m.acts++; m.acts%compareEvery == 0 {
			m.compare()
		}
	}
	t.Repeat(actions)
	m.compare()
	m.compareOnce()
	m.compare()
	Check(m, m.st)
}

// compareEvery is after how many acts all is looked over.
const compareEvery = 5

// commandWindow is the longest window of Submit in the suite.
const commandWindow = 24 * time.Hour

// tick tells the model what time it is, which is the store's to say within
// bounds: the wall clock, but no earlier than what was stored, and no later than
// what the store was handed at a time when the clock showed it, and what has passed
// since.
func (m *machine) tick() {
	m.Helper()
	now, wall := m.st.Now(), m.clock.Now()
	least, most := latest(wall, m.model.stored), latest(wall, m.handed.Add(m.clock.Uptime()-m.passed))
	if now.Before(least) || now.After(most) {
		m.Fatalf("the store's time is %v, want %v to %v; the wall clock shows %v", now, least, most, wall)
	}
	m.model.now = now
	m.model.time = m.model.time.later(m.clock.Uptime())
}

// answered compares the error of an act with the model's, and takes over what
// the store chose.
func (m *machine) answered(what string, got, want error) {
	m.Helper()
	if !alike(got, want) {
		m.Fatalf("%s: got %v, want %v", what, got, want)
	}
	if !m.model.now.Before(m.handed) {
		m.handed, m.passed = m.model.now, m.clock.Uptime()
	}
	if want == nil {
		m.learn()
	}
}

func alike(got, want error) bool {
	var taken, wantTaken *store.TakenError
	if errors.As(want, &wantTaken) {
		return errors.As(got, &taken) && *taken == *wantTaken
	}
	return errors.Is(got, want)
}

// learn fills in the numbers that the store gave to what the last act made.
func (m *machine) learn() {
	m.Helper()
	m.learnLog()
	ds, err := m.st.Deliveries(m.command, 1000)
	m.must(err)
	for i := range m.model.outbox {
		if d := &m.model.outbox[i]; d.ID == 0 {
			if len(ds) == 0 || ds[0].ID <= m.command {
				m.Fatalf("command %s did not get a number above %d: %+v", d.Command.TaskID, m.command, ds)
			}
			d.ID, m.command, ds = ds[0].ID, ds[0].ID, ds[1:]
		}
	}
	ls, err := m.st.Letters(m.letter, 1000)
	m.must(err)
	for i := range m.model.letters {
		if l := &m.model.letters[i]; l.ID == 0 {
			if len(ls) == 0 || ls[0].ID <= m.letter {
				m.Fatalf("letter %s did not get a number above %d: %+v", l.Error, m.letter, ls)
			}
			l.ID, m.letter, ls = ls[0].ID, ls[0].ID, ls[1:]
		}
	}
	if len(ds) > 0 || len(ls) > 0 {
		m.Fatalf("nobody made commands %+v, letters %+v", ds, ls)
	}
	for k, want := range m.model.states {
		if want.Version == 0 {
			got, err := m.st.State(k)
			m.must(err)
			if got.Version == 0 || m.versions[got.Version] {
				m.Fatalf("state %v got version %d, which is none or was there before", k, got.Version)
			}
			want.Version = got.Version
			m.versions[got.Version] = true
			m.model.states[k] = want
		}
	}
}

// learnLog is learn for the log, where several expiries may stand in any order.
func (m *machine) learnLog() {
	m.Helper()
	entries, err := m.st.Read(m.seq, 1000)
	m.must(err)
	fresh := slices.IndexFunc(m.model.log, func(e store.Entry) bool { return e.Seq == 0 })
	if fresh < 0 {
		fresh = len(m.model.log)
	}
	if len(m.model.log)-fresh != len(entries) {
		m.Fatalf("%d new entries, want %d", len(entries), len(m.model.log)-fresh)
	}
	for i, got := range entries {
		if got.Seq <= m.seq {
			m.Fatalf("a new entry has number %d, %d is there already", got.Seq, m.seq)
		}
		m.seq = got.Seq
		rest := m.model.log[fresh+i:]
		at := slices.IndexFunc(rest, func(e store.Entry) bool { return sameExpiry(e.Event, got.Event) })
		if at < 0 {
			at = 0
		}
		rest[0], rest[at] = rest[at], rest[0]
		rest[0].Seq = got.Seq
		if rest[0].Event.Kind == engine.Expired && rest[0].Event.ID == "" {
			rest[0].Event.ID = got.Event.ID // the store's to choose
		}
	}
}

func sameExpiry(a, b *engine.Event) bool {
	return a.Kind == engine.Expired && b.Kind == engine.Expired &&
		a.Account == b.Account && a.Conversation == b.Conversation && a.Sender == b.Sender
}

// expiredEvent is what tells of a state whose time has passed. Its id is the
// store's to choose.
func expiredEvent(k engine.StateKey, version uint64, now time.Time) *engine.Event {
	return &engine.Event{
		Account: k.Account, Kind: engine.Expired, Conversation: k.Conversation, Sender: k.Sender,
		Params: map[string]string{"version": fmt.Sprint(version)}, Time: now, Received: now,
	}
}

func (m *machine) must(err error) {
	m.Helper()
	if err != nil {
		m.Fatal(err)
	}
}

// compare looks at everything.
func (m *machine) compare() {
	m.Helper()
	m.tick()
	n := Names{Accounts: accounts, States: stateKeys}
	got, err := Dump(m.st, n)
	m.must(err)
	if want := m.model.lines(n); got != want {
		m.Fatalf("the store and the model differ:\n%s", Diff(got, want))
	}
	if n := m.st.Backlog(); n != len(m.model.log) {
		m.Errorf("backlog is %d, the log holds %d", n, len(m.model.log))
	}
	for _, task := range tasks {
		m.compareTask(task)
	}
	m.compareNotes()
	least := 0
	for k := range m.model.keys {
		for _, w := range windows {
			got, err := m.st.Seen(k, w)
			m.must(err)
			if want := m.model.seen(k, w, got); got != want {
				m.Errorf("seen %v within %v: %v, want %v", k, w, got, want)
			}
		}
		if m.model.seen(k, window, false) {
			least++
		}
	}
	if s, err := m.st.Stats(); err != nil || s.DedupKeys < least {
		m.Errorf("%d dedup keys, %d are in the window; %v", s.DedupKeys, least, err)
	}
}

func (m *machine) compareNotes() {
	m.Helper()
	for _, account := range accounts {
		for _, key := range noteKeys {
			got, err := m.st.Recall(account, key)
			m.must(err)
			if want := m.model.recall(account, key); got != want {
				m.Errorf("note %s of %s is %.40q, want %.40q", key, account, got, want)
			}
		}
	}
}

func (m *machine) compareTask(task string) {
	m.Helper()
	d, final, err := m.st.Find(task)
	id, wantFinal, p, wantErr := m.model.find(task, err == nil)
	if !alike(err, wantErr) || final != wantFinal || d.ID != id && final == "" {
		m.Errorf("find %s: command %d, %q, %v; want %d, %q, %v", task, d.ID, final, err, id, wantFinal, wantErr)
	}
	tried := func(p store.Progress) string { return fmt.Sprint(p.Attempts, p.Reason, len(p.Tries), p.Tries) }
	if tried(d.Progress) != tried(p) {
		m.Errorf("find %s: progress %+v, want %+v", task, d.Progress, p)
	}
}

// compareOnce asks who holds the once-keys, in words and by trying to take them.
func (m *machine) compareOnce() {
	m.Helper()
	for _, o := range onceKeys {
		got, err := m.st.Granted(o.Account, o.Skill, o.Key)
		m.must(err)
		if want := m.model.granted(o); got != want {
			m.Errorf("once-key %+v is told taken: %v, want %v", o, got, want)
		}
		m.made++
		m.append([]*engine.Event{m.event(accounts[0], fmt.Sprint("once-", m.made))}, window)
		o.Until = m.model.now.Add(time.Hour)
		m.commit(store.Commit{Seq: m.seq, Owner: "prober", Once: []store.Once{o}})
	}
}

// reopen ends the process, in order or not, and starts the next.
func (m *machine) reopen(inOrder bool) {
	m.Helper()
	old := m.st
	if inOrder {
		m.h.close(m, old)
	}
	m.st = m.h.Reopen(m, old)
	if !inOrder {
		m.h.close(m, old)
	}
	clear(m.ends)
	m.model.reopen(inOrder)
	if got := m.st.Suspects(); !m.h.Traits.Shared && !(len(got) == 0 && len(m.model.suspects) == 0) && !reflect.DeepEqual(got, m.model.suspects) {
		m.Errorf("suspects %v, want %v", got, m.model.suspects)
	}
	m.model.time = m.model.time.reopened(m.clock.Uptime(), m.st.Now())
	m.tick()
	m.handed, m.passed = latest(m.model.stored, m.model.now), m.clock.Uptime()
	m.compare()
}
