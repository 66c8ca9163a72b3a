package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/alert"
	"bot/engine/api"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/engine/risk"
	"bot/store"
)

// alertSkill is whose commands alerts are. They raise none themselves.
const alertSkill = "alert"

// alertLife is how long an alert may wait to be sent to a conversation.
const alertLife = time.Hour

// alerting makes what a plan says of alerts. The conversation is added by the
// engine that sends to it.
func (p *Plan) alerting() error {
	c := &p.Config.Alert
	p.alerts = alert.Settings{
		Kinds: c.Kinds, Except: c.Except, Every: c.Every.Std(), AtMost: int(c.AtMost.N), Per: c.AtMost.Per,
		Hours: c.Times, Language: c.Language, Location: p.Config.Location(),
	}
	if !c.Webhook.IsZero() {
		address := c.Webhook.Reveal()
		client := p.client(func(string) bool { return c.WebhookPrivate })
		p.alerts.Ways = append(p.alerts.Ways, alert.NewWebhook(address, cmp.Or(c.Format, alert.GuessFormat(address)), client))
	}
	for i := range p.Config.Accounts {
		if a := &p.Config.Accounts[i]; a.Name == c.To.Account && !p.can(a.Name, engine.SendText) {
			return a.Errorf("", "alert.to: its channel sends no texts")
		}
	}
	return nil
}

// newDesk makes the desk at which alerts are told.
func (a *App) newDesk() *alert.Desk {
	return alert.New(alert.Options{
		Settings: a.alertSettings,
		Counted:  func(kind, outcome string) { a.metrics.Alerts.WithLabelValues(kind, outcome).Inc() },
		Log:      a.o.Log,
	})
}

func (a *App) alertSettings() alert.Settings {
	plan := a.live.Load()
	s := plan.alerts
	if to := plan.Config.Alert.To; to.Account != "" {
		s.Ways = append(s.Ways[:len(s.Ways):len(s.Ways)], &staffRoom{a, to})
	}
	return s
}

// staffRoom is a conversation that is told of alerts, through the outbox. The lane
// of replies takes them past whatever bulk the account has to send.
type staffRoom struct {
	app *App
	to  config.AlertTo
}

// Name is "conversation".
func (r *staffRoom) Name() string { return "conversation" }

// Tell hands the message to the outbox, unless its account sends nothing now.
func (r *staffRoom) Tell(ctx context.Context, m *alert.Message) error {
	a := r.app
	if why := a.egress.Held()[r.to.Account]; why != "" {
		return fmt.Errorf("account %q sends nothing: %s", r.to.Account, why)
	}
	now := a.store.Now()
	id := "alert-" + strconv.FormatInt(now.UnixNano(), 10)
	cmds := []engine.Command{{
		TaskID: id, TraceID: id, Account: r.to.Account, Conversation: r.to.To, Action: engine.SendText,
		Text: m.Render(a.textLimit(r.to.Account)), Lane: engine.LaneReply, Created: now, Deadline: now.Add(alertLife), Skill: alertSkill,
	}}
	duplicate, err := a.store.Submit(ctx, cmds, a.live.Load().Config.Dedup.CommandWindow.Std())
	if err != nil {
		return err
	}
	a.submitted(cmds, duplicate)
	return nil
}

// shortText is what every platform takes.
const shortText = 2000

func (a *App) textLimit(account string) int {
	if limit := a.live.Load().Setup.Accounts[account].TextLimit; limit > 0 {
		return limit
	}
	return shortText
}

// judged takes evidence and alerts from what came of sending.
func (a *App) judged(c *engine.Command, s *store.Settlement, failure *channel.SendError) {
	phase := s.Progress.Phase
	switch {
	case failure != nil:
		a.board.Failed(c.Account, string(failure.Class), failure.Note, failure.Class == channel.Permanent)
		// That it failed otherwise ends no trouble: perhaps nobody answered, or the
		// request had left before. Whether sending goes on is asked (restsOver).
		if kind := troubleOf(failure.Class); kind != "" {
			a.troubled(c.Account, kind, failure.Note)
		}
	case s.Final == store.Sent, s.Final == "" && phase == store.Unconfirmed:
		a.board.Sent(c.Account)
		a.troubled(c.Account, "", "")
	}
	if c.Skill == alertSkill {
		return // the log says so; an alert of an alert would go round in circles
	}
	about := fmt.Sprintf("%s → %s: %s", c.Action, c.Conversation, s.Progress.Reason)
	switch {
	case s.Final == store.Dead:
		a.desk.Raise(alert.Alert{Kind: alert.DeadLetter, Account: c.Account, Subject: reasonClass(s, failure), Text: about})
	case s.Final == "" && phase == store.InDoubt:
		a.trouble.doubt(c.Account)
		a.desk.Raise(alert.Alert{Kind: alert.InDoubt, Account: c.Account, Text: about})
	}
}

// reasonClass sorts dead letters, so that a message names each sort once.
func reasonClass(s *store.Settlement, failure *channel.SendError) string {
	switch reason := s.Progress.Reason; {
	case failure != nil:
		return string(failure.Class)
	case strings.HasPrefix(reason, "words:"):
		return "words"
	case strings.HasPrefix(reason, "not sent "):
		return "late"
	}
	return "refused"
}

// foundWords raises an alert for listed words that ask for one.
func (a *App) foundWords(c *engine.Command, v egress.Vetted) {
	if v.Alert && v.Refused == "" && c.Skill != alertSkill {
		a.desk.Raise(alert.Alert{Kind: alert.Words, Account: c.Account, Text: fmt.Sprintf("%s → %s: %s", c.Action, c.Conversation, v.Found)})
	}
}

// unhandled raises an alert for an event that was given up.
func (a *App) unhandled(e *engine.Event, tries store.Tries) {
	if e.Kind == engine.Due {
		a.desk.Raise(alert.Alert{Kind: alert.Schedule, Account: e.Account, Subject: e.Receiver, Text: tries.Error})
		return
	}
	a.desk.Raise(alert.Alert{Kind: alert.DeadLetter, Account: e.Account, Subject: "event",
		Text: fmt.Sprintf("%s, %s: %s", e.Kind, e.Conversation, tries.Error)})
}

func (a *App) raiseRisk(h risk.Hit) {
	text := fmt.Sprintf("user %s, conversation %s", h.User, h.Conversation)
	if h.More > 0 {
		text += fmt.Sprintf(", and %d more", h.More)
	}
	a.desk.Raise(alert.Alert{Kind: alert.Risk, Account: h.Account, Subject: h.Row, Text: text})
}

// TryAlerts tells a test by every way, and what each said of it.
func (a *App) TryAlerts(ctx context.Context) map[string]string { return a.desk.Try(ctx) }

// alertList is what GET /api/v1/alerts shows. No address is in it: whoever knows
// that of a webhook can post there.
func (a *App) alertList() api.Alerts {
	all := api.Alerts{Ongoing: a.desk.Ongoing(), Recent: a.desk.Recent(), Ways: []api.AlertWay{}}
	if all.Recent == nil {
		all.Recent = []alert.Record{}
	}
	for _, w := range a.alertSettings().Ways {
		way := api.AlertWay{Name: w.Name()}
		switch w := w.(type) {
		case *alert.Webhook:
			way.Format = w.Format()
		case *staffRoom:
			way.Account, way.To = w.to.Account, w.to.To
		}
		all.Ways = append(all.Ways, way)
	}
	return all
}

// failedStore raises the alert that the store cannot be trusted any more.
func (a *App) failedStore() {
	a.desk.Raise(alert.Alert{Kind: alert.Store, Text: cmp.Or(a.store.Err(), errors.New("unknown")).Error()})
}
