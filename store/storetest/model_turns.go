package storetest

import (
	"slices"
	"time"

	"bot/engine"
	"bot/store"
)

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
		if i == 0 && c.Mark != nil {
			m.outbox[len(m.outbox)-1].Progress = marked(*c.Mark)
		}
	}
	if c.Subscription != "" {
		m.setStanding(c.Account, c.Sender, engine.Change(c.Subscription))
	}
	m.tell(c.Account, c.Learned, c.Counts)
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

func (m *model) granted(o store.Once) bool { return m.once[named(o)].until.After(m.now) }

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
