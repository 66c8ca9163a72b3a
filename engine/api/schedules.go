package api

import (
	"errors"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
	"bot/store"
)

// Schedule is one [[schedule]] as the API shows it.
type Schedule struct {
	Name    string `json:"name"`
	Account string `json:"account"`
	When    string `json:"when"`
	Does    string `json:"does"`
	Enabled bool   `json:"enabled"`
	// State is that of the latest run, which was due at Due.
	State engine.RunState `json:"state"`
	Due   time.Time       `json:"due,omitzero"`
	Next  time.Time       `json:"next,omitzero"`
	Runs  []engine.Run    `json:"runs"` // those that are over, the latest first
}

// ErrDisabled refuses to run a schedule that is there and is not enabled.
var ErrDisabled = errors.New("this schedule is disabled (enabled = true, then bot reload)")

// schedules answers GET /api/v1/schedules.
func (a *api) schedules(w http.ResponseWriter, _ *http.Request) {
	all, err := a.o.Schedules()
	if err != nil {
		a.storeError(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{"schedules": all})
}

// runSchedule answers POST /api/v1/schedules/:name/run. It returns when the run is
// in the log; what becomes of it the list tells.
func (a *api) runSchedule(w http.ResponseWriter, r *http.Request) {
	name := httprouter.ParamsFromContext(r.Context()).ByName("name")
	switch err := a.o.RunSchedule(r.Context(), name); {
	case err == nil:
		reply(w, http.StatusAccepted, map[string]string{"status": "pending", "schedule": name})
	case errors.Is(err, ErrDisabled):
		fail(w, http.StatusConflict, "disabled", err.Error())
	case errors.Is(err, store.ErrGone):
		fail(w, http.StatusNotFound, "schedule", "there is no schedule of that name (GET /api/v1/schedules lists them)")
	default:
		a.storeError(w, err)
	}
}
