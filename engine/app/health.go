package app

import (
	"slices"

	"bot/engine/config"
	"bot/engine/health"
	"bot/engine/hours"
	"bot/engine/ingress"
)

// dayHours are those in which callbacks are expected where no others are named.
var dayHours = hours.Daily(9, 21)

// watchOf is what is expected of an account's callbacks.
func watchOf(a *config.Account) health.Watch {
	w := health.Watch{Silence: a.Health.Silence.Std(), Hours: a.Health.Times, Location: a.Location}
	if w.Hours == nil {
		w.Hours = dayHours
	}
	return w
}

// called takes evidence from a callback.
func (a *App) called(h ingress.Heard) {
	if h.Verified {
		a.board.Called(h.Account)
	} else {
		a.board.Refused(h.Account, h.Refused)
	}
	if h.Refused == "full" {
		a.room.full.Store(true)
	}
}

// probed takes evidence from what a platform answered about an account.
func (a *App) probed(account string, online bool, note string, err error) {
	answer := health.Offline
	switch {
	case err != nil:
		answer, note = "error", err.Error()
	case online:
		answer = "online"
	}
	a.board.Probed(account, answer, note)
}

// accountsHealth is the accounts with what is known of them, in the order of the
// configuration.
func (a *App) accountsHealth() []health.Row {
	plan, held := a.live.Load(), a.egress.Held()
	rows := make([]health.Row, len(plan.Config.Accounts))
	for i := range plan.Config.Accounts {
		acc := &plan.Config.Accounts[i]
		rows[i] = a.board.Row(acc.Name, held[acc.Name], watchOf(acc))
		rows[i].Channel = acc.Channel
	}
	return rows
}

// keepAlerts forgets what concerns accounts that a reload took away.
func (a *App) keepAlerts(plan *Plan) {
	names := accountNames(plan.Config.Accounts)
	a.desk.Keep(func(account string) bool { return slices.Contains(names, account) })
}
