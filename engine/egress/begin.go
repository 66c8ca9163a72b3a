package egress

import (
	"cmp"
	"errors"

	"bot/engine"
	"bot/engine/quota"
	"bot/store"
)

// begin marks the line's first command, cancels it if it was called off, or gives
// it up if it comes too late for its ticket, is not wanted any more or says what
// must not be said, or puts it back if it is over a quota. Its time has not run
// out, or expire would have taken it a moment ago.
func (o *owner) begin(l *line, from choice, at instant) {
	a := from.account
	f := o.fetch(a, l, at)
	if f == nil {
		return
	}
	if reason, ok := o.calledOff(f); !ok {
		o.active--
		a.release(f.conversation, at)
		return
	} else if reason != "" {
		o.settle(f, cancelled(f.delivery, reason))
		return
	}
	if !o.inTime(f, at) {
		return
	}
	if reason := o.opts.Unwanted(f.delivery.Command); reason != "" {
		o.settle(f, buried(f.delivery, reason))
		return
	}
	if o.vet(f); f.vetted.Refused != "" {
		o.found(f)
		o.settle(f, buried(f.delivery, f.vetted.Refused))
		return
	}
	if !o.allow(f, at) {
		return
	}
	o.chose(f, from, at)
	o.crew.Go(func() { o.acts.mark(f) })
}

// chose takes the pace and the turn for a flight, and says how its attempt is to be marked.
func (o *owner) chose(f *flight, from choice, at instant) {
	a := from.account
	a.took(f, from.offer, at)
	o.turns.took(f.lane, from.lanes)
	f.progress = marked(f.delivery.Progress, at.wall)
	f.progress.Awaits = cmp.Or(f.awaits(""), f.progress.Awaits)
	f.progress.Reason = f.late
	f.stage = marking
	a.marking++
}

// expire gives up the first commands whose time has run out, whatever it is
// that holds them.
func (o *owner) expire(a *account, at instant) {
	for a.settling < maxSettling && !o.stopping {
		l := a.expired(at)
		if l == nil {
			return
		}
		over := l.over
		if a.waiting && over == quota.None && l.lane != engine.LaneReply {
			over = quota.PerDay
		}
		if f := o.fetch(a, l, at); f != nil {
			reason := overdue(f.delivery.Command, a.conf.GiveUp, at.wall)
			if over != quota.None {
				reason += "; " + a.conf.Quota.Says(over)
			}
			s := buried(f.delivery, reason)
			if off, ok := o.calledOff(f); ok && off != "" {
				s = cancelled(f.delivery, off)
			}
			o.settle(f, s)
		}
	}
}

// fetch takes a line's first command and reads it. It returns nil when that is
// not in the outbox any more, or does not wait there: then it is in other hands,
// and to send it could be to send it twice.
func (o *owner) fetch(a *account, l *line, at instant) *flight {
	c, lane := l.conversation, l.lane
	it := a.take(l)
	d, err := o.opts.Outbox.Delivery(it.id)
	switch {
	case err == nil && d.Progress.Phase == store.Waiting:
		o.active++
		f := &flight{account: a, conf: a.conf, conversation: c, lane: lane, item: it, delivery: d}
		a.takeOff(d.ID)
		return f
	case err == nil:
	case errors.Is(err, store.ErrGone):
		o.forget(a, it.id)
	case errors.Is(err, store.ErrFailed) || errors.Is(err, store.ErrClosed):
		o.fail(err)
	default:
		// One row that cannot be read must not stop all others.
		o.opts.Log.Error("command cannot be read; it stays in the outbox unsent",
			"account", a.name, "conversation", c.key, "row", it.id, "error", err)
	}
	a.release(c, at)
	return nil
}
