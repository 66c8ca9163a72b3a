package api

import (
	"net/http"

	"bot/engine/alert"
)

// Alerts is what an operator is told of.
type Alerts struct {
	Ongoing []alert.Ongoing `json:"ongoing"` // the serious first
	Recent  []alert.Record  `json:"recent"`  // the latest first
	Ways    []AlertWay      `json:"ways"`
}

// AlertWay is a way by which alerts are told, without its address, which may be a
// secret.
type AlertWay struct {
	Name string `json:"name"` // as in what came of a test
	// Format is of a webhook's messages; Account and To are of a conversation.
	Format  string `json:"format,omitempty"`
	Account string `json:"account,omitempty"`
	To      string `json:"to,omitempty"`
}

// alerts answers GET /api/v1/alerts.
func (a *api) alerts(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, a.o.Alerts())
}

// tryAlerts answers POST /api/v1/alerts/test: {"ways":{"webhook":"told"}}, with why
// not in place of told. There being no way is no failure of the request.
func (a *api) tryAlerts(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, map[string]any{"ways": a.o.TryAlerts(r.Context())})
}
