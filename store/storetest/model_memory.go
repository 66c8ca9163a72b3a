package storetest

import (
	"strconv"
	"time"

	"bot/engine"
)

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

// tell is what an act remembers for its account beside what it does.
func (m *model) tell(account string, learned []engine.Note, counts []engine.Count) {
	m.remember(account, learned)
	for _, n := range counts {
		m.count(account, n)
	}
}

func (m *model) over(n engine.Note) bool { return !n.Expires.IsZero() && !n.Expires.After(m.now) }

func (m *model) recall(account, key string) string {
	n := m.notes[place{account, key}]
	if m.over(n) {
		return ""
	}
	return n.Value
}
