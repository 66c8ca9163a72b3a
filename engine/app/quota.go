package app

import (
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/quota"
)

// quotas are how much an account may say unasked.
func quotas(a *config.Account) quota.Limits {
	l := &a.Limit
	return quota.Limits{
		PushPerDay: l.PushPerDay, PushPerUserPerDay: l.PushPerUserPerDay,
		Unanswered: l.Unanswered, UnansweredFor: l.UnansweredFor.Std(),
		Refuse: l.OverQuota == "refuse", Zone: a.Location,
	}
}

// hears is how long it is remembered that somebody wrote to the account.
func hears(a *config.Account) time.Duration {
	if a.Limit.Unanswered == 0 {
		return 0
	}
	return a.Limit.UnansweredFor.Std()
}

// personWrote lets go what was held for somebody's silence, once it is on disk that
// they wrote.
func (a *App) personWrote(e *engine.Event) {
	if a.live.Load().Setup.Accounts[e.Account].Hears > 0 && quota.Hears(e) {
		a.egress.Spoke(e.ConversationKey())
	}
}
