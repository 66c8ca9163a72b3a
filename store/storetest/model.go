package storetest

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// model is what a store is to do, in maps and slices. Each act is given the
// arguments of the store's own and answers what the store must. Where a store
// is free, the model is told what it chose: numbers of entries, commands and
// letters and versions of states are filled in afterwards (0 until then), and
// what is neither surely in a window nor surely outside is as the store says.
type model struct {
	now    time.Time // of the act, by the store's clock
	time   moment
	stored time.Time // the latest time in any record, also in those that are gone

	log     []store.Entry
	outbox  []store.Delivery
	letters []store.Letter

	states   map[engine.StateKey]engine.State
	unfired  map[engine.StateKey]bool // has an expiry that has not fired
	once     map[store.Once]holder    // by its names, Until left out
	keys     map[engine.Key]moment    // of dedup: when the last event was logged
	settled  map[string]ended         // by task id
	contacts map[person]store.Contact
	notes    map[place]engine.Note // those that have expired among them

	inHand   map[uint64]bool // begun and not ended
	suspects []uint64
}

type holder struct {
	owner string
	until time.Time
}

type ended struct {
	at       moment
	final    store.Final
	progress store.Progress
}

type person struct{ account, user string }

// place is where a note lies.
type place struct{ account, key string }

func newModel() *model {
	return &model{
		states:   make(map[engine.StateKey]engine.State),
		unfired:  make(map[engine.StateKey]bool),
		once:     make(map[store.Once]holder),
		keys:     make(map[engine.Key]moment),
		settled:  make(map[string]ended),
		contacts: make(map[person]store.Contact),
		notes:    make(map[place]engine.Note),
		inHand:   make(map[uint64]bool),
	}
}

// stamp is the time of the act as it goes into a record.
func (m *model) stamp() time.Time {
	m.stored = latest(m.stored, m.now)
	return m.now
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Inbox

// append logs what is no duplicate. said is what the store answered.
func (m *model) append(events []*engine.Event, window time.Duration, said []bool) (duplicate []bool) {
	for i, e := range events {
		dup := m.seen(e.Key(), window, said[i])
		duplicate = append(duplicate, dup)
		if !dup {
			logged := *e
			logged.Received = m.stamp()
			m.log = append(m.log, store.Entry{Event: &logged})
			m.keys[e.Key()] = m.time
		}
	}
	return duplicate
}

// seen is a duplicate younger than the window, not one older than it by more
// than slack, and in between as the store says.
func (m *model) seen(k engine.Key, window time.Duration, said bool) bool {
	at, known := m.keys[k]
	least, most := m.time.since(at)
	switch {
	case !known || least > window+slack:
		return false
	case most < window:
		return true
	}
	return said
}

// Turns

func (m *model) entry(seq uint64) *store.Entry {
	i := slices.IndexFunc(m.log, func(e store.Entry) bool { return e.Seq == seq })
	if i < 0 {
		return nil
	}
	return &m.log[i]
}

func (m *model) commit(c store.Commit) error {
	if m.entry(c.Seq) == nil {
		return store.ErrGone
	}
	for _, w := range c.States {
		if m.states[w.Key].Version != w.Read {
			return store.ErrConflict
		}
	}
	for _, o := range c.Once {
		if h := m.once[named(o)]; h.until.After(m.now) && h.owner != c.Owner {
			return &store.TakenError{Key: o.Key, Skill: o.Skill, Owner: h.owner}
		}
	}
	m.leaveLog(c.Seq)
	for _, w := range c.States {
		m.setState(w.Key, w.State)
	}
	for _, o := range c.Once {
		m.once[named(o)] = holder{c.Owner, o.Until}
	}
	for i := range c.Commands {
		m.send(c.Commands[i])
	}
	if c.Subscription != "" {
		m.setStanding(c.Account, c.Sender, engine.Change(c.Subscription))
	}
	m.remember(c.Account, c.Learned)
	for _, n := range c.Counts {
		m.count(c.Account, n)
	}
	for _, e := range c.Raised {
		logged := *e
		logged.Received = m.stamp()
		m.log = append(m.log, store.Entry{Event: &logged})
	}
	return nil
}

func named(o store.Once) store.Once {
	o.Until = time.Time{}
	return o
}

func (m *model) leaveLog(seq uint64) {
	m.log = slices.DeleteFunc(m.log, func(e store.Entry) bool { return e.Seq == seq })
	delete(m.inHand, seq)
}

func (m *model) setState(k engine.StateKey, st engine.State) {
	delete(m.states, k)
	delete(m.unfired, k)
	if st.Exists() {
		m.states[k] = st.Clone()
		m.unfired[k] = !st.Expires.IsZero()
	}
}

func (m *model) fail(f store.Failure) error {
	e := m.entry(f.Seq)
	if e == nil {
		return store.ErrGone
	}
	if !f.Bury {
		e.Tries = f.Tries
		return nil
	}
	m.letters = append(m.letters, store.Letter{Event: e.Event, Count: f.Tries.Count, Skill: f.Skill, Error: f.Tries.Error, Time: m.stamp()})
	m.leaveLog(f.Seq)
	return nil
}

func (m *model) charge(seq uint64) (store.Tries, error) {
	e := m.entry(seq)
	if e == nil {
		return store.Tries{}, store.ErrGone
	}
	e.Tries.Count++
	if e.Tries.First.IsZero() {
		e.Tries.First = m.stamp()
	}
	return e.Tries, nil
}

// Outbox

func (m *model) send(c engine.Command) {
	m.outbox = append(m.outbox, store.Delivery{Command: &c, Progress: store.Progress{Phase: store.Waiting}})
}

func (m *model) delivery(id uint64) *store.Delivery {
	i := slices.IndexFunc(m.outbox, func(d store.Delivery) bool { return d.ID == id })
	if i < 0 {
		return nil
	}
	return &m.outbox[i]
}

func (m *model) leaveOutbox(id uint64) {
	m.outbox = slices.DeleteFunc(m.outbox, func(d store.Delivery) bool { return d.ID == id })
}

func (m *model) inOutbox(task string) *store.Delivery {
	i := slices.IndexFunc(m.outbox, func(d store.Delivery) bool { return d.Command.TaskID == task })
	if i < 0 {
		return nil
	}
	return &m.outbox[i]
}

func (m *model) dead(task string) *store.Letter {
	i := slices.IndexFunc(m.letters, func(l store.Letter) bool { return l.Command != nil && l.Command.TaskID == task })
	if i < 0 {
		return nil
	}
	return &m.letters[i]
}

// submit stores what is no duplicate. said is what the store answered.
func (m *model) submit(cmds []engine.Command, window time.Duration, said []bool) (duplicate []bool) {
	for i, c := range cmds {
		dup := m.inOutbox(c.TaskID) != nil || m.dead(c.TaskID) != nil || m.settledWithin(c.TaskID, window, said[i])
		duplicate = append(duplicate, dup)
		if !dup {
			m.send(c)
		}
	}
	return duplicate
}

func (m *model) settledWithin(task string, window time.Duration, said bool) bool {
	e, known := m.settled[task]
	least, most := m.time.since(e.at)
	switch {
	case !known || least >= window:
		return false
	case most < window:
		return true
	}
	return said
}

func (m *model) progress(id uint64, p store.Progress) error {
	d := m.delivery(id)
	if d == nil {
		return store.ErrGone
	}
	d.Progress = lastTries(p)
	return nil
}

func (m *model) attempt(id uint64, p store.Progress) error {
	p.Phase = store.Sending
	return m.progress(id, p)
}

func (m *model) settle(s store.Settlement) error {
	d := m.delivery(s.ID)
	if d == nil {
		return store.ErrGone
	}
	p, c := lastTries(s.Progress), d.Command
	switch {
	case s.Final == "":
		return m.progress(s.ID, p)
	case s.Final == store.Dead:
		m.letters = append(m.letters, store.Letter{Command: c, Tries: p.Tries, Count: p.Attempts, Skill: c.Skill, Error: p.Reason, Time: m.stamp()})
	case c.Submitted:
		m.settled[c.TaskID] = ended{m.time, s.Final, p}
	}
	m.leaveOutbox(s.ID)
	return nil
}

func (m *model) cancel(task string) error {
	d := m.inOutbox(task)
	if d == nil || d.Progress.Phase != store.Waiting {
		return store.ErrGone
	}
	if d.Command.Submitted {
		m.settled[task] = ended{at: m.time, final: store.Cancelled}
	}
	m.leaveOutbox(d.ID)
	return nil
}

// find answers where a task id is. How it ended is known as long as the longest
// window of Submit; after that the store may know it still, as said tells.
func (m *model) find(task string, said bool) (id uint64, final store.Final, p store.Progress, err error) {
	if d := m.inOutbox(task); d != nil {
		return d.ID, "", d.Progress, nil
	}
	if l := m.dead(task); l != nil {
		return 0, store.Dead, store.Progress{Attempts: l.Count, Reason: l.Error, Tries: l.Tries}, nil
	}
	e, known := m.settled[task]
	if _, most := m.time.since(e.at); known && (said || most < commandWindow) {
		return 0, e.final, e.progress, nil
	}
	return 0, "", store.Progress{}, store.ErrGone
}

// DeadLetters

func (m *model) takeLetter(id uint64) (store.Letter, error) {
	i := slices.IndexFunc(m.letters, func(l store.Letter) bool { return l.ID == id })
	if i < 0 {
		return store.Letter{}, store.ErrGone
	}
	l := m.letters[i]
	m.letters = slices.Delete(m.letters, i, i+1)
	return l, nil
}

func (m *model) replay(id uint64) error {
	l, err := m.takeLetter(id)
	switch {
	case err != nil:
	case l.Event != nil:
		m.log = append(m.log, store.Entry{Event: l.Event})
	default:
		c := *l.Command
		c.Created = m.stamp()
		if !c.Deadline.After(m.now) {
			c.Deadline = time.Time{}
		}
		m.send(c)
	}
	return err
}

func (m *model) drop(id uint64) error {
	_, err := m.takeLetter(id)
	return err
}

// Contacts

func (m *model) setStanding(account, user string, change engine.Change) {
	p := person{account, user}
	c := m.contacts[p]
	c.User = user
	since := func(t *time.Time) {
		if t.IsZero() {
			*t = m.stamp()
		}
	}
	switch change {
	case engine.Block:
		since(&c.Blocked)
	case engine.Unblock:
		c.Blocked = time.Time{}
	case engine.Change(engine.Unsubscribe):
		since(&c.Unsubscribed)
	case engine.Change(engine.Subscribe):
		c.Unsubscribed = time.Time{}
	}
	m.contacts[p] = c
	if c.Blocked.IsZero() && c.Unsubscribed.IsZero() {
		delete(m.contacts, p)
	}
}

func (m *model) standing(account, user string) engine.Standing {
	c := m.contacts[person{account, user}]
	return engine.Standing{Blocked: !c.Blocked.IsZero(), Unsubscribed: !c.Unsubscribed.IsZero()}
}

// Memory

func (m *model) remember(account string, notes []engine.Note) {
	for _, n := range notes {
		if m.notes[place{account, n.Key}] = n; n.Value == "" || m.over(n) {
			delete(m.notes, place{account, n.Key})
		}
	}
}

func (m *model) count(account string, c engine.Count) {
	n, _ := strconv.Atoi(m.recall(account, c.Key))
	m.remember(account, []engine.Note{{Key: c.Key, Value: strconv.Itoa(n + c.Add), Expires: c.Expires}})
}

func (m *model) over(n engine.Note) bool { return !n.Expires.IsZero() && !n.Expires.After(m.now) }

func (m *model) recall(account, key string) string {
	n := m.notes[place{account, key}]
	if m.over(n) {
		return ""
	}
	return n.Value
}

// Time that passes

func (m *model) fire() (events, over int) {
	for k, st := range m.states {
		if !m.unfired[k] || !st.Expires.Before(m.now) {
			continue
		}
		if !st.Notify {
			m.setState(k, engine.State{})
			over++
			continue
		}
		m.unfired[k] = false
		m.log = append(m.log, store.Entry{Event: expiredEvent(k, st.Version, m.stamp())})
		events++
	}
	return events, over
}

func (m *model) nextExpiry() (at time.Time) {
	for k, st := range m.states {
		if m.unfired[k] && (at.IsZero() || st.Expires.Before(at)) {
			at = st.Expires
		}
	}
	return at
}

// reopen is the death of the process, or its end in order, and the next start.
func (m *model) reopen(inOrder bool) {
	m.suspects = nil
	for _, e := range m.log {
		if m.inHand[e.Seq] && !inOrder {
			m.suspects = append(m.suspects, e.Seq)
		}
	}
	clear(m.inHand)
}

// lines is the dump that the store must give.
func (m *model) lines(n Names) string {
	d := &dump{}
	d.time("now", m.now)
	doubt := 0
	for _, e := range m.log {
		d.entry(e)
	}
	for _, c := range m.outbox {
		d.delivery(c)
		if c.Progress.Phase == store.InDoubt {
			doubt++
		}
	}
	for _, l := range m.letters {
		d.letter(l)
	}
	d.counts(store.Stats{Events: len(m.log), Commands: len(m.outbox), InDoubt: doubt, Letters: len(m.letters)})
	for _, k := range n.States {
		d.state(k, m.states[k])
	}
	d.time("next expiry", m.nextExpiry())
	for _, account := range n.Accounts {
		var users []string
		for p := range m.contacts {
			if p.account == account {
				users = append(users, p.user)
			}
		}
		slices.Sort(users)
		for _, u := range users {
			d.contact(account, m.contacts[person{account, u}], m.standing(account, u))
		}
	}
	for _, account := range n.Accounts {
		var notes []engine.Note
		for p, note := range m.notes {
			if p.account == account && !m.over(note) {
				notes = append(notes, note)
			}
		}
		slices.SortFunc(notes, func(a, b engine.Note) int { return strings.Compare(a.Key, b.Key) })
		for _, note := range notes {
			d.note(account, note)
		}
	}
	return d.String()
}

// lastTries is a progress as it is kept.
func lastTries(p store.Progress) store.Progress {
	p.Tries = p.Tries[max(0, len(p.Tries)-store.MaxTries):]
	if p.Phase == "" {
		p.Phase = store.Waiting
	}
	return p
}
