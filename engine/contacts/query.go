package contacts

import (
	"cmp"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"bot/engine"
)

// Where says in which conversations somebody is looked for.
type Where string

// The values of Query.Where.
const (
	Anywhere Where = ""
	Private  Where = "private"
	Groups   Where = "group"
)

// Query chooses contacts. The zero Query chooses all that can be reached.
type Query struct {
	Labels  []string // they have all of them,
	Any     []string // one of these at least, where there are any,
	Without []string // and none of these
	// ActiveWithin is how long ago they wrote, or came, at most; 0 sets no limit.
	ActiveWithin time.Duration
	Where        Where
	After        string // their ids lie behind this one
	// All lists those too who are gone or barred.
	All bool
}

// Select yields the account's contacts that a query chooses at the time now, in
// the order of the bytes of their ids, each once. Without Query.All it leaves out
// who is gone and who is barred. It holds a page of notes in memory, however many
// contacts there are, and no transaction between two pages: who changes meanwhile is
// chosen by what they were before or after. An error of the store is the last
// pair, with the zero Contact.
func (d *Directory) Select(account string, q Query, now time.Time) iter.Seq2[Contact, error] {
	return func(yield func(Contact, error) bool) {
		for c, err := range d.all(account, q.After) {
			if err != nil {
				yield(Contact{}, err)
				return
			}
			if !q.chooses(&c, now) || !q.All && (!c.Gone.IsZero() || d.o.Barred(account, c.ID)) {
				continue
			}
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (q *Query) chooses(c *Contact, now time.Time) bool {
	has := func(label string) bool { _, found := slices.BinarySearch(c.Labels, label); return found }
	lacks := func(label string) bool { return !has(label) }
	switch {
	case q.Where == Private && c.Group, q.Where == Groups && !c.Group,
		q.ActiveWithin > 0 && !c.within(q.ActiveWithin, now),
		slices.ContainsFunc(q.Labels, lacks),
		len(q.Any) > 0 && !slices.ContainsFunc(q.Any, has),
		slices.ContainsFunc(q.Without, has):
		return false
	}
	return true
}

// pageSize is how many notes are read at a time.
const pageSize = 500

// all joins what events told of the account's contacts with what these were given.
// Both lie in the order of the ids: none holds a NUL, which is below every byte.
func (d *Directory) all(account, after string) iter.Seq2[Contact, error] {
	return func(yield func(Contact, error) bool) {
		told := &pager{memory: d.o.Store, account: account, prefix: contactPrefix}
		given := &pager{memory: d.o.Store, account: account, prefix: givenPrefix}
		if after != "" {
			told.after = contactKey(after)
			given.after = givenPrefix + after + "\x01" // behind all of after's own
		}
		for {
			c, ok := join(told, given)
			if told.err != nil || given.err != nil {
				yield(Contact{}, fmt.Errorf("list contacts: %w", cmp.Or(told.err, given.err)))
				return
			}
			if c.ID == "" {
				return
			}
			if ok && !yield(c, nil) {
				return
			}
		}
	}
}

// join takes the next contact off the two lists; its ID is "" at their end. ok is
// false for one of whom there are labels and nothing else.
func join(told, given *pager) (c Contact, ok bool) {
	id, isTold := told.id()
	other, isGiven := given.id()
	switch {
	case !isTold && !isGiven:
		return Contact{}, false
	case !isTold || isGiven && other < id:
		id, isTold = other, false
	}
	if isTold {
		c, ok = readRecord(id, told.take().Value)
	}
	c.ID = id
	for next, more := given.id(); more && next == id; next, more = given.id() {
		n := given.take()
		_, what, _ := strings.Cut(n.Key, "\x00")
		switch {
		case what == present:
			if !ok {
				c.Group, ok = n.Value == presentValue(true), true
			}
			c.Gone = time.Time{}
		case what == named:
			c.Name = n.Value
		default:
			c.Labels = append(c.Labels, strings.TrimPrefix(what, labelled))
		}
	}
	return c, ok
}

// pager walks through notes page by page.
type pager struct {
	memory                 Memory
	account, prefix, after string
	page                   []engine.Note
	over                   bool
	err                    error
}

// id is the contact's of the next note, which it reads if need be; false at the end.
func (p *pager) id() (string, bool) {
	if len(p.page) == 0 && !p.over {
		p.page, p.err = p.memory.Recollect(p.account, p.prefix, p.after, pageSize)
		if p.over = len(p.page) < pageSize || p.err != nil; len(p.page) > 0 {
			p.after = p.page[len(p.page)-1].Key
		}
	}
	if len(p.page) == 0 {
		return "", false
	}
	id, _, _ := strings.Cut(p.page[0].Key[len(p.prefix):], "\x00")
	return id, true
}

func (p *pager) take() engine.Note {
	n := p.page[0]
	p.page = p.page[1:]
	return n
}
