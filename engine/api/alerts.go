package api

import (
	"net/http"
)

// alerts answers GET /api/v1/alerts: {"ongoing":[…],"recent":[…]}.
func (a *api) alerts(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, a.o.Alerts())
}

// tryAlerts answers POST /api/v1/alerts/test: {"ways":{"webhook":"told"}}, with why
// not in place of told. There being no way is no failure of the request.
func (a *api) tryAlerts(w http.ResponseWriter, r *http.Request) {
	reply(w, http.StatusOK, map[string]any{"ways": a.o.TryAlerts(r.Context())})
}
