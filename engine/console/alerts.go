package console

import (
	"maps"
	"net/http"
	"slices"
	"strings"

	"bot/engine/alert"
	"bot/engine/api"
	"bot/engine/risk"
)

// alertsPage is what an operator is told of.
type alertsPage struct {
	api.Alerts
	Muted []risk.Muted // the first few
	Total int          // of those muted
}

func (c *console) alerts(*http.Request) (any, error) {
	p := alertsPage{Alerts: c.o.Desk.Alerts()}
	p.Recent = p.Recent[:min(len(p.Recent), rows)]
	muted := c.o.Desk.Mutes.Status("", rows)
	p.Muted, p.Total = muted.Muted, muted.Total
	return p, nil
}

// tryAlerts tells a test by every way and says what came of it.
func (c *console) tryAlerts(r *http.Request) ([]any, error) {
	answers := c.o.Desk.TryAlerts(r.Context())
	if len(answers) == 0 {
		return []any{"said.nobody"}, nil
	}
	var told, not []string
	for _, way := range slices.Sorted(maps.Keys(answers)) {
		if answers[way] == alert.Told {
			told = append(told, way)
		} else {
			not = append(not, way+": "+answers[way])
		}
	}
	if len(not) > 0 {
		return nil, problem{"said.untold", []any{strings.Join(not, "; ")}}
	}
	return []any{"said.told", strings.Join(told, ", ")}, nil
}

// unmute has somebody answered again.
func (c *console) unmute(r *http.Request) ([]any, error) {
	account, user := r.PostFormValue("account"), r.PostFormValue("user")
	if !slices.Contains(c.o.Accounts(), account) {
		return nil, problem{"said.which", nil}
	}
	if err := c.o.Desk.Mutes.Unmute(r.Context(), account, user); err != nil {
		return nil, err
	}
	c.o.Log.Info("user unmuted", "account", account, "user", user, "by", "console")
	return []any{"said.unmuted"}, nil
}
