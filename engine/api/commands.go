package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
	"bot/store"
)

// accepted tells what became of one envelope.
type accepted struct {
	TaskID string `json:"task_id"`
	Status string `json:"status"` // accepted | duplicate
}

// submit takes one envelope or an array, all or nothing. When it has answered,
// the commands are on disk.
func (a *api) submit(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "one call carries at most 4 MiB")
		return
	case err != nil:
		fail(w, http.StatusBadRequest, "body", "the body broke off before its end")
		return
	}
	envs, many, err := decodeEnvelopes(body)
	if err != nil {
		fail(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	cmds := make([]engine.Command, len(envs))
	var bad []fieldError
	for i := range envs {
		var wrong []fieldError
		cmds[i], wrong = envs[i].command(i, many, a.o.Needs, a.o.Now())
		bad = append(bad, wrong...)
	}
	if len(bad) > 0 {
		reply(w, http.StatusBadRequest, map[string]any{
			"error":    apiError{"invalid", "nothing was accepted; correct the named fields: " + names(bad, many)},
			"fields":   bad,
			"problems": problems(bad, many),
		})
		return
	}
	dup, err := a.o.Outbox.Submit(r.Context(), cmds, a.o.CommandWindow())
	if err != nil {
		a.storeError(w, err)
		return
	}
	a.o.Submitted(cmds, dup)
	a.answerSubmit(w, cmds, dup, many)
}

// names lists bad fields.
func names(bad []fieldError, many bool) string {
	all := make([]string, len(bad))
	for i, f := range bad {
		all[i] = f.name(many)
	}
	return strings.Join(all, ", ")
}

// problems are what is wrong with each field, in a line.
func problems(bad []fieldError, many bool) []string {
	all := make([]string, len(bad))
	for i, f := range bad {
		all[i] = f.name(many) + ": " + f.Message
	}
	return all
}

// name is the field's, in an array with its index: [2].params.to.
func (f fieldError) name(many bool) string {
	if many {
		return fmt.Sprintf("[%d].%s", f.Index, f.Field)
	}
	return f.Field
}

func (a *api) answerSubmit(w http.ResponseWriter, cmds []engine.Command, dup []bool, many bool) {
	status, all := http.StatusOK, make([]accepted, len(cmds))
	for i, c := range cmds {
		all[i] = accepted{c.TaskID, "duplicate"}
		if !dup[i] {
			all[i].Status, status = "accepted", http.StatusAccepted
		}
	}
	if many {
		reply(w, http.StatusAccepted, map[string]any{"status": "accepted", "tasks": all})
		return
	}
	reply(w, status, all[0])
}

// commandView is a command as GET shows it.
type commandView struct {
	TaskID   string      `json:"task_id"`
	State    string      `json:"state"`
	Reason   string      `json:"reason"`
	Attempts []store.Try `json:"attempts"`
}

// taskID is all that follows in the path: a task id may hold slashes.
func taskID(r *http.Request) string {
	return strings.TrimPrefix(httprouter.ParamsFromContext(r.Context()).ByName("id"), "/")
}

func (a *api) command(w http.ResponseWriter, r *http.Request) {
	id := taskID(r)
	d, final, err := a.o.Outbox.Find(id)
	if err != nil {
		a.storeError(w, err)
		return
	}
	v := commandView{TaskID: id, State: string(final), Reason: d.Progress.Reason, Attempts: d.Progress.Tries}
	if final == "" {
		v.State = string(d.Progress.Phase)
	}
	switch v.State {
	case "":
		v.State = string(store.Waiting)
	case string(store.Unconfirmed): // so it is, as far as anybody knows yet
		v.State = string(store.Sent)
	}
	if final == "" {
		v.Reason = a.o.reason(&d)
	}
	if v.Attempts == nil {
		v.Attempts = []store.Try{}
	}
	reply(w, http.StatusOK, v)
}

func (a *api) cancel(w http.ResponseWriter, r *http.Request) {
	id := taskID(r)
	switch err := a.o.Cancel(r.Context(), id); {
	case errors.Is(err, ErrNotWaiting):
		fail(w, http.StatusConflict, "not_waiting", "it is no longer waiting and cannot be cancelled")
	case err != nil:
		a.storeError(w, err)
	default:
		reply(w, http.StatusOK, accepted{id, "cancelled"})
	}
}

// ErrNotWaiting says that a command is on its way or has left the outbox.
var ErrNotWaiting = fmt.Errorf("it is no longer waiting and cannot be cancelled: %w", store.ErrGone)

// Cancel takes a command that waits out of the outbox. The error is ErrNotWaiting,
// store.ErrGone where nothing is known of the task id, or the store's.
func (o *Options) Cancel(ctx context.Context, id string) error {
	d, final, err := o.Outbox.Find(id)
	if err != nil {
		return err
	}
	if final != "" {
		return ErrNotWaiting
	}
	switch err := o.Outbox.Cancel(ctx, id); {
	case errors.Is(err, store.ErrGone):
		return ErrNotWaiting
	case err != nil:
		return err
	}
	o.Cancelled(d.Command)
	o.Log.Info("command cancelled", "task_id", id)
	return nil
}
