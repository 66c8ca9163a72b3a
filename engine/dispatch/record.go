package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/clip"
	"bot/engine/turn"
	"bot/store"
)

// began counts the start of an attempt.
func (d *Dispatcher) began(e store.Entry, tries store.Tries) {
	d.o.Begun(e.Event)
	if tries.Count > 1 {
		d.o.Metrics.Retries.WithLabelValues("handle").Inc()
		return
	}
	d.o.Metrics.QueueWait.Observe(d.o.Now().Sub(e.Event.Received).Seconds())
}

// handled counts and logs a committed turn and passes its commands on.
func (d *Dispatcher) handled(e store.Entry, tries store.Tries, r turn.Report, remembered *memory, took time.Duration) {
	ev, m := e.Event, d.o.Metrics
	d.o.Handled(ev, r)
	remembered.passOn(len(r.Commands))
	if r.Raised > 0 {
		d.o.Raised(r.Raised)
	}
	if r.Presence != "" {
		d.o.Presence(ev.Account, r.Presence == engine.Online)
	}
	for _, c := range r.Commands {
		m.Created.WithLabelValues(c.Account, string(c.Action)).Inc()
	}
	if ev.Kind == engine.Expired {
		m.Expired.WithLabelValues(string(r.Outcome)).Inc()
	} else {
		m.Handled.WithLabelValues(ev.Account, first(r.Skills), string(r.Outcome)).Inc()
	}
	m.Handle.Observe(took.Seconds())
	if !d.o.Log.Enabled(context.Background(), slog.LevelInfo) {
		return // the line's hashes and joins cost more than the turn's own bookkeeping
	}
	d.o.Log.Info("handled", attrs(ev,
		"skill", strings.Join(r.Skills, ","), "rule", r.Why, "outcome", string(r.Outcome), "note", r.Note,
		"commands", len(r.Commands), "took_ms", took.Milliseconds(), "attempt", tries.Count)...)
}

// logFailure reports an attempt that will be followed by another.
func (d *Dispatcher) logFailure(e store.Entry, tries store.Tries, cause error, wait time.Duration) {
	d.o.Failed(e.Event, tries, wait)
	d.o.Log.Warn("attempt failed", append(failure(e, tries, cause), "retry_in_ms", wait.Milliseconds())...)
}

// buried counts and logs an event that was given up. The engine's own expiries
// are counted apart, as they are when they are handled: nobody sent them.
func (d *Dispatcher) buried(e store.Entry, tries store.Tries, cause error) {
	if ev := e.Event; ev.Kind == engine.Expired {
		d.o.Metrics.Expired.WithLabelValues("dead").Inc()
	} else {
		d.o.Metrics.Dead.WithLabelValues(ev.Account, "event").Inc()
	}
	d.o.Buried(e.Event, tries)
	d.o.Log.Error("event given up", failure(e, tries, cause)...)
}

// failure is what is said about an attempt that failed.
func failure(e store.Entry, tries store.Tries, cause error) []any {
	args := attrs(e.Event, "skill", skillOf(cause), "error", tries.Error, "attempt", tries.Count)
	if s, ok := errors.AsType[*turn.SkillError](cause); ok && s.Stack != nil {
		args = append(args, "stack", string(s.Stack))
	}
	return args
}

// attrs is what every line about an event says, and more.
func attrs(e *engine.Event, more ...any) []any {
	return append([]any{
		slog.String("event_id", e.Ref()), slog.String("msg_id", e.ID), slog.String("account", e.Account),
		slog.String("kind", string(e.Kind)), slog.String("conversation", e.Conversation), slog.String("user", e.Sender),
	}, more...)
}

// skillOf names the skill that failed, "" when it was none.
func skillOf(err error) string {
	if s, ok := errors.AsType[*turn.SkillError](err); ok {
		return s.Skill
	}
	return ""
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// errorBytes bounds the error text that is stored with an event.
const errorBytes = 1 << 10

func bounded(s string) string { return clip.Dots(s, errorBytes) }
