package broadcast

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// page is what one act of the release takes along.
type page struct {
	commands []engine.Command
	numbers  []int
	at       cursor
	notes    []engine.Note
	skipped  int
	broken   error // the broadcast cannot go on
}

// page reads recipients until there are as many commands as wanted, or the chunk
// ends, or very many were skipped.
func (m *Manager) page(e *entry, a Account, want int) (page, error) {
	b, l := &e.b, &e.line
	p := page{at: e.at}
	p.at.Skipped = maps.Clone(e.at.Skipped)
	if l.fill == nil {
		var wrong Problems
		if l.fill = compile(b, a, m.o.Template, &wrong); len(wrong) > 0 {
			p.broken = wrong // a later version of the program reads it otherwise
			return p, nil
		}
	}
	if l.text == "" || l.chunk != p.at.Chunk {
		text, err := m.o.Store.Recall(owner, chunkName(b.ID, p.at.Chunk))
		if err != nil {
			return p, fmt.Errorf("read recipients: %w", err)
		}
		l.text, l.chunk = text, p.at.Chunk
	}
	if p.at.Offset >= len(l.text) {
		p.broken = fmt.Errorf("the recipients behind the first %d are not in the store", p.at.Passed)
		return p, nil
	}
	created := m.o.Store.Now()
	for looked := 0; looked < maxLook && len(p.commands) < want && p.at.Offset < len(l.text); looked++ {
		user, _, _ := strings.Cut(l.text[p.at.Offset:], "\n")
		p.at.Offset += len(user) + 1
		m.take(&p, l.fill, b, m.recipient(b, a, user), created)
	}
	if p.at.Offset >= len(l.text) {
		p.notes = append(p.notes, engine.Note{Key: chunkName(b.ID, p.at.Chunk)})
		p.at.Chunk, p.at.Offset = p.at.Chunk+1, 0
	}
	note, err := p.at.note(b.ID)
	p.notes = append(p.notes, note)
	return p, err
}

// take makes the command of one recipient, or skips them.
func (m *Manager) take(p *page, f *fill, b *Broadcast, r engine.Recipient, created time.Time) {
	n := p.at.Passed
	p.at.Passed++
	c, err := f.command(r)
	why := ""
	switch {
	case errors.Is(err, errEmpty):
		why = "empty"
	case err != nil:
		why = "template"
	default:
		why = m.o.Unwanted(&c, r.User)
	}
	if why != "" {
		if p.at.Skipped == nil {
			p.at.Skipped = make(map[string]int)
		}
		p.at.Skipped[why]++
		p.skipped++
		return
	}
	c.TaskID, c.TraceID, c.Origin, c.Created = taskID(b.ID, n), b.ID, origin(b.ID), created
	p.commands, p.numbers = append(p.commands, c), append(p.numbers, n)
	p.at.Released++
}

// submit stores a page. Its commands are known to wait before they are in the
// outbox, since their ends may be told before this returns. Commands and cursor are
// one act, so that a task id which is taken is never this broadcast's earlier try:
// somebody else's command has it, and the recipient gets nothing.
func (m *Manager) submit(ctx context.Context, e *entry, p page) error {
	m.mu.Lock()
	for _, n := range p.numbers {
		e.outbox[n] = store.Waiting
	}
	m.mu.Unlock()
	duplicate, err := m.o.Store.SubmitPage(context.WithoutCancel(ctx), p.commands, m.o.Window(), owner, p.notes)
	m.mu.Lock()
	for i, n := range p.numbers {
		if err != nil || duplicate[i] {
			delete(e.outbox, n)
		}
	}
	if err == nil {
		e.at = p.at
	}
	m.mu.Unlock()
	if err != nil {
		return err
	}
	for i := range p.commands {
		if c := &p.commands[i]; duplicate[i] {
			m.o.Log.Error("recipient of a broadcast left out: another command has the task id; send it to them by hand",
				"broadcast", e.b.ID, "account", c.Account, "conversation", c.Conversation, "task_id", c.TaskID)
		}
	}
	m.o.Count("released", len(p.commands))
	m.o.Count("skipped", p.skipped)
	m.o.Submitted(p.commands, duplicate)
	return nil
}
