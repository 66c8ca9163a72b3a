package app

import (
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/dispatch"
	"bot/engine/recent"
	"bot/engine/turn"
)

// dispatchOptions is what events are handled with, and who is told of it.
func (a *App) dispatchOptions(cfg *config.Config) dispatch.Options {
	return dispatch.Options{
		Entries: a.queue.Entries(), Store: a.store,
		Setup:     a.setup,
		Committed: a.egress.Wake,
		Reserve:   a.egress.Reserve,
		Raised:    a.raised,
		Presence:  a.presence.Changed,
		Handled:   a.handled,
		Begun:     a.runBegun,
		Buried:    a.buried,
		Failed:    a.traceFailed,
		Contact:   a.contacts.Learn,
		Show:      a.show,
		Confirm:   a.egress.Confirm,
		Workers:   cfg.Queue.Workers, Attempts: cfg.Queue.Attempts, RetryFor: cfg.Queue.RetryFor.Std(),
		Timeout: skillTimeout, Grace: cfg.ShutdownGrace.Std() * 2 / 5,
		Now: a.store.Now, Chance: a.o.Chance, Log: a.o.Log, Metrics: a.metrics,
	}
}

// setup is what turns begin with.
func (a *App) setup() turn.Setup {
	s := a.live.Load().Setup
	s.Broadcast = a.broadcastOf
	return s
}

// handled passes on what became of an event.
func (a *App) handled(e *engine.Event, r turn.Report) {
	a.guard.Answered(e, r.Commands)
	a.personWrote(e)
	a.runDone(e, r)
	a.keep(e, r)
	a.traceHandled(e, r)
	a.talks.Heard(e)
}

// keep has a copy of a handled event kept, unless it came to nothing because its
// fact was told before: a replay would answer that a second time. That a schedule
// was due is no intake either, nor what a platform says of our own commands.
func (a *App) keep(e *engine.Event, r turn.Report) {
	if r.Outcome != turn.Void && e.Kind != engine.Due && e.Kind != engine.Confirmed {
		a.recent.Add(e, r.Kind)
	}
}

// newRecent makes the archive of what was lately taken in, for replays.
func (a *App) newRecent(cfg *config.Config) *recent.Archive {
	return recent.New(recent.Options{
		Dir: recent.Dir(cfg.Store.Path), Limits: a.replayLimits, Now: a.store.Now, Log: a.o.Log,
		Dropped: func(events int) { a.metrics.Unkept.Add(float64(events)) },
	})
}

func (a *App) replayLimits() (keep time.Duration, size int64) {
	r := &a.live.Load().Config.Replay
	return r.Keep.Std(), int64(r.MaxSize)
}

// show puts a text that is still growing where the event's answer will stand,
// on channels that can. What must not be said, or not yet, is not shown either.
func (a *App) show(e *engine.Event, text string) {
	plan := a.live.Load()
	s, ok := plan.senders[e.Account].Sender.(channel.Shower)
	if !ok || e.Ticket.Token == "" || a.egress.Held()[e.Account] != "" {
		return
	}
	if v := plan.Vet(&engine.Command{Action: engine.SendText, Text: text}); v.Refused == "" {
		s.Show(e.Ticket, v.Command.Text)
	}
}

// skillTimeout bounds a skill that sets no limit of its own.
const skillTimeout = 30 * time.Second

// raised is told of events that the engine itself put into the log.
func (a *App) raised(events int) {
	a.metrics.Raised.Add(float64(events))
	a.queue.Poke()
}
