package api

import (
	"net/http"
	"strings"

	"github.com/julienschmidt/httprouter"

	"bot/engine/trace"
)

// traced is the life of one message.
type traced struct {
	ID    string       `json:"id"`
	Steps []trace.Step `json:"steps"`
	More  bool         `json:"more,omitempty"` // there are more steps than are shown
}

// trace shows what became of whatever the id names: a platform's message, an
// event, a command, a trace id. An id may hold slashes.
func (a *api) trace(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(httprouter.ParamsFromContext(r.Context()).ByName("id"), "/")
	steps, more, err := a.o.Trace(r.Context(), id)
	switch {
	case r.Context().Err() != nil:
		return // whoever asked has gone
	case err != nil:
		a.o.Log.Error("trace cannot be read", "error", err)
		fail(w, http.StatusInternalServerError, "internal", "the trace cannot be read; the log has the reason")
	case len(steps) == 0:
		fail(w, http.StatusNotFound, "not_found", "nothing is known of this id (any more); the trace goes back as far as trace.keep and trace.max_size say")
	default:
		reply(w, http.StatusOK, traced{ID: id, Steps: steps, More: more})
	}
}
