package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/alert"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/engine/risk"
	"bot/engine/turn"
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

// troubles is which accounts are held by their platforms, and how.
type troubles struct {
	mu sync.Mutex
	is map[string]string // kind of the alert, by account
	// doubtful are the accounts of which commands came to be in doubt.
	doubtful map[string]bool
}

// change notes what an account's trouble is now, "" for none, and returns what it was.
func (t *troubles) change(account, kind string) (before string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	before = t.is[account]
	if kind == before {
		return before
	}
	if t.is == nil {
		t.is = make(map[string]string)
	}
	if t.is[account] = kind; kind == "" {
		delete(t.is, account)
	}
	return before
}

// all are the accounts in trouble.
func (t *troubles) all() (accounts []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for account := range t.is {
		accounts = append(accounts, account)
	}
	return accounts
}

func (t *troubles) doubt(account string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.doubtful == nil {
		t.doubtful = make(map[string]bool)
	}
	t.doubtful[account] = true
}

// settled are the accounts that were doubtful, which are no more.
func (t *troubles) settled() (accounts []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for account := range t.doubtful {
		accounts = append(accounts, account)
	}
	clear(t.doubtful)
	return accounts
}

// judged takes evidence and alerts from what came of sending.
func (a *App) judged(c *engine.Command, s *store.Settlement, failure *channel.SendError) {
	phase := s.Progress.Phase
	switch {
	case failure != nil:
		a.board.Failed(c.Account, string(failure.Class), failure.Note, failure.Class == channel.Permanent)
		a.troubled(c.Account, troubleOf(failure.Class), failure.Note)
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

// troubleOf is the kind of alert of a failure that holds the account.
func troubleOf(class channel.Class) string {
	return map[channel.Class]string{channel.Unreachable: alert.Breaker, channel.Halted: alert.Halted}[class]
}

// throttling tells that a platform slows an account down: one condition, from the
// first refusal until the account may send as before, whatever succeeds between.
func (a *App) throttling(t egress.Throttling) {
	al := alert.Alert{Kind: alert.Throttled, Account: t.Account, Text: t.Note}
	switch t.Stage {
	case egress.ThrottleProbing:
		al.Text = "refused again and again, so that one request at a time tries: " + t.Note
	case egress.ThrottleOver:
		al.Over = true
	}
	a.desk.Raise(al)
}

// troubled raises an account's trouble when it begins and ends it when it is over.
// One that becomes another is over.
func (a *App) troubled(account, kind, note string) {
	before := a.trouble.change(account, kind)
	if before == kind {
		return
	}
	if before != "" {
		a.desk.Raise(alert.Alert{Kind: before, Account: account, Over: true})
	}
	if kind != "" {
		a.desk.Raise(alert.Alert{Kind: kind, Account: account, Text: note})
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

// ran ends the alert of a schedule whose run went well.
func (a *App) ran(e *engine.Event, r turn.Report) {
	if e.Kind == engine.Due && len(r.Skills) > 0 {
		a.desk.Raise(alert.Alert{Kind: alert.Schedule, Account: e.Account, Subject: e.Receiver, Over: true})
	}
}

func (a *App) raiseRisk(h risk.Hit) {
	text := fmt.Sprintf("user %s, conversation %s", h.User, h.Conversation)
	if h.More > 0 {
		text += fmt.Sprintf(", and %d more", h.More)
	}
	a.desk.Raise(alert.Alert{Kind: alert.Risk, Account: h.Account, Subject: h.Row, Text: text})
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

// TryAlerts tells a test by every way, and what each said of it.
func (a *App) TryAlerts(ctx context.Context) map[string]string { return a.desk.Try(ctx) }

// alertList is what GET /api/v1/alerts shows.
func (a *App) alertList() any {
	recent := a.desk.Recent()
	if recent == nil {
		recent = []alert.Record{}
	}
	return map[string]any{"ongoing": a.desk.Ongoing(), "recent": recent}
}

// failedStore raises the alert that the store cannot be trusted any more.
func (a *App) failedStore() {
	a.desk.Raise(alert.Alert{Kind: alert.Store, Text: cmp.Or(a.store.Err(), errors.New("unknown")).Error()})
}
