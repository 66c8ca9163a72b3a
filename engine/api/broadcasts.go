package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"

	"bot/engine/broadcast"
)

// Broadcasts is the keeper of broadcasts; *broadcast.Manager is one.
type Broadcasts interface {
	Check(r *broadcast.Request) broadcast.Problems
	Make(ctx context.Context, r broadcast.Request) (broadcast.Status, error)
	Start(ctx context.Context, id string) (broadcast.Status, error)
	Pause(ctx context.Context, id string) (broadcast.Status, error)
	Resume(ctx context.Context, id string) (broadcast.Status, error)
	Cancel(ctx context.Context, id string) (broadcast.Status, error)
	Delete(ctx context.Context, id string) error
	Status(id string) (broadcast.Status, error)
	List() ([]broadcast.Status, error)
	Estimate(id string) (broadcast.Estimate, error)
	Failures(id string, after uint64, limit int) ([]broadcast.Failure, error)
}

// Broadcast is one as the API shows it. Estimate is there before it is over.
type Broadcast struct {
	broadcast.Status
	Estimate *broadcast.Estimate `json:"estimate,omitempty"`
}

// routeBroadcasts adds the paths of broadcasts.
func (a *api) routeBroadcasts(r *httprouter.Router) {
	const root = "/api/v1/broadcasts"
	r.Handler(http.MethodPost, root, a.guard(http.HandlerFunc(a.makeBroadcast)))
	r.Handler(http.MethodGet, root, a.guard(http.HandlerFunc(a.listBroadcasts)))
	r.Handler(http.MethodGet, root+"/:id", a.guard(http.HandlerFunc(a.showBroadcast)))
	r.Handler(http.MethodGet, root+"/:id/failures", a.guard(http.HandlerFunc(a.failuresOfBroadcast)))
	r.Handler(http.MethodDelete, root+"/:id", a.guard(http.HandlerFunc(a.deleteBroadcast)))
	for name, act := range map[string]func(context.Context, string) (broadcast.Status, error){
		"start":  func(ctx context.Context, id string) (broadcast.Status, error) { return a.o.Broadcasts.Start(ctx, id) },
		"pause":  func(ctx context.Context, id string) (broadcast.Status, error) { return a.o.Broadcasts.Pause(ctx, id) },
		"resume": func(ctx context.Context, id string) (broadcast.Status, error) { return a.o.Broadcasts.Resume(ctx, id) },
		"cancel": func(ctx context.Context, id string) (broadcast.Status, error) { return a.o.Broadcasts.Cancel(ctx, id) },
	} {
		r.Handler(http.MethodPost, root+"/:id/"+name, a.guard(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			s, err := act(req.Context(), broadcastID(req))
			a.answerBroadcast(w, http.StatusOK, s, err)
		})))
	}
}

func broadcastID(r *http.Request) string {
	return httprouter.ParamsFromContext(r.Context()).ByName("id")
}

// makeBroadcast answers POST /api/v1/broadcasts: JSON, or multipart/form-data of
// two parts, "broadcast" with that JSON and "to" with the recipients, an id a line,
// which may be many and are read as they come. When it has answered, the audience
// is on disk.
func (a *api) makeBroadcast(w http.ResponseWriter, r *http.Request) {
	n, lines, err := readBroadcast(w, r)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, "too_large",
			fmt.Sprintf(`JSON has at most %d KiB here; more recipients go into a part "to" of multipart/form-data`, large.Limit>>10))
		return
	case err != nil:
		fail(w, http.StatusBadRequest, "invalid", err.Error())
		return
	}
	request, wrong := a.broadcastOf(n, lines)
	if len(wrong) > 0 {
		failFields(w, wrong)
		return
	}
	s, err := a.o.Broadcasts.Make(r.Context(), request)
	a.answerBroadcast(w, http.StatusCreated, s, err)
}

func failFields(w http.ResponseWriter, wrong broadcast.Problems) {
	fields := make([]string, len(wrong))
	for i, p := range wrong {
		fields[i] = p.Field
	}
	reply(w, http.StatusBadRequest, map[string]any{
		"error":    apiError{"invalid", "nothing was made; correct the named fields: " + strings.Join(fields, ", ")},
		"fields":   wrong,
		"problems": strings.Split(wrong.Error(), "\n"),
	})
}

// answerBroadcast shows a broadcast, or why it could not be had.
func (a *api) answerBroadcast(w http.ResponseWriter, status int, s broadcast.Status, err error) {
	if err != nil {
		a.broadcastError(w, err)
		return
	}
	b := Broadcast{Status: s}
	if !s.State.Ended() && s.State != broadcast.Preparing {
		e, err := a.o.Broadcasts.Estimate(s.ID)
		if err != nil {
			a.broadcastError(w, err)
			return
		}
		b.Estimate = &e
	}
	reply(w, status, b)
}

func (a *api) broadcastError(w http.ResponseWriter, err error) {
	var wrong broadcast.Problems
	var refused *broadcast.Refused
	switch {
	case errors.As(err, &wrong):
		failFields(w, wrong)
	case errors.As(err, &refused):
		fail(w, http.StatusConflict, "state", refused.Message)
	case errors.Is(err, broadcast.ErrBusy):
		fail(w, http.StatusConflict, "busy", err.Error())
	case errors.Is(err, broadcast.ErrNone):
		fail(w, http.StatusNotFound, "broadcast", "there is no broadcast of that id (GET /api/v1/broadcasts lists them)")
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.Canceled):
		fail(w, http.StatusBadRequest, "body", "the body broke off before its end; nothing was made")
	default:
		a.storeError(w, err)
	}
}

func (a *api) listBroadcasts(w http.ResponseWriter, _ *http.Request) {
	all, err := a.o.Broadcasts.List()
	if err != nil {
		a.broadcastError(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{"broadcasts": all})
}

func (a *api) showBroadcast(w http.ResponseWriter, r *http.Request) {
	s, err := a.o.Broadcasts.Status(broadcastID(r))
	a.answerBroadcast(w, http.StatusOK, s, err)
}

// listedFailures is how many dead letters of a broadcast are shown at once.
const listedFailures = 1000

// failuresOfBroadcast lists dead letters page by page: ?after=letter.
func (a *api) failuresOfBroadcast(w http.ResponseWriter, r *http.Request) {
	after := uint64(0)
	if given := r.URL.Query().Get("after"); given != "" {
		var err error
		if after, err = strconv.ParseUint(given, 10, 64); err != nil {
			fail(w, http.StatusBadRequest, "after", "it is the number of a dead letter")
			return
		}
	}
	if _, err := a.o.Broadcasts.Status(broadcastID(r)); err != nil {
		a.broadcastError(w, err)
		return
	}
	all, err := a.o.Broadcasts.Failures(broadcastID(r), after, listedFailures)
	if err != nil {
		a.broadcastError(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{"failures": all})
}

func (a *api) deleteBroadcast(w http.ResponseWriter, r *http.Request) {
	id := broadcastID(r)
	if err := a.o.Broadcasts.Delete(r.Context(), id); err != nil {
		a.broadcastError(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]string{"id": id, "status": "deleted"})
}
