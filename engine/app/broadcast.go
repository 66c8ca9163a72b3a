package app

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/broadcast"
	"bot/engine/contacts"
	"bot/engine/metrics"
	"bot/engine/pace"
	"bot/engine/trace"
)

// newBroadcasts makes the keeper of broadcasts.
func (a *App) newBroadcasts() *broadcast.Manager {
	read := a.o.Template
	if read == nil { // an engine without skills has no templates: texts are what they say
		read = func(text string) (engine.BroadcastTemplate, error) {
			return func(engine.Recipient) (string, error) { return text, nil }, nil
		}
	}
	m := broadcast.New(broadcast.Options{
		Store: a.store, Account: a.broadcaster, Template: read, Unwanted: a.unreached, Window: func() time.Duration {
			return a.live.Load().Config.Dedup.CommandWindow.Std()
		},
		Submitted: a.submitted,
		Cancelled: a.cancelled,
		Count: func(outcome string, n int) {
			if n > 0 {
				a.metrics.Broadcast.WithLabelValues(outcome).Add(float64(n))
			}
		},
		Quota:  a.quotaShare,
		Chance: a.o.Chance, Log: a.o.Log,
	})
	a.metrics.Gauges([]metrics.Gauge{
		{Name: "broadcasts_running", Help: "Broadcasts that are being released."},
		{Name: "broadcast_recipients_left", Help: "Recipients whose turn is to come, in broadcasts that run or are paused."},
	}, func() ([]float64, error) {
		running, left := m.Running()
		return []float64{float64(running), float64(left)}, nil
	})
	return m
}

// broadcaster is an account as broadcasts know it.
func (a *App) broadcaster(name string) (broadcast.Account, bool) {
	plan := a.live.Load()
	s, ok := plan.senders[name]
	if !ok {
		return broadcast.Account{}, false
	}
	global := plan.Config.Limit.Rate
	known := plan.Setup.Accounts[name]
	return broadcast.Account{
		Location: known.Location, TextLimit: known.TextLimit, Rate: s.Limits.Rate,
		Takes: func(action engine.Action) []string { params, _ := s.Sender.Needs(action); return params },
		Pace:  func(action engine.Action) engine.Rate { return slowest(&s.Limits, global, action) },
	}, true
}

// slowest is what an account may do of an action at length: the least of its rate,
// the action's, that of all accounts together, and what the gaps between sends leave.
func slowest(l *pace.Limits, global engine.Rate, action engine.Action) (least engine.Rate) {
	rates := []engine.Rate{l.Rate, l.Actions[action].Rate, global}
	if gap := l.Gap.At(0.5); gap > 0 {
		rates = append(rates, engine.Rate{N: float64(time.Minute) / float64(gap), Per: time.Minute})
	}
	for _, r := range rates {
		if r.Per > 0 && (least.Per == 0 || r.PerSecond() < least.PerSecond()) {
			least = r
		}
	}
	return least
}

// unreached says in a word why a recipient is passed over, "" when they are not.
// What is done to a group, such as an invitation to it, is about the recipient too.
func (a *App) unreached(c *engine.Command, user string) string {
	why := a.unwanted(c)
	if why == "" && user != c.Conversation {
		them := *c
		them.Conversation = user
		why = a.unwanted(&them)
	}
	word, _, _ := strings.Cut(why, ":")
	return strings.ReplaceAll(word, " ", "_")
}

// sending is told of each command that is about to leave.
func (a *App) sending(c *engine.Command) {
	a.ear.Sent(c)
	a.guard.Said(c)
}

// cancelled is told of a waiting command that somebody took out, alone or with its
// broadcast. What is called off when it is due never comes here: egress counts that.
func (a *App) cancelled(c *engine.Command) {
	a.metrics.Cancelled.WithLabelValues(c.Account).Inc()
	a.egress.Cancelled(c.ConversationKey())
	a.casts.Gone(c)
	a.traceCommand(c, trace.Cancelled, "by hand")
}

// broadcastOf makes what a schedule broadcasts when it is due: one broadcast of one
// event, however often its turn is run.
func (a *App) broadcastOf(ctx context.Context, e *engine.Event, o engine.BroadcastOrder) (note string, err error) {
	r := broadcast.Request{
		Name: o.Name, Account: e.Account, Action: o.Action, Text: o.Text, Params: o.Params, Rate: o.Rate,
		Audience: broadcast.List(o.To), Said: "list", Start: true, By: "schedule " + e.Receiver, Event: e.Ref(), At: e.Time,
	}
	if o.Audience != "" {
		if r.Audience, err = a.audience(e.Account, o.Audience); err != nil {
			return "", err
		}
		r.Said = o.Audience
	}
	s, err := a.casts.Make(ctx, r)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("broadcast %s to %d", s.ID, s.Recipients), nil
}

// audience finds a named audience of an account.
func (a *App) audience(account, name string) (broadcast.Audience, error) {
	switch one, ok := a.live.Load().Audience(name); {
	case !ok:
		return nil, fmt.Errorf("there is no audience %q", name)
	case one.Account != account:
		return nil, fmt.Errorf("the audience %q is of account %q", name, one.Account)
	default:
		return members{a, one}, nil
	}
}

// chosen is the account's contacts that a query chooses.
func (a *App) chosen(account string, q contacts.Query) broadcast.Audience {
	return members{a, contacts.Audience{Account: account, Query: q}}
}

// members are those of an audience, as they are when they are asked for.
type members struct {
	app *App
	of  contacts.Audience
}

// Each implements broadcast.Audience.
func (m members) Each(ctx context.Context, yield func(id string) error) error {
	for id, err := range m.app.contacts.Members(m.of, m.app.store.Now()) {
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if err := yield(id); err != nil {
			return err
		}
	}
	return nil
}

// quotaShare is which part of what an account may still push today n messages take.
func (a *App) quotaShare(account string, action engine.Action, n int) (share float64, ok bool) {
	if !action.Says() {
		return 0, false
	}
	all, err := a.egress.Pushes()
	if err != nil {
		a.o.Log.Warn("the quota of a broadcast is not known", "account", account, "error", err)
		return 0, false
	}
	p, limited := all[account]
	if !limited {
		return 0, false
	}
	return float64(n) / float64(max(1, p.Left)), true
}
