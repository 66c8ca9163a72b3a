package app

import (
	"bot/engine/alert"
	"bot/engine/channel"
	"bot/engine/presence"
	"bot/engine/turn"
)

// newPresence makes the keeper of which accounts are connected.
func (a *App) newPresence() *presence.Keeper {
	return presence.New(presence.Options{
		Offline: turn.OfflineKey, Why: whyOffline, Store: a.store, Accounts: a.probers, Log: a.o.Log,
		Hold: a.holdOffline, Asked: a.probed,
	})
}

// whyOffline is the part of an account's note that is for people.
func whyOffline(note string) string {
	_, why := turn.OfflineNote(note)
	return why
}

// probers are the accounts, with how to ask whether each is online; nil where
// its platform cannot be asked.
func (a *App) probers() map[string]channel.Prober {
	plan := a.live.Load()
	all := make(map[string]channel.Prober, len(plan.senders))
	for name, s := range plan.senders {
		p, _ := s.Sender.(channel.Prober)
		all[name] = p
	}
	return all
}

// holdOffline holds what an offline account has to send, or lets it go.
func (a *App) holdOffline(account, reason string) {
	a.egress.Hold(account, causeOffline, reason)
	if reason != "" {
		a.board.Offline(account, reason)
		a.desk.Raise(alert.Alert{Kind: alert.Offline, Account: account, Text: reason})
	} else if a.board.Online(account) {
		a.desk.Raise(alert.Alert{Kind: alert.Offline, Account: account, Over: true})
	}
}
