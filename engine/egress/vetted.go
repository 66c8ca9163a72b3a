package egress

import (
	"context"
	"log/slog"

	"bot/engine"
)

// Vetted is what came of looking at what a command says.
type Vetted struct {
	// Command is what the platform gets: the one that was looked at, or a copy
	// that says it in other words. The outbox keeps the first.
	Command *engine.Command
	// Refused says why it is not sent at all, "" when it is. A command that is
	// refused is dead, and no attempt is charged to it.
	Refused string
	// Found is what was found in it, for the log, without the words themselves;
	// "" is nothing. Actions are what followed, each once.
	Found   string
	Actions []string
	Alert   bool // the line of the log is a warning
}

// vet looks at what a flight is to say. Its command was vetted before, perhaps by
// other words: those that hold when it leaves decide.
func (o *owner) vet(f *flight) { f.vetted = o.opts.Vet(f.delivery.Command) }

// found tells of what was found, once for each command however often it is tried.
func (o *owner) found(f *flight) {
	v, c := &f.vetted, f.delivery.Command
	if v.Found == "" || len(f.before()) > 0 {
		return
	}
	o.opts.Found(c, *v)
	for _, action := range v.Actions {
		o.opts.Metrics.Words.WithLabelValues(c.Account, action).Inc()
	}
	if v.Refused != "" {
		return // the line of the dead letter says so
	}
	level := slog.LevelInfo
	if v.Alert {
		level = slog.LevelWarn
	}
	o.opts.Log.Log(context.Background(), level, "words found", append(f.names(), "words", v.Found)...)
}
