package storetest

import (
	"slices"
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
