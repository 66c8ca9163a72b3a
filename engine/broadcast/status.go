package broadcast

import (
	"fmt"
	"maps"
	"time"

	"bot/engine"
	"bot/store"
)

// Status tells how one stands, ErrNone where there is none.
func (m *Manager) Status(id string) (Status, error) {
	e := m.entry(id)
	if e == nil {
		return Status{}, ErrNone
	}
	return m.status(e)
}

// List tells how all stand, the oldest first.
func (m *Manager) List() ([]Status, error) {
	all := []Status{}
	for _, e := range m.all() {
		s, err := m.status(e)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (m *Manager) status(e *entry) (Status, error) {
	m.mu.Lock()
	s := Status{Broadcast: e.b, Released: e.at.Released, Skipped: e.at.skipped(), SkippedFor: maps.Clone(e.at.Skipped), Left: e.b.Recipients - e.at.Passed}
	for _, phase := range e.outbox {
		switch phase {
		case store.InDoubt:
			s.InDoubt++
		case store.Unconfirmed:
			s.Unconfirmed++
		default:
			s.Waiting++
		}
	}
	m.mu.Unlock()
	var err error
	if s.Sent, s.Dead, err = m.tallies(&s.Broadcast); err != nil {
		return Status{}, err
	}
	s.ByHand = max(0, s.Released-s.Sent-s.Dead-s.Waiting-s.Unconfirmed-s.InDoubt)
	if s.State == Running {
		a, _ := m.o.Account(s.Account)
		s.ETA = m.o.Store.Now().Add(lasts(s.Left, slower(&s.Broadcast, a)))
	}
	return s, nil
}

// Running counts the broadcasts that run, and the recipients whose turn is to come
// in those that run or are paused.
func (m *Manager) Running() (running, left int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, e := range m.entries {
		if e.b.State == Running {
			running++
		}
		if e.b.State == Running || e.b.State == Paused {
			left += e.b.Recipients - e.at.Passed
		}
	}
	return running, left
}

// OfAccount lists the ids of an account's broadcasts that run.
func (m *Manager) OfAccount(account string) (ids []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, e := range m.entries {
		if e.b.Account == account && e.b.State == Running {
			ids = append(ids, id)
		}
	}
	return ids
}

// Failure is a command of a broadcast that was given up.
type Failure struct {
	Letter    uint64    `json:"letter"` // bot dead show, replay and drop know it by that
	Recipient string    `json:"recipient"`
	Error     string    `json:"error"`
	Time      time.Time `json:"time"`
}

// Failures are a broadcast's dead letters behind the letter after, at most limit.
func (m *Manager) Failures(id string, after uint64, limit int) ([]Failure, error) {
	const page = 500
	all := []Failure{}
	for {
		letters, err := m.o.Store.Letters(after, page)
		if err != nil {
			return nil, fmt.Errorf("look for dead letters of broadcast %s: %w", id, err)
		}
		for _, l := range letters {
			after = l.ID
			if l.Command == nil || l.Command.Origin != origin(id) {
				continue
			}
			all = append(all, Failure{l.ID, recipientOf(l.Command), l.Error, l.Time})
			if len(all) == limit {
				return all, nil
			}
		}
		if len(letters) < page {
			return all, nil
		}
	}
}

// recipientOf is whom a command was made for: where it is done to a group, the one
// member whom it is about.
func recipientOf(c *engine.Command) string {
	if members, ok := c.Params["members"].([]any); ok && byMembers(c.Action) && len(members) == 1 {
		if user, ok := members[0].(string); ok {
			return user
		}
	}
	if user, ok := c.Params["invited_wxid"].(string); ok && byMembers(c.Action) {
		return user
	}
	return c.Conversation
}
