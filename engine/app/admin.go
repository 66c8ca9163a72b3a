package app

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/broadcast"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/engine/health"
	"bot/engine/metrics"
	"bot/engine/risk"
	"bot/engine/trace"
	"bot/store"
)

func (a *App) adminHandler(cfg *config.Config) http.Handler {
	return a.faces(api.Options{
		Token:   cfg.Admin.Token.Reveal(),
		Letters: a.store,
		Metrics: promhttp.HandlerFor(a.metrics.Registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError}),
		Ready:   a.readiness,
		Reload:  a.Reload,
		Backup:  a.copier(),
		Status:  a.status,
		Replayed: func(l store.Letter) {
			a.traceReplayed(l)
			if l.Event != nil {
				a.metrics.Replayed.Inc()
				a.queue.Poke()
			} else {
				a.casts.Moved(l.Command)
				a.egress.Wake()
			}
		},
		Revived:   broadcast.Revived,
		Outbox:    a.store,
		Waits:     a.egress.Waits,
		Contacts:  a.store,
		Mutes:     a.guard,
		Directory: a.contacts,
		Audiences: a.allAudiences,
		Needs: func(account string, action engine.Action) (params []string, known, able bool) {
			s, known := a.live.Load().senders[account]
			if !known {
				return nil, false, false
			}
			params, able = s.Sender.Needs(action)
			return params, true, able
		},
		CommandWindow: func() time.Duration { return a.live.Load().Config.Dedup.CommandWindow.Std() },
		Submitted:     a.submitted,
		Pause:         a.pause,
		Release:       a.release,
		Schedules:     a.schedules,
		RunSchedule:   a.runSchedule,
		Trace:         a.trace.Find,
		Resolved:      a.resolved,
		Arrived:       a.contacts.Sent,
		Alerts:        a.alertList,
		TryAlerts:     a.TryAlerts,
		Cancelled:     a.cancelled,
		Broadcasts:    a.casts,
		Audience:      a.audience,
		Chosen:        a.chosen,
		Now:           a.store.Now,
		Log:           a.o.Log,
	})
}

// copier copies the store while it is in use, nil where it cannot do that.
func (a *App) copier() func(ctx context.Context, begin func(bytes int64) io.Writer) error {
	if c, ok := a.store.(store.Copier); ok {
		return c.Copy
	}
	return nil
}

func (a *App) submitted(cmds []engine.Command, duplicate []bool) {
	for i, c := range cmds {
		if duplicate[i] {
			a.metrics.CommandDup.WithLabelValues(c.Account).Inc()
			a.traceCommand(&c, trace.Duplicate, "the task id is known")
			continue
		}
		a.traceCommand(&c, trace.Command, said(&c))
		a.metrics.Created.WithLabelValues(c.Account, string(c.Action)).Inc()
	}
	a.egress.Wake()
}

func (a *App) readiness() error {
	if !a.ready.Load() {
		return errors.New("the engine is starting or stopping")
	}
	return a.store.Err()
}

// Status is what GET /api/v1/status shows.
type Status struct {
	Version    string       `json:"version"`
	Generation int64        `json:"generation"`
	Ready      bool         `json:"ready"`
	Accounts   []health.Row `json:"accounts"`
	// Restored is when the backup was made that the store comes from, while any
	// account may still be held for that.
	Restored string `json:"restored,omitempty"`
	// Held says why accounts send nothing, by their names.
	Held map[string]string `json:"held"`
	// Pace says how fast accounts may send and whose limit they wait for.
	Pace map[string]egress.Pace `json:"pace"`
	// Pushes is what accounts with a daily limit pushed today, by their names.
	Pushes     map[string]egress.Pushes `json:"pushes"`
	Skills     int                      `json:"skills"`
	Events     int                      `json:"events_waiting"`
	Commands   int                      `json:"commands_waiting"`
	InDoubt    int                      `json:"commands_in_doubt"`
	Dead       int                      `json:"dead_letters"`
	Oldest     time.Time                `json:"oldest_event,omitzero"`
	DedupKeys  int                      `json:"dedup_keys"`
	StoreBytes int64                    `json:"store_bytes"`
	FreeBytes  int64                    `json:"store_free_bytes"`
	// Risk is the rows of the matrix and who is muted.
	Risk risk.Status `json:"risk"`
	// Unconfirmed are the commands that were sent and are still to be confirmed by
	// their platform, by account; accounts without any are left out.
	Unconfirmed map[string]int `json:"commands_unconfirmed"`
}

// shownMuted is how many of those muted the status shows.
const shownMuted = 100

func (a *App) status() (any, error) {
	s, err := a.store.Stats()
	if err != nil {
		return nil, err
	}
	pushes, err := a.egress.Pushes()
	if err != nil {
		return nil, err
	}
	restored, err := a.restored()
	if err != nil {
		return nil, err
	}
	plan := a.live.Load()
	return Status{
		Restored: restored,
		Version:  a.o.Version, Generation: a.generation.Load(), Ready: a.readiness() == nil,
		Accounts: a.accountsHealth(), Held: a.egress.Held(), Pace: a.egress.Paces(), Pushes: pushes, Skills: plan.Skills.Len(),
		Events: s.Events, Commands: s.Commands, InDoubt: s.InDoubt, Dead: s.Letters, Oldest: s.OldestEvent,
		DedupKeys: s.DedupKeys, StoreBytes: s.FileBytes, FreeBytes: s.FreeBytes,
		Risk: a.guard.Status("", shownMuted), Unconfirmed: a.egress.Unconfirmed(),
	}, nil
}

func (a *App) gauges() {
	a.metrics.Gauges([]metrics.Gauge{
		{Name: "backlog_events", Help: "Events waiting in the log, running ones included."},
		{Name: "backlog_commands", Help: "Commands in the outbox."},
		{Name: "commands_in_doubt", Help: "Commands of which nobody knows whether they went out."},
		{Name: "commands_unconfirmed", Help: "Commands that were sent and are still to be confirmed by their platform."},
		{Name: "dead_letters", Help: "Events and commands that were given up and wait for a person."},
		{Name: "dedup_keys", Help: "Ids remembered within the dedup window."},
		{Name: "store_bytes", Help: "Size of the store's file."},
		{Name: "store_free_bytes", Help: "Unused bytes within the store's file."},
		{Name: "oldest_event_seconds", Help: "Age of the first event in the log."},
		{Name: "mailbox_events", Help: "Events of the log that have been given a place in a mailbox."},
		{Name: "mailboxes", Help: "Conversations with events that wait."},
		{Name: "turns_running", Help: "Events being handled now."},
	}, func() ([]float64, error) {
		s, err := a.store.Stats()
		if err != nil {
			return nil, err
		}
		age := 0.0
		if !s.OldestEvent.IsZero() {
			age = max(0, a.store.Now().Sub(s.OldestEvent).Seconds())
		}
		unconfirmed := 0
		for _, n := range a.egress.Unconfirmed() {
			unconfirmed += n
		}
		d := a.dispatch.Stats()
		return []float64{
			float64(s.Events), float64(s.Commands), float64(s.InDoubt), float64(unconfirmed), float64(s.Letters),
			float64(s.DedupKeys), float64(s.FileBytes), float64(s.FreeBytes), age,
			float64(d.Waiting), float64(d.Conversations), float64(d.Running),
		}, nil
	})
}
