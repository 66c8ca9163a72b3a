// Package talk is the conversations as people see them: which were active lately,
// and what was said in one. It keeps nothing that lasts: the list is in memory, and
// a conversation is put together from the trace and the intake that are kept.
package talk

import (
	"cmp"
	"container/list"
	"slices"
	"strings"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/clip"
)

// maxListed is how many conversations are known: the least lately active is forgotten.
const maxListed = 5000

// maxText bounds what is kept of the last text, in bytes.
const maxText = 120

// Row is a conversation that was active.
type Row struct {
	engine.ConversationKey
	Name  string // of who spoke last; "" where nobody told
	Group bool
	Time  time.Time // when something was last heard or said
	Text  string    // what that was, the beginning of it; "" where there are no words
	What  string    // the kind of event or the action, where it is no text
	Out   bool      // it was said by the bot
}

// List is the conversations that were lately active. It is safe for concurrent use,
// and its zero value is empty.
type List struct {
	mu  sync.Mutex
	row map[engine.ConversationKey]*list.Element
	all list.List // of *Row, the lately active first, as far as they were told in order
}

// Heard takes note of an event. What is about an account, or only the engine's own,
// is no conversation.
func (l *List) Heard(e *engine.Event) {
	if e.Conversation == "" || e.Kind.OfAccount() || e.Kind == engine.Due || e.Kind == engine.Expired || e.Kind == engine.Unknown {
		return
	}
	what := e.Type
	switch {
	case e.Kind != engine.Message:
		what = string(e.Kind)
	case e.Spoken():
		what = ""
	}
	name := e.SenderName
	if name == e.Sender {
		name = ""
	}
	l.tell(Row{
		ConversationKey: e.ConversationKey(), Name: name, Group: e.Group, Time: e.Received,
		Text: kept(e.Text), What: what, Out: e.Self,
	})
}

// Said takes note of a command that left.
func (l *List) Said(c *engine.Command, at time.Time) {
	if c.Conversation == "" {
		return
	}
	what := ""
	if c.Action != engine.SendText {
		what = string(c.Action)
	}
	l.tell(Row{ConversationKey: c.ConversationKey(), Time: at, Text: kept(c.Text), What: what, Out: true})
}

// Seen takes note that a conversation was active, of which no more is known. What is
// known already stays.
func (l *List) Seen(key engine.ConversationKey, at time.Time) {
	if key.Conversation == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, known := l.row[key]; !known {
		l.put(&Row{ConversationKey: key, Time: at}, false)
	}
}

func (l *List) tell(r Row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	el, known := l.row[r.ConversationKey]
	if !known {
		l.put(&r, true)
		return
	}
	old := el.Value.(*Row)
	if r.Out { // it does not tell who is there
		r.Name, r.Group = old.Name, old.Group
	}
	r.Name = cmp.Or(r.Name, old.Name)
	if r.Time.Before(old.Time) {
		r.Time = old.Time
	}
	*old = r
	l.all.MoveToFront(el)
}

// put adds a row, in front or behind all others, and forgets the last where there is
// no room.
func (l *List) put(r *Row, front bool) {
	if l.row == nil {
		l.row = make(map[engine.ConversationKey]*list.Element)
	}
	if len(l.row) >= maxListed {
		if !front {
			return
		}
		last := l.all.Back()
		delete(l.row, last.Value.(*Row).ConversationKey)
		l.all.Remove(last)
	}
	if front {
		l.row[r.ConversationKey] = l.all.PushFront(r)
	} else {
		l.row[r.ConversationKey] = l.all.PushBack(r)
	}
}

// Active returns when the conversation was last active, zero where that is not known.
func (l *List) Active(key engine.ConversationKey) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	if el, known := l.row[key]; known {
		return el.Value.(*Row).Time
	}
	return time.Time{}
}

// Find returns conversations of the account ("" all) whose id or name contains what is
// searched for, the lately active first: limit of them behind the first skip, and
// whether there are more.
func (l *List) Find(account, search string, skip, limit int) (rows []Row, more bool) {
	search = strings.ToLower(strings.TrimSpace(search))
	l.mu.Lock()
	for el := l.all.Front(); el != nil; el = el.Next() {
		r := el.Value.(*Row)
		if (account == "" || r.Account == account) && r.has(search) {
			rows = append(rows, *r)
		}
	}
	l.mu.Unlock()
	slices.SortStableFunc(rows, func(a, b Row) int { return b.Time.Compare(a.Time) })
	rows = rows[min(max(skip, 0), len(rows)):]
	return rows[:min(limit, len(rows))], len(rows) > limit
}

func (r *Row) has(search string) bool {
	return strings.Contains(strings.ToLower(r.Conversation), search) || strings.Contains(strings.ToLower(r.Name), search)
}

// kept is what stays of a text, in memory of its own.
func kept(s string) string { return strings.Clone(clip.Dots(s, maxText)) }
