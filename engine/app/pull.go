package app

import (
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/ingress"
	"bot/engine/pull"
)

// newPorter answers the doorbells. What it fetches meets the same conditions
// and the same counters as what is called in.
func (a *App) newPorter() *pull.Porter {
	return pull.New(pull.Options{
		Store: a.store, Pullers: a.pullers, Poke: a.queue.Poke,
		Window: func(account string) time.Duration { return a.live.Load().policies[account].Window },
		Admit: func(e *engine.Event) string {
			p := a.live.Load().policies[e.Account]
			// As at the door, what is known is not judged again: it will be found a
			// duplicate. Should the look-up fail, the store will say so as well.
			if seen, err := a.store.Seen(e.Key(), p.Window); seen && err == nil {
				return ""
			}
			return p.Unwelcome(e, a.store.Now(), a.admit)
		},
		Refused: a.turnedAway, Logged: a.tookIn,
		MaxCommitWait: func() time.Duration { return a.live.Load().Config.Queue.MaxCommitWait.Std() },
		Now:           a.store.Now, Chance: a.o.Chance, Log: a.o.Log,
	})
}

// turnedAway and tookIn account for an event that came in by another way than the
// platforms' door.
func (a *App) turnedAway(e *engine.Event, reason string) {
	a.metrics.Received.WithLabelValues(e.Account).Inc()
	a.metrics.Refused.WithLabelValues(e.Account, reason).Inc()
	a.traceIntake(e, ingress.Refused, reason)
}

func (a *App) tookIn(e *engine.Event, duplicate bool) {
	a.metrics.Received.WithLabelValues(e.Account).Inc()
	if duplicate {
		a.metrics.Duplicate.WithLabelValues(e.Account).Inc()
		a.traceIntake(e, ingress.Duplicate, "")
		return
	}
	a.metrics.Queued.WithLabelValues(e.Account, string(e.Kind)).Inc()
	a.traceIntake(e, ingress.Queued, "")
}

func (a *App) pullers() map[string]channel.Puller {
	all := make(map[string]channel.Puller)
	for name, s := range a.live.Load().senders {
		if p, ok := s.Sender.(channel.Puller); ok {
			all[name] = p
		}
	}
	return all
}
