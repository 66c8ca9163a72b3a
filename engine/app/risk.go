package app

import (
	"context"
	"time"

	"bot/engine"
	"bot/engine/broadcast"
	"bot/engine/risk"
)

// newGuard makes the guard at the door and says what its verdicts do.
func (a *App) newGuard() *risk.Guard {
	began := time.Now()
	g := risk.New(risk.Options{
		Memory: a.store,
		Block: func(ctx context.Context, account, id string) error {
			return a.store.SetStanding(ctx, account, id, engine.Block)
		},
		Say:   a.sayOfRisk,
		Hit:   func(h risk.Hit) { a.metrics.RiskHits.WithLabelValues(h.Account, h.Row, h.Action).Inc() },
		Alert: a.alertOfRisk,
		Pause: a.pauseOfRisk,
		Now:   a.store.Now,
		Clock: func() time.Duration { return time.Since(began) },
		Log:   a.o.Log,
	})
	g.SetRules(a.o.Plan.risk)
	return g
}

func (a *App) alertOfRisk(h risk.Hit) {
	a.o.Log.Warn("risk: alert", "risk", h.Row, "account", h.Account, "user", h.User, "conversation", h.Conversation,
		"not_logged", h.More)
	a.raiseRisk(h)
}

// pauseOfRisk stops the broadcast that says one text to too many, or all broadcasts
// of an account that does so by other ways. Who runs into it is told in the log.
func (a *App) pauseOfRisk(c *engine.Command, h risk.Hit) {
	ids := a.casts.OfAccount(c.Account)
	if id, ok := broadcast.Of(c); ok {
		ids = []string{id}
	}
	for _, id := range ids {
		a.casts.Suspect(id, broadcast.RiskReason(h.Row))
	}
	a.o.Log.Debug("risk: pause", "risk", h.Row, "account", h.Account, "task_id", c.TaskID, "broadcasts", ids)
}

// sayOfRisk answers an event that is not taken in: as a reply, by the outbox
// like any other. The event's key makes the task id, so that a copy of the event
// says it no second time.
func (a *App) sayOfRisk(ctx context.Context, e *engine.Event, row, text string) {
	if e.Mute != "" {
		return // the platform takes nothing in answer
	}
	c := engine.Command{
		TaskID: "risk-" + e.Key().String(), TraceID: e.ID, Account: e.Account, Conversation: e.Conversation,
		Action: engine.SendText, Text: text, Lane: engine.LaneReply, Created: a.store.Now(), Ticket: e.Ticket, Skill: "risk:" + row,
	}
	cmds := []engine.Command{c}
	duplicate, err := a.store.Submit(ctx, cmds, a.live.Load().Config.Dedup.CommandWindow.Std())
	if err != nil {
		a.o.Log.Error("could not say that somebody is muted", "account", e.Account, "user", e.Sender, "risk", row, "error", err)
		return
	}
	a.submitted(cmds, duplicate)
}
