package app

import (
	"bot/engine"
	"bot/engine/broadcast"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/store"
)

// egressOptions is what the sending end works with: the outbox, the accounts, and
// whoever has a say in whether and how something leaves, or wants to know.
func (a *App) egressOptions(cfg *config.Config) egress.Options {
	return egress.Options{
		Outbox:   a.store,
		Accounts: a.o.Plan.senders,
		Global:   cfg.Limit.Rate,

		Unwanted: a.unwanted,
		Vet:      a.vet,
		Recall:   a.store.Recall,
		Adds:     a.addToSettlement,

		Sending:    a.sending,
		Found:      a.foundWords,
		Settled:    a.settled,
		Unheard:    a.arrivedAfterAll,
		Halted:     func(account, note string) { a.presence.Suspect(account, note) }, // presence is made later
		Throttling: a.throttling,

		Now:     a.store.Now,
		Chance:  a.o.Chance,
		Grace:   cfg.ShutdownGrace.Std() * 2 / 5,
		Log:     a.o.Log,
		Metrics: a.metrics,
	}
}

// addToSettlement has the act that ends a command count it for its broadcast, and
// remember what it changed of a contact.
func (a *App) addToSettlement(c *engine.Command, s *store.Settlement, taken bool) {
	s.Counts = append(s.Counts, broadcast.Tally(c, s)...)
	if taken {
		s.Learned = append(s.Learned, a.contacts.Sent(c)...)
	}
}

// resolved passes on that a person ended the doubt about a command.
func (a *App) resolved(d store.Delivery) {
	a.egress.Resolved(d)
	a.casts.Moved(d.Command)
}

// settled passes on how an attempt at a command, or the command, ended.
func (a *App) settled(c *engine.Command, s *store.Settlement, failure *channel.SendError) {
	a.casts.Settled(c, s)
	a.traceSettled(c, s)
	a.judged(c, s, failure)
	if s.Final == store.Sent || s.Progress.Phase == store.Unconfirmed {
		a.talks.Said(c, a.store.Now())
	}
}
