package api

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"bot/engine"
	"bot/store"
)

// Doubt is a command of which nobody knows whether it went out, as the API shows it.
type Doubt struct {
	ID           uint64      `json:"id"` // for the next page; it changes when the command is sent again
	TaskID       string      `json:"task_id"`
	TraceID      string      `json:"trace_id,omitempty"`
	Account      string      `json:"account"`
	Conversation string      `json:"conversation"`
	Action       string      `json:"action"`
	Skill        string      `json:"skill,omitempty"`
	Text         string      `json:"text,omitempty"` // its beginning
	Since        time.Time   `json:"since,omitzero"` // when it was sent last
	Reason       string      `json:"reason"`
	Tries        []store.Try `json:"tries"`
}

// shownText is how much of a text is shown, in characters.
const shownText = 80

// DoubtOf is how a command in doubt is shown.
func DoubtOf(d store.Delivery) Doubt {
	c, p := d.Command, d.Progress
	v := Doubt{
		ID: d.ID, TaskID: c.TaskID, TraceID: c.TraceID, Account: c.Account, Conversation: c.Conversation,
		Action: string(c.Action), Skill: c.Skill, Text: shortened(c.Text), Reason: p.Reason, Tries: p.Tries,
	}
	if n := len(p.Tries); n > 0 {
		v.Since = p.Tries[n-1].Time
	}
	if v.Tries == nil {
		v.Tries = []store.Try{}
	}
	return v
}

func shortened(s string) string {
	n := 0
	for i := range s {
		if n++; n > shownText {
			return s[:i] + "…"
		}
	}
	return s
}

// maxPage bounds what one answer may be asked for.
const maxPage = 1000

// doubts lists what is in doubt, in the order in which it was stored, page by page.
func (a *api) doubts(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	after, limit, ok := pageOf(w, q, "a command in doubt")
	if !ok {
		return
	}
	all, err := a.o.Doubts(q.Get("account"), after, limit)
	if err != nil {
		a.storeError(w, err)
		return
	}
	if after == 0 && len(all) == 0 && !a.listed(w, q.Get("account")) {
		return
	}
	reply(w, http.StatusOK, map[string]any{"in_doubt": all})
}

// Doubts returns at most limit commands in doubt behind the id after, of an account
// or of all (""), in the order in which they were stored.
func (o *Options) Doubts(account string, after uint64, limit int) ([]Doubt, error) {
	all := []Doubt{}
	for {
		page, err := o.Outbox.Doubts(after, maxPage)
		if err != nil {
			return nil, err
		}
		for _, d := range page {
			if after = d.ID; account != "" && d.Command.Account != account {
				continue
			}
			if all = append(all, DoubtOf(d)); len(all) == limit {
				return all, nil
			}
		}
		if len(page) < maxPage {
			return all, nil
		}
	}
}

// resolve ends the doubt about a command. A task id may hold slashes, so that what
// is to be done is what follows the last one.
func (a *api) resolve(w http.ResponseWriter, r *http.Request) {
	path := taskID(r)
	cut := strings.LastIndexByte(path, '/')
	if cut < 0 {
		fail(w, http.StatusNotFound, "not_found", "say what is to be done: /resend or /delivered")
		return
	}
	id, what := path[:cut], path[cut+1:]
	status, known := map[string]string{"resend": "resent", "delivered": "delivered"}[what]
	if !known {
		fail(w, http.StatusNotFound, "not_found", "what is in doubt can be sent again (/resend) or counted as arrived (/delivered)")
		return
	}
	switch err := a.o.Resolve(r.Context(), id, what == "delivered"); {
	case errors.Is(err, ErrNotInDoubt):
		fail(w, http.StatusConflict, "not_in_doubt", "it is not in doubt (any more)")
	case err != nil:
		a.storeError(w, err)
	default:
		reply(w, http.StatusOK, accepted{id, status})
	}
}

// ErrNotInDoubt says that the doubt about a command was ended by somebody else, or
// that there was none.
var ErrNotInDoubt = fmt.Errorf("it is not in doubt (any more): %w", store.ErrGone)

// Resolve ends the doubt about a command: it arrived, or is sent again. The error is
// ErrNotInDoubt, store.ErrGone where nothing is known of the task id, or the store's.
func (o *Options) Resolve(ctx context.Context, id string, delivered bool) error {
	d, final, err := o.Outbox.Find(id)
	if err != nil {
		return err
	}
	if final != "" || d.Progress.Phase != store.InDoubt {
		return ErrNotInDoubt
	}
	var learned []engine.Note
	if delivered && o.Arrived != nil {
		learned = o.Arrived(d.Command)
	}
	switch err := o.Outbox.Resolve(ctx, id, delivered, learned); {
	case errors.Is(err, store.ErrGone):
		return ErrNotInDoubt
	case err != nil:
		return err
	}
	o.Resolved(d)
	outcome := "resent"
	if delivered {
		outcome = "delivered"
	}
	o.Log.Info("doubt ended", "task_id", id, "account", d.Command.Account, "outcome", outcome)
	return nil
}
