package egress

import (
	"errors"

	"bot/engine"
	"bot/store"
)

// callOff says what called a command off, which is what the note says that it names;
// "" for nothing. It is safe for concurrent use.
func (e *Egress) callOff(c *engine.Command) (reason string, err error) {
	if c.Unless == "" {
		return "", nil
	}
	return e.opts.Recall(c.Account, c.Unless)
}

// calledOff says why the flight's command is to be cancelled, "" while it is to go. It
// is asked when Options.Unwanted is. ok is false when that cannot be told: to send it then could be to send what
// nobody wants any more, so that it stays where it is.
func (o *owner) calledOff(f *flight) (reason string, ok bool) {
	reason, err := o.callOff(f.delivery.Command)
	switch {
	case err == nil:
		return reason, true
	case errors.Is(err, store.ErrFailed) || errors.Is(err, store.ErrClosed):
		o.fail(err)
	default:
		o.opts.Log.Error("whether a command was called off cannot be read; it stays in the outbox unsent",
			append(f.names(), "error", err)...)
	}
	return "", false
}

// cancelled settles a command that was called off.
func cancelled(d store.Delivery, reason string) store.Settlement {
	s := buried(d, reason)
	s.Final = store.Cancelled
	return s
}
