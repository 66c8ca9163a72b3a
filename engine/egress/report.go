package egress

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/quota"
	"bot/store"
)

// report takes a flight back from its act and starts the next one.
func (o *owner) report(f *flight) {
	f.account.dirty = true
	switch f.stage {
	case marking:
		if f.reserved {
			o.committed(f)
			return
		}
		o.marked(f)
	case sending:
		o.answered(f)
	case settling:
		o.settled(f)
	}
}

// marked: the attempt is on disk, the request may leave.
func (o *owner) marked(f *flight) {
	a, at := f.account, o.now()
	a.marking--
	a.beside.wrote(f, at)
	switch {
	case f.err == nil && (o.stopping || a.pacer.Held(at.mono)):
		o.withdraw(f)
	case f.err == nil:
		a.queued = append(a.queued, f)
		o.launch(a, at)
	case errors.Is(f.err, store.ErrGone): // cancelled meanwhile, or its commit was refused
		a.count(f, -1)
		a.pacer.Void(at.mono, f.left, f.conversation.key, f.delivery.Command.Action)
		o.forget(a, f.delivery.ID)
		o.land(f, at)
	case errors.Is(f.err, errPutOff):
		a.count(f, -1)
		a.pacer.Unsent(f.left)
		a.add(f.conversation, f.lane, f.item, at)
		o.land(f, at)
	default:
		o.land(f, at)
		o.fail(f.err)
	}
}

// late tells whether a command's time or that of its ticket ran out, or it stopped
// being wanted, since it was chosen. What gives it up is what would have done so then.
func (o *owner) late(f *flight, at instant) bool {
	c := f.delivery.Command
	if overdue(c, f.conf.GiveUp, at.wall) != "" || closed(c, at.wall) || o.opts.Unwanted(c) != "" {
		return true
	}
	reason, ok := o.calledOff(f)
	return reason != "" || !ok
}

// launch sends what is marked while there are slots, and takes the mark of what
// came too late back.
func (o *owner) launch(a *account, at instant) {
	for len(a.queued) > 0 && a.wire < a.pacer.Parallel() {
		f := a.queued[0]
		a.queued = a.queued[1:]
		if o.vet(f); f.vetted.Refused != "" || a.arrived(f.delivery.ID) || o.late(f, at) {
			o.withdraw(f)
			continue
		}
		o.found(f)
		o.opts.Sending(f.vetted.Command)
		a.wire++
		if len(f.delivery.Progress.Tries) > 0 {
			o.opts.Metrics.Retries.WithLabelValues("send").Inc()
		}
		f.stage = sending
		o.crew.Go(func() { o.acts.send(f) })
	}
}

// withdraw takes a mark back: the request did not leave and is not going to.
func (o *owner) withdraw(f *flight) {
	f.account.pacer.Unsent(f.left)
	f.refund = true
	o.settle(f, withdrawn(f.delivery))
}

// answered: the request has ended, one way or the other.
func (o *owner) answered(f *flight) {
	a, at := f.account, o.now()
	a.wire--
	o.opts.Metrics.Send.Observe(f.took.Seconds())
	if f.failure == nil {
		o.opts.Metrics.Sent.WithLabelValues(a.name, string(f.delivery.Command.Action)).Inc()
	} else if f.failure.Class == channel.Unsure && o.acts.cut.Err() != nil {
		// We cut it off ourselves. The mark stays, and the next start decides.
		o.opts.Log.Warn("request cut off by the end of the process; its outcome is unknown", f.attrs()...)
		a.pacer.Unsent(f.left)
		o.land(f, at)
		return
	}
	f.harden()
	f.refund = f.failure != nil && f.failure.Class != channel.Unsure
	o.tell(f, at)
	s := f.verdict(at.wall, o.backoff(f))
	s.Learned = append(s.Learned, o.note(a, at)...)
	o.settle(f, s)
	if !o.stopping {
		o.regroup(a, at)
	}
}

// backoff is the wait after so many attempts at the flight's command.
func (o *owner) backoff(f *flight) func(attempts int) time.Duration {
	return func(n int) time.Duration { return backoff(f.conf.Backoff, n, o.opts.Chance) }
}

// tell lets the account's pace know what the platform said.
func (o *owner) tell(f *flight, at instant) {
	a, log := f.account, o.opts.Log
	class := channel.Class("")
	if f.failure != nil {
		class = f.failure.Class
	}
	switch class {
	case channel.Throttled:
		o.throttled(f, at)
	case channel.Unreachable:
		if held, began := o.unreachable(f, "platform unreachable: ", at); began {
			log.Warn("platform unreachable; account held", "account", a.name, "held_ms", held.Milliseconds(), "note", f.failure.Note)
		}
	case channel.Halted:
		if held, began := o.unreachable(f, "platform does not serve it: ", at); began {
			log.Error("platform serves this account no more; account held, somebody must look", "account", a.name, "held_ms", held.Milliseconds(), "note", f.failure.Note)
			o.opts.Halted(a.name, f.failure.Note)
		}
	case channel.Credential: // tried once more at once, which tells whether it is served
		a.pacer.Unsent(f.left)
	default:
		o.reached(f, at)
	}
}

// regroup gives the freed slot to what is marked, unless the account was told
// to wait: then that is taken back.
func (o *owner) regroup(a *account, at instant) {
	if !a.pacer.Held(at.mono) {
		o.launch(a, at)
		return
	}
	for _, f := range a.queued {
		o.withdraw(f)
	}
	a.queued = nil
}

// settle writes the end of an attempt, or of a command, down, and with it that
// what certainly did not go out counts for nothing.
func (o *owner) settle(f *flight, s store.Settlement) {
	if f.refund && len(f.charge) > 0 {
		s.Counts = quota.GiveBack(f.charge)
	}
	o.opts.Adds(f.delivery.Command, &s, f.taken())
	f.settlement = s
	f.stage = settling
	f.account.settling++
	f.account.beside.writes(f, o.now())
	o.crew.Go(func() { o.acts.settle(f) })
}

// taken tells whether the flight brought the news that the platform took the command:
// by its answer, or by a confirmation where there had been none.
func (f *flight) taken() bool {
	switch n := len(f.progress.Tries); {
	case f.failure != nil:
		return false
	case f.confirmation != nil:
		return n == 0 || f.progress.Tries[n-1].Class != string(store.Sent)
	}
	return f.stage == sending
}

// settled: it is on disk. What is still to be sent goes back to its place.
func (o *owner) settled(f *flight) {
	a, at := f.account, o.now()
	a.settling--
	a.beside.wrote(f, at)
	if f.err != nil && slices.ContainsFunc(f.settlement.Learned, func(n engine.Note) bool { return n.Key == paceKey }) {
		a.standing.unnoted = true // the next answer's settlement takes it along
	}
	switch {
	case f.err == nil:
		if f.refund {
			a.count(f, -1)
		}
		o.record(f)
		o.opts.Settled(f.delivery.Command, &f.settlement, f.failure)
		p := f.settlement.Progress
		if f.settlement.Final != "" {
			o.forget(a, f.delivery.ID)
		} else {
			o.await(a, store.Delivery{ID: f.delivery.ID, Command: f.delivery.Command, Progress: p}, 0, at)
		}
		if f.settlement.Final == "" && p.Phase == store.Waiting {
			f.item.ready = max(f.item.due, nanos(p.NotBefore))
			a.add(f.conversation, f.lane, f.item, at)
		}
	case errors.Is(f.err, store.ErrGone): // a person was faster
		o.forget(a, f.delivery.ID)
	case errors.Is(f.err, errPutOff):
		o.opts.Log.Warn("outcome of a request not stored; it will be in doubt", append(f.attrs(), "error", f.err)...)
	default:
		o.fail(f.err)
	}
	o.tellConfirmed(f)
	o.land(f, at)
}

// land ends a flight and lets its conversation go on.
func (o *owner) land(f *flight, at instant) {
	o.active--
	a, c := f.account, f.conversation
	a.beside.landed(f)
	a.release(c, at)
	if c.recheck && c.flights == 0 {
		o.recheck(a, c, at)
	}
	if delete(a.flying, f.delivery.ID); len(a.early) > 0 && !o.stopping {
		o.judgeEarly(a, at)
	}
}

// record counts a settled attempt and writes its line.
func (o *owner) record(f *flight) {
	s, m, name := f.settlement, o.opts.Metrics, f.account.name
	outcome, level := string(s.Final), slog.LevelWarn
	if s.Final == "" {
		outcome = string(s.Progress.Phase)
	}
	if s.Final == store.Dead {
		m.Dead.WithLabelValues(name, "command").Inc()
	}
	if s.Final == store.Cancelled {
		m.Cancelled.WithLabelValues(name).Inc()
	}
	good := s.Final == store.Sent || s.Final == store.Confirmed || s.Progress.Phase == store.Unconfirmed
	if good && f.failure == nil && !o.opts.Log.Enabled(context.Background(), slog.LevelDebug) {
		return // the line costs more than the rest of this
	}
	attrs := append(f.attrs(), "outcome", outcome)
	switch {
	case f.failure != nil:
		m.SendFailed.WithLabelValues(name, string(f.failure.Class)).Inc()
		attrs = append(attrs, "class", string(f.failure.Class), "status", f.failure.Status, "reason", s.Progress.Reason)
		if f.failure.Class == channel.Unreachable || f.failure.Class == channel.Throttled {
			level = slog.LevelDebug // one line tells of the whole account
		}
	case good:
		level = slog.LevelDebug
	case s.Final == store.Dead:
		attrs = append(attrs, "reason", s.Progress.Reason)
	case s.Final == store.Cancelled:
		level = slog.LevelInfo
		attrs = append(attrs, "reason", s.Progress.Reason)
	default:
		return // a mark taken back is no attempt
	}
	o.opts.Log.Log(context.Background(), level, "command "+outcome, attrs...)
}

// attrs names the command and the attempt in a log line.
func (f *flight) attrs() []any {
	return append(f.names(), "attempt", f.settlement.Progress.Attempts, "took_ms", f.took.Milliseconds())
}

// names names the command in a log line.
func (f *flight) names() []any {
	c := f.delivery.Command
	return []any{"task_id", c.TaskID, "trace_id", c.TraceID, "event_id", c.Origin, "skill", c.Skill,
		"account", c.Account, "conversation", c.Conversation, "action", string(c.Action)}
}
