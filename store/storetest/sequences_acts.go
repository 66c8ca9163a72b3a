package storetest

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/store"

	"pgregory.net/rapid"
)

// The names of a sequence are few, so that acts meet each other.
var (
	accounts  = []string{"a", "ab"}
	stateKeys = []engine.StateKey{
		{Account: "a", Conversation: "c", Sender: "s"}, {Account: "a", Conversation: "c"},
		{Account: "a", Conversation: "d", Sender: "s"}, {Account: "ab", Conversation: "c", Sender: "s"},
	}
	onceKeys = []store.Once{
		{Account: "a", Skill: "form", Key: "k"}, {Account: "a", Skill: "form", Key: "l"},
		{Account: "a", Skill: "menu", Key: "k"}, {Account: "ab", Skill: "form", Key: "k"},
	}
	noteKeys = []string{"k", "k/1", "cursor"}
	tasks    = []string{"t0", "t1", "t2"}
	windows  = []time.Duration{window, 24 * time.Hour, time.Hour}
)

// pick draws an element by its place, so that the output stays short.
func pick[E any](t *rapid.T, label string, from []E) E {
	return from[rapid.IntRange(0, len(from)-1).Draw(t, label)]
}

// some draws up to n different elements.
func some[E any](t *rapid.T, label string, from []E, n int) []E {
	var out []E
	for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, len(from)-1), 0, n, rapid.ID).Draw(t, label) {
		out = append(out, from[i])
	}
	return out
}

// rarely is true one time in ten.
func rarely(t *rapid.T, label string) bool { return rapid.IntRange(0, 9).Draw(t, label) == 9 }

// number draws one that is there, or sometimes one that was or never will be.
func number[E any](t *rapid.T, label string, there []E, of func(E) uint64, highest uint64) uint64 {
	if len(there) == 0 || rarely(t, "late") {
		return rapid.Uint64Range(1, highest+2).Draw(t, label)
	}
	return of(pick(t, label, there))
}

func (m *machine) someSeq(t *rapid.T) uint64 {
	return number(t, "entry", m.model.log, func(e store.Entry) uint64 { return e.Seq }, m.seq)
}

func (m *machine) someCommand(t *rapid.T) uint64 {
	return number(t, "command", m.model.outbox, func(d store.Delivery) uint64 { return d.ID }, m.command)
}

func (m *machine) someLetter(t *rapid.T) uint64 {
	return number(t, "letter", m.model.letters, func(l store.Letter) uint64 { return l.ID }, m.letter)
}

// text is different each time, and now and then longer than a page.
func (m *machine) text(t *rapid.T) string {
	m.made++
	return fmt.Sprint(m.made, strings.Repeat(" long", pick(t, "length", []int{0, 0, 0, 150, 3000})))
}

func (m *machine) event(account, id string) *engine.Event {
	e := event(id)
	e.Account, e.Time = account, m.clock.Now()
	return e
}

// actions are the acts to choose from; what stands there twice comes more often.
func (m *machine) actions() map[string]func(*rapid.T) {
	act := func(do func(*rapid.T)) func(*rapid.T) {
		return func(t *rapid.T) {
			m.tick()
			do(t)
		}
	}
	all := map[string]func(*rapid.T){
		"append": act(m.drawAppend), "commit": act(m.drawCommit), "submit": act(m.drawSubmit), "settle": act(m.drawSettle),
		"fail": act(m.drawFail), "charge": act(m.drawCharge), "attempt": act(m.drawAttempt), "cancel": act(m.drawCancel), "resolve": act(m.drawResolve),
		"replay": act(m.drawReplay), "drop": act(m.drawDrop), "stand": act(m.drawStanding), "remember": act(m.drawRemember), "append page": act(m.drawPage), "take in hand": act(m.drawBegin),
		"fire": act(func(*rapid.T) { m.fire() }), "sweep": act(func(*rapid.T) { m.answered("sweep", m.st.Sweep(m.Context()), nil) }),
		"crash": act(func(*rapid.T) { m.reopen(false) }), "restart": act(func(*rapid.T) { m.reopen(true) }),
		"let time pass": func(t *rapid.T) { m.clock.Advance(pick(t, "for", passing)) },
		"set the clock": func(t *rapid.T) { m.clock.Jump(pick(t, "by", jumps)) },
	}
	for _, name := range []string{"append", "commit", "commit", "submit", "submit", "settle", "settle", "stand", "remember", "fire", "let time pass"} {
		for copy := name + " again"; ; copy += "!" {
			if all[copy] == nil {
				all[copy] = all[name]
				break
			}
		}
	}
	return all
}

var (
	passing = []time.Duration{
		1, time.Second, 20 * time.Minute, 40 * time.Minute, 5 * time.Hour, 7 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		window, window + slack, 35 * 24 * time.Hour,
	}
	jumps = []time.Duration{
		-time.Minute, time.Minute, -3 * time.Hour, 3 * time.Hour, -50 * time.Hour, 50 * time.Hour, -40 * 24 * time.Hour, 40 * 24 * time.Hour,
	}
)

// someEvents draws up to three.
func (m *machine) someEvents(t *rapid.T, least int) []*engine.Event {
	var events []*engine.Event
	for range rapid.IntRange(least, 3).Draw(t, "events") {
		e := m.event(pick(t, "account", accounts), fmt.Sprint("e", rapid.IntRange(0, 7).Draw(t, "id")))
		e.Text = m.text(t)
		events = append(events, e)
	}
	return events
}

func (m *machine) drawAppend(t *rapid.T) {
	m.append(m.someEvents(t, 1), pick(t, "window", windows))
}

func (m *machine) append(events []*engine.Event, window time.Duration) {
	m.Helper()
	got, err := m.st.Append(m.Context(), events, window)
	m.appended(events, window, got, err)
}

func (m *machine) drawPage(t *rapid.T) {
	m.Helper()
	events, window := m.someEvents(t, 0), pick(t, "window", windows)
	account, notes := pick(t, "of", accounts), m.someNotes(t)
	got, err := m.st.AppendPage(m.Context(), events, window, account, notes)
	m.model.remember(account, notes)
	m.appended(events, window, got, err)
}

// appended compares what an act that logs events answered.
func (m *machine) appended(events []*engine.Event, window time.Duration, got store.Appended, err error) {
	m.Helper()
	if err != nil || len(got.Duplicate) != len(events) || len(got.Seqs) != len(events) {
		m.Fatalf("append: %+v, %v", got, err)
	}
	want := m.model.append(events, window, got.Duplicate)
	if !slices.Equal(got.Duplicate, want) {
		m.Fatalf("append: duplicates %v, want %v", got.Duplicate, want)
	}
	m.answered("append", err, nil)
	fresh := m.model.log[len(m.model.log)-count(want, false):]
	for i, dup := range want {
		if !events[i].Received.Equal(m.model.now) {
			m.Errorf("event %d was received at %v, now is %v", i, events[i].Received, m.model.now)
		}
		var seq uint64
		if !dup {
			seq, fresh = fresh[0].Seq, fresh[1:]
		}
		if got.Seqs[i] != seq {
			m.Errorf("event %d has number %d, append said %d", i, seq, got.Seqs[i])
		}
	}
}

func count(list []bool, what bool) (n int) {
	for _, v := range list {
		if v == what {
			n++
		}
	}
	return n
}

func (m *machine) drawCommit(t *rapid.T) {
	c := store.Commit{Seq: m.someSeq(t), Owner: pick(t, "owner", []string{"o1", "o2", "o3"})}
	for _, k := range some(t, "states", stateKeys, 2) {
		w := store.StateWrite{Key: k, Read: m.model.states[k].Version, State: m.drawState(t)}
		if rarely(t, "stale") {
			w.Read = pick(t, "version", append(slices.Sorted(maps.Keys(m.versions)), 0))
		}
		c.States = append(c.States, w)
	}
	for _, o := range some(t, "once", onceKeys, 2) {
		o.Until = m.model.now.Add(pick(t, "until", []time.Duration{0, time.Minute, 24 * time.Hour, 40 * 24 * time.Hour, 400 * 24 * time.Hour}))
		c.Once = append(c.Once, o)
	}
	for range rapid.IntRange(0, 2).Draw(t, "commands") {
		text := m.text(t)
		out := command(fmt.Sprint("c", m.made))
		out.Text = text
		c.Commands = append(c.Commands, out)
	}
	if len(c.Commands) > 0 && rapid.Bool().Draw(t, "leaves at once") {
		p := m.drawProgress(t)
		c.Mark = &p
	}
	if rapid.IntRange(0, 3).Draw(t, "wish") == 3 {
		c.Subscription = pick(t, "subscription", []engine.Subscription{engine.Unsubscribe, engine.Subscribe})
		c.Account, c.Sender = pick(t, "account", accounts), pick(t, "sender", users)
	}
	if rapid.IntRange(0, 3).Draw(t, "learns") == 3 {
		c.Learned = m.someNotes(t)
		if c.Account == "" {
			c.Account = pick(t, "account", accounts)
		}
	}
	if rapid.IntRange(0, 3).Draw(t, "counts") == 3 {
		if c.Account == "" {
			c.Account = pick(t, "account", accounts)
		}
		c.Counts = m.someCounts(t)
	}
	if rapid.IntRange(0, 3).Draw(t, "raises") == 3 {
		m.made++
		c.Raised = []*engine.Event{event(fmt.Sprint("raised", m.made))}
	}
	m.commit(c)
}

func (m *machine) commit(c store.Commit) {
	m.Helper()
	err := m.st.Commit(m.Context(), c)
	m.answered("commit", err, m.model.commit(c))
}

func (m *machine) drawState(t *rapid.T) engine.State {
	if rapid.IntRange(0, 3).Draw(t, "end the state") == 3 {
		return engine.State{}
	}
	st := engine.State{Skill: "form", Node: m.text(t), Notify: rapid.Bool().Draw(t, "notify")}
	if rapid.Bool().Draw(t, "data") {
		st.Data, st.Misses = map[string]string{"name": "王", "": "empty"}, 2
	}
	if in := pick(t, "expires", []time.Duration{0, 1, time.Minute, time.Hour, 30 * time.Hour}); in > 0 {
		st.Expires = m.model.now.Add(in)
	}
	return st
}

func (m *machine) drawFail(t *rapid.T) {
	f := store.Failure{Seq: m.someSeq(t), Skill: "form", Bury: rapid.Bool().Draw(t, "bury")}
	f.Tries = store.Tries{Count: rapid.IntRange(0, 3).Draw(t, "count"), Error: m.text(t)}
	if rapid.Bool().Draw(t, "times") {
		f.Tries.First, f.Tries.NotBefore = m.model.now, m.model.now.Add(time.Minute)
	}
	err := m.st.Fail(m.Context(), f)
	m.answered("fail", err, m.model.fail(f))
}

func (m *machine) drawCharge(t *rapid.T) {
	seq := m.someSeq(t)
	got, err := m.st.Charge(m.Context(), seq)
	want, wantErr := m.model.charge(seq)
	m.answered("charge", err, wantErr)
	if !reflect.DeepEqual(got, want) {
		m.Errorf("charge: %+v, want %+v", got, want)
	}
}

// drawBegin notes an entry, or takes the note of one back.
func (m *machine) drawBegin(t *rapid.T) {
	seq := m.someSeq(t)
	if end := m.ends[seq]; end != nil {
		end()
		delete(m.ends, seq)
		delete(m.model.inHand, seq)
	} else if m.model.entry(seq) != nil {
		m.ends[seq] = m.st.Begin(seq)
		m.model.inHand[seq] = true
	}
}

func (m *machine) drawSubmit(t *rapid.T) {
	var cmds []engine.Command
	for range rapid.IntRange(1, 3).Draw(t, "commands") {
		c := submitted(pick(t, "task", tasks))
		c.Account, c.Text, c.Created = pick(t, "account", accounts), m.text(t), m.model.now
		if rapid.Bool().Draw(t, "times") {
			c.NotBefore, c.Deadline = m.model.now.Add(time.Minute), m.model.now.Add(time.Hour)
		}
		cmds = append(cmds, c)
	}
	window := pick(t, "window", []time.Duration{commandWindow, time.Hour})
	var got []bool
	var err error
	account, notes := pick(t, "account", accounts), m.someNotes(t)
	if len(notes) > 0 {
		got, err = m.st.SubmitPage(m.Context(), cmds, window, account, notes)
	} else {
		got, err = m.st.Submit(m.Context(), cmds, window)
	}
	if err != nil || len(got) != len(cmds) {
		m.Fatalf("submit: %v, %v", got, err)
	}
	if want := m.model.submit(cmds, window, got); !reflect.DeepEqual(got, want) {
		m.Fatalf("submit: duplicates %v, want %v", got, want)
	}
	m.model.remember(account, notes)
	m.answered("submit", err, nil)
}

func (m *machine) drawProgress(t *rapid.T) store.Progress {
	p := store.Progress{
		Phase:    pick(t, "phase", []store.Phase{"", store.Waiting, store.InDoubt}),
		Attempts: rapid.IntRange(0, 3).Draw(t, "attempts"),
	}
	if rapid.Bool().Draw(t, "wait") {
		p.NotBefore, p.Reason = m.model.now.Add(time.Minute), m.text(t)
	}
	if rapid.IntRange(0, 3).Draw(t, "awaits") == 3 {
		p.Phase, p.Awaits, p.AwaitsUntil = store.Unconfirmed, m.text(t), m.model.now.Add(time.Second)
	}
	for i := range pick(t, "tries", []int{0, 1, 2, store.MaxTries + 5}) {
		try := store.Try{Time: m.model.now, Class: "transient", Status: 500 + i, Note: "a note of what was said: 忙"}
		if i%3 == 2 {
			try = store.Try{Class: "unknown", Status: -i}
		}
		p.Tries = append(p.Tries, try)
	}
	return p
}

func (m *machine) drawAttempt(t *rapid.T) {
	id, p := m.someCommand(t), m.drawProgress(t)
	counts := m.someCounts(t)
	err := m.st.Attempt(m.Context(), id, p, counts...)
	m.answered("attempt", err, m.model.attempt(id, p, counts))
}

func (m *machine) drawSettle(t *rapid.T) {
	s := store.Settlement{ID: m.someCommand(t), Progress: m.drawProgress(t)}
	s.Final = pick(t, "final", []store.Final{"", store.Sent, store.Confirmed, store.Dead, store.Dead, store.Cancelled})
	s.Learned, s.Counts = m.someNotes(t), m.someCounts(t)
	err := m.st.Settle(m.Context(), s)
	m.answered("settle", err, m.model.settle(s))
}

func (m *machine) drawCancel(t *rapid.T) {
	names := slices.Clone(tasks)
	for _, d := range m.model.outbox {
		names = append(names, d.Command.TaskID)
	}
	task := pick(t, "task", names)
	err := m.st.Cancel(m.Context(), task)
	m.answered("cancel", err, m.model.cancel(task))
}

func (m *machine) drawResolve(t *rapid.T) {
	task, arrived := pick(t, "task", tasks), rapid.Bool().Draw(t, "arrived")
	for _, d := range m.model.outbox {
		if d.Progress.Phase == store.InDoubt && rapid.Bool().Draw(t, "this one") {
			task = d.Command.TaskID
		}
	}
	learned, counts := m.someNotes(t), m.someCounts(t)
	err := m.st.Resolve(m.Context(), task, arrived, learned, counts...)
	m.answered("resolve", err, m.model.resolve(task, arrived, learned, counts))
}

func (m *machine) drawReplay(t *rapid.T) {
	id := m.someLetter(t)
	counts := m.someCounts(t)
	err := m.st.Replay(m.Context(), id, counts...)
	m.answered("replay", err, m.model.replay(id, counts))
}

func (m *machine) drawDrop(t *rapid.T) {
	id := m.someLetter(t)
	err := m.st.Drop(m.Context(), id)
	m.answered("drop", err, m.model.drop(id))
}

var users = []string{"u", "uu"}

func (m *machine) drawStanding(t *rapid.T) {
	account, user := pick(t, "account", accounts), pick(t, "user", users)
	change := pick(t, "change", []engine.Change{
		engine.Block, engine.Unblock, engine.Change(engine.Unsubscribe), engine.Change(engine.Subscribe), "promote"})
	err := m.st.SetStanding(m.Context(), account, user, change)
	m.model.setStanding(account, user, change)
	m.answered("set standing", err, nil)
}

// someNotes draws up to two, which may be of one key.
func (m *machine) someNotes(t *rapid.T) []engine.Note {
	var notes []engine.Note
	for range rapid.IntRange(0, 2).Draw(t, "notes") {
		n := engine.Note{Key: pick(t, "key", noteKeys)}
		if rapid.IntRange(0, 3).Draw(t, "forget") < 3 {
			n.Value = m.text(t)
		}
		if in := pick(t, "expires", []time.Duration{0, 0, -1, 1, time.Minute, time.Hour, 30 * time.Hour}); in != 0 {
			n.Expires = m.model.now.Add(in)
		}
		notes = append(notes, n)
	}
	return notes
}

func (m *machine) someCounts(t *rapid.T) (counts []engine.Count) {
	for _, n := range m.someNotes(t) {
		counts = append(counts, engine.Count{Key: n.Key, Add: rapid.IntRange(-2, 3).Draw(t, "add"), Expires: n.Expires})
	}
	return counts
}

func (m *machine) drawRemember(t *rapid.T) {
	account, notes := pick(t, "account", accounts), m.someNotes(t)
	err := m.st.Remember(m.Context(), account, notes)
	m.model.remember(account, notes)
	m.answered("remember", err, nil)
}

func (m *machine) fire() {
	events, over, more, err := m.st.Fire(m.Context())
	wantEvents, wantOver := m.model.fire()
	m.answered("fire", err, nil)
	if events != wantEvents || over != wantOver || more {
		m.Errorf("fire: %d events, %d ended, more %v; want %d and %d, no more", events, over, more, wantEvents, wantOver)
	}
}
