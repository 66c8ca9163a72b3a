package egress

import (
	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// End is what came of an attempt at a command, or of a command that was given up
// without one. It is on disk.
type End struct {
	Command *engine.Command
	Sent    bool          // the platform took it
	Final   store.Final   // "" where it stays in the outbox
	Phase   store.Phase   // of one that stays
	Class   channel.Class // of the failed attempt, "" where none failed
	Note    string        // the platform's words of that
	Reason  string        // of a command that is dead or in doubt
}

// ended passes on what a flight came to. A mark that was taken back is nothing.
func (o *owner) ended(f *flight) {
	s := f.settlement
	end := End{Command: f.delivery.Command, Final: s.Final, Phase: s.Progress.Phase, Reason: s.Progress.Reason}
	switch {
	case f.failure != nil:
		end.Class, end.Note = f.failure.Class, f.failure.Note
	case s.Final == store.Sent || s.Final == "" && s.Progress.Phase == store.Unconfirmed:
		end.Sent = true
	case s.Final == store.Dead || s.Final == "" && s.Progress.Phase == store.InDoubt:
	default:
		return
	}
	o.opts.Ended(end)
}
