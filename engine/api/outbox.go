package api

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bot/store"
)

// Row is a command of the outbox as the list shows it.
type Row struct {
	ID           uint64    `json:"id"` // of its place in the outbox
	TaskID       string    `json:"task_id"`
	State        string    `json:"state"`
	Account      string    `json:"account"`
	Conversation string    `json:"conversation"`
	Action       string    `json:"action"`
	Lane         string    `json:"lane"`
	Skill        string    `json:"skill,omitempty"`
	Text         string    `json:"text,omitempty"`
	Created      time.Time `json:"created"`
	Due          time.Time `json:"due"` // it does not leave before
	Deadline     time.Time `json:"deadline,omitzero"`
	Attempts     int       `json:"attempts"`
	Reason       string    `json:"reason,omitempty"`
	// CanBeCalledOff: something may happen in the meantime that cancels it.
	CanBeCalledOff bool `json:"can_be_called_off,omitempty"`
}

// Rows is one page of the list. Next is where the following one begins, 0 at the
// end; there may be one however few rows this page has.
type Rows struct {
	Commands []Row  `json:"commands"`
	Next     uint64 `json:"next,omitempty"`
}

// Limits of one page of the list: rows shown, and rows looked through for them.
const (
	maxRows  = 1000
	maxLook  = 20_000
	lookPage = 500
)

// RowFilter is which commands of the outbox are listed; "" is all.
type RowFilter struct {
	Account, Conversation, Skill, State string
	After                               uint64 // their ids lie behind this one
	Limit                               int    // rows of a page
}

// States are those of what is in the outbox.
var States = []string{string(store.Waiting), string(store.Sending), string(store.InDoubt), string(store.Unconfirmed)}

// ReadRowFilter reads ?account=&conversation=&skill=&state=&after=&limit=, or says
// which field is wrong.
func ReadRowFilter(q url.Values) (f RowFilter, field string, err error) {
	f = RowFilter{
		Account: q.Get("account"), Conversation: q.Get("conversation"), Skill: q.Get("skill"),
		State: q.Get("state"), Limit: pageSize,
	}
	if f.State != "" && !slices.Contains(States, f.State) {
		return f, "state", fmt.Errorf("state is one of %q: what has settled is not listed, and is found by its task id", States)
	}
	if s := q.Get("after"); s != "" {
		if f.After, err = strconv.ParseUint(s, 10, 64); err != nil {
			return f, "after", errors.New("after must be the next of an earlier page, a number")
		}
	}
	if s := q.Get("limit"); s != "" {
		if f.Limit, err = strconv.Atoi(s); err != nil || f.Limit < 1 || f.Limit > maxRows {
			return f, "limit", fmt.Errorf("limit is a number from 1 to %d", maxRows)
		}
	}
	return f, "", nil
}

// fits tells whether a row is asked for.
func (f *RowFilter) fits(d *store.Delivery) bool {
	c := d.Command
	return (f.Account == "" || c.Account == f.Account) && (f.Conversation == "" || c.Conversation == f.Conversation) &&
		(f.Skill == "" || c.Skill == f.Skill) && (f.State == "" || phase(d) == f.State)
}

// phase is where a command of the outbox stands.
func phase(d *store.Delivery) string { return string(cmp.Or(d.Progress.Phase, store.Waiting)) }

// outbox lists what is in the outbox, in the order in which it came in.
func (a *api) outbox(w http.ResponseWriter, r *http.Request) {
	f, field, err := ReadRowFilter(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, field, err.Error())
		return
	}
	page, err := a.o.Rows(f)
	all := page
	if err == nil && f.Account != "" && page.none() { // of all that the account has, too?
		all, err = a.o.Rows(RowFilter{Account: f.Account, Limit: 1})
	}
	if err != nil {
		a.storeError(w, err)
		return
	}
	if f.After == 0 && all.none() && !a.listed(w, f.Account) {
		return
	}
	reply(w, http.StatusOK, page)
}

// none tells whether there is nothing on the page, nor behind it.
func (r *Rows) none() bool { return len(r.Commands) == 0 && r.Next == 0 }

// Rows lists one page of what is in the outbox, in the order in which it came in.
func (o *Options) Rows(f RowFilter) (Rows, error) {
	page := Rows{Commands: []Row{}}
	for looked := 0; looked < maxLook; {
		some, err := o.Outbox.Deliveries(f.After, lookPage)
		if err != nil {
			return page, err
		}
		for i := range some {
			f.After = some[i].ID
			if !f.fits(&some[i]) {
				continue
			}
			if page.Commands = append(page.Commands, o.row(&some[i])); len(page.Commands) == f.Limit {
				page.Next = f.After
				return page, nil
			}
		}
		if len(some) < lookPage {
			return page, nil
		}
		looked += len(some)
	}
	page.Next = f.After
	return page, nil
}

func (o *Options) row(d *store.Delivery) Row {
	c := d.Command
	due := c.Due()
	if d.Progress.NotBefore.After(due) {
		due = d.Progress.NotBefore
	}
	return Row{
		ID: d.ID, TaskID: c.TaskID, State: phase(d), Account: c.Account, Conversation: c.Conversation,
		Action: string(c.Action), Lane: c.Lane.String(), Skill: c.Skill, Text: c.Text,
		Created: c.Created, Due: due, Deadline: c.Deadline,
		Attempts: d.Progress.Attempts, Reason: o.reason(d), CanBeCalledOff: c.Unless != "",
	}
}

// reason is why a command of the outbox has not left: what it waits for now, and
// what came of it before.
func (o *Options) reason(d *store.Delivery) string {
	before := d.Progress.Reason
	if o.Waits == nil {
		return before
	}
	now := o.Waits(*d)
	switch {
	case now == "":
		return before
	case before == "":
		return now
	}
	return now + "; before that: " + before
}
