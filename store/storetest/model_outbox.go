package storetest

import (
	"slices"
	"time"

	"bot/engine"
	"bot/store"
)

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

func (m *model) attempt(id uint64, p store.Progress, counts []engine.Count) error {
	return m.settle(store.Settlement{ID: id, Progress: marked(p), Counts: counts})
}

func marked(p store.Progress) store.Progress {
	p.Phase = store.Sending
	return lastTries(p)
}

func (m *model) settle(s store.Settlement) error {
	d := m.delivery(s.ID)
	if d == nil {
		return store.ErrGone
	}
	p, c := lastTries(s.Progress), d.Command
	m.tell(c.Account, s.Learned, s.Counts)
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

func (m *model) resolve(task string, arrived bool, learned []engine.Note, counts []engine.Count) error {
	d := m.inOutbox(task)
	if l := m.dead(task); d == nil && l != nil && arrived {
		if l.Command.Submitted {
			m.settled[task] = ended{m.time, store.Confirmed, store.Progress{Phase: store.Waiting, Attempts: l.Count, Tries: l.Tries}}
		}
		m.tell(l.Command.Account, learned, counts)
		return m.drop(l.ID)
	}
	if d == nil || d.Progress.Phase != store.InDoubt {
		return store.ErrGone
	}
	c, p := d.Command, d.Progress
	p.Phase = store.Waiting
	m.leaveOutbox(d.ID)
	if !arrived {
		m.send(m.renewed(*c))
		m.outbox[len(m.outbox)-1].Progress = store.Progress{Phase: store.Waiting, Tries: p.Tries, Reason: p.Reason, Awaits: p.Awaits}
		return nil
	}
	if c.Submitted {
		m.settled[task] = ended{m.time, store.Confirmed, p}
	}
	m.tell(c.Account, learned, counts)
	return nil
}

// renewed is a command that is sent again by a person.
func (m *model) renewed(c engine.Command) engine.Command {
	c.Created = m.stamp()
	if !c.Deadline.After(m.now) {
		c.Deadline = time.Time{}
	}
	return c
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

func (m *model) takeLetter(id uint64) (store.Letter, error) {
	i := slices.IndexFunc(m.letters, func(l store.Letter) bool { return l.ID == id })
	if i < 0 {
		return store.Letter{}, store.ErrGone
	}
	l := m.letters[i]
	m.letters = slices.Delete(m.letters, i, i+1)
	return l, nil
}

func (m *model) replay(id uint64, counts []engine.Count) error {
	l, err := m.takeLetter(id)
	switch {
	case err != nil:
	case l.Event != nil:
		m.log = append(m.log, store.Entry{Event: l.Event})
	default:
		m.send(m.renewed(*l.Command))
		m.tell(l.Command.Account, nil, counts)
	}
	return err
}

func (m *model) drop(id uint64) error {
	_, err := m.takeLetter(id)
	return err
}
