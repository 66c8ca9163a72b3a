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

// rowFilter is what the query asks for.
type rowFilter struct {
	account, conversation, skill, state string
	after                               uint64
	limit                               int
}

// phases are the states of what is in the outbox.
var phases = []string{string(store.Waiting), string(store.Sending), string(store.InDoubt), string(store.Unconfirmed)}

func readRowFilter(q url.Values) (f rowFilter, field string, err error) {
	f = rowFilter{
		account: q.Get("account"), conversation: q.Get("conversation"), skill: q.Get("skill"),
		state: q.Get("state"), limit: pageSize,
	}
	if f.state != "" && !slices.Contains(phases, f.state) {
		return f, "state", fmt.Errorf("state is one of %q: what has settled is not listed, and is found by its task id", phases)
	}
	if s := q.Get("after"); s != "" {
		if f.after, err = strconv.ParseUint(s, 10, 64); err != nil {
			return f, "after", errors.New("after must be the next of an earlier page, a number")
		}
	}
	if s := q.Get("limit"); s != "" {
		if f.limit, err = strconv.Atoi(s); err != nil || f.limit < 1 || f.limit > maxRows {
			return f, "limit", fmt.Errorf("limit is a number from 1 to %d", maxRows)
		}
	}
	return f, "", nil
}

// fits tells whether a row is asked for.
func (f *rowFilter) fits(d *store.Delivery) bool {
	c := d.Command
	return (f.account == "" || c.Account == f.account) && (f.conversation == "" || c.Conversation == f.conversation) &&
		(f.skill == "" || c.Skill == f.skill) && (f.state == "" || phase(d) == f.state)
}

// phase is where a command of the outbox stands.
func phase(d *store.Delivery) string { return string(cmp.Or(d.Progress.Phase, store.Waiting)) }

// outbox lists what is in the outbox, in the order in which it came in.
func (a *api) outbox(w http.ResponseWriter, r *http.Request) {
	f, field, err := readRowFilter(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, field, err.Error())
		return
	}
	page, err := a.rows(f)
	if err != nil {
		a.storeError(w, err)
		return
	}
	reply(w, http.StatusOK, page)
}

// rows collects one page.
func (a *api) rows(f rowFilter) (Rows, error) {
	page := Rows{Commands: []Row{}}
	for looked := 0; looked < maxLook; {
		some, err := a.o.Outbox.Deliveries(f.after, lookPage)
		if err != nil {
			return page, err
		}
		for i := range some {
			f.after = some[i].ID
			if !f.fits(&some[i]) {
				continue
			}
			if page.Commands = append(page.Commands, row(&some[i])); len(page.Commands) == f.limit {
				page.Next = f.after
				return page, nil
			}
		}
		if len(some) < lookPage {
			return page, nil
		}
		looked += len(some)
	}
	page.Next = f.after
	return page, nil
}

func row(d *store.Delivery) Row {
	c := d.Command
	due := c.Due()
	if d.Progress.NotBefore.After(due) {
		due = d.Progress.NotBefore
	}
	return Row{
		ID: d.ID, TaskID: c.TaskID, State: phase(d), Account: c.Account, Conversation: c.Conversation,
		Action: string(c.Action), Lane: c.Lane.String(), Skill: c.Skill, Text: c.Text,
		Created: c.Created, Due: due, Deadline: c.Deadline,
		Attempts: d.Progress.Attempts, Reason: d.Progress.Reason, CanBeCalledOff: c.Unless != "",
	}
}
