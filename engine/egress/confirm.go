package egress

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"bot/engine/channel"
	"bot/store"
)

const (
	// confirmWithin is how long a confirmation is waited for by default.
	confirmWithin = 5 * time.Second
	// confirmGrace is how long, at least, a Run waits for one that was due before
	// it began: it may wait in the log, and its platform may call again.
	confirmGrace = 5 * time.Second
	// confirmTick is how exactly that is kept.
	confirmTick = 10 * time.Millisecond
)

// The outcomes of confirmations, as they are counted.
const (
	confirmedInTime = "confirmed"
	confirmedFailed = "failed"
	confirmedLate   = "late" // when it was in doubt already, or to be sent again
	confirmTimeout  = "timeout"
	confirmUnknown  = "unknown" // of a command that waits for none (any more)
)

// confirmation is what a platform says of a command, on its way to the disk.
type confirmation struct {
	account, key string
	ok           bool
	note         string
	done         chan error // holds one
	takeoffs     uint64     // of its account when it was told
}

// Confirm tells what an account's platform says of the command that it knows by
// the key: that it carried it out, or that it did not and why. It returns when
// that is on disk, and nil for a key that no command waits for (any more): a
// confirmation may be told twice. One that is ahead of the answer to its request
// waits for that, and all for the first Run; when the last one is over they fail as
// it did. ctx bounds the wait only.
func (e *Egress) Confirm(ctx context.Context, account, key string, ok bool, note string) error {
	c := &confirmation{account: account, key: key, ok: ok, note: note, done: make(chan error, 1)}
	e.mu.Lock()
	over := e.over
	if over == nil {
		e.confirmed = append(e.confirmed, c)
	}
	e.mu.Unlock()
	if over != nil {
		return over
	}
	e.Wake()
	select {
	case err := <-c.done:
		if errors.Is(err, errUnheard) {
			return e.unheard(ctx, c)
		}
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// errUnheard ends a confirmation that no command waits for.
var errUnheard = errors.New("no command waits for it")

// unheard looks whether a confirmation that no command waits for is of one that was
// given up, and counts it.
func (e *Egress) unheard(ctx context.Context, c *confirmation) error {
	outcome := confirmUnknown
	if c.ok {
		known, err := e.opts.Unheard(ctx, c.account, c.key, c.note)
		if err != nil {
			return err
		}
		if known {
			outcome = confirmedLate
		}
	}
	e.opts.Metrics.Confirmations.WithLabelValues(c.account, outcome).Inc()
	if outcome == confirmUnknown {
		e.opts.Log.Debug("confirmation of a command that waits for none", "account", c.account, "key", c.key)
	}
	return nil
}

// Resolved tells that a person ended the doubt about a command, which was d. What
// is to be sent again stands in the outbox anew.
func (e *Egress) Resolved(d store.Delivery) {
	e.mu.Lock()
	e.resolved = append(e.resolved, d)
	e.mu.Unlock()
	e.Wake()
}

// Unconfirmed counts the commands that were sent and wait for their platform to
// confirm them, by account.
func (e *Egress) Unconfirmed() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.unconfirmed)
}

func (e *Egress) countUnconfirmed(account string, add int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.unconfirmed[account] += add; e.unconfirmed[account] == 0 {
		delete(e.unconfirmed, account)
	}
}

// listen takes in what was told of confirmations and of doubts that ended.
func (o *owner) listen() {
	o.mu.Lock()
	told, resolved := o.confirmed, o.resolved
	o.confirmed, o.resolved = nil, nil
	o.mu.Unlock()
	for _, d := range resolved {
		if a := o.byName[d.Command.Account]; a != nil {
			o.forget(a, d.ID)
		}
	}
	if len(told) == 0 {
		return
	}
	at := o.now()
	for _, c := range told {
		a := o.account(c.account, at)
		c.takeoffs = a.takeoffs
		o.judge(a, c, at)
	}
}

// judge says what comes of a confirmation: it ends a command, or waits until that
// is not in hand any more, or means nothing.
func (o *owner) judge(a *account, c *confirmation, at instant) {
	w := a.byKey[c.key]
	switch {
	case !a.open || w != nil && a.flying[w.id] > 0 || w == nil && a.flew(c.takeoffs):
		a.early = append(a.early, c)
	case w == nil:
		c.done <- errUnheard
	default:
		o.conclude(a, w, c, at)
	}
}

// judgeEarly judges again what had to wait.
func (o *owner) judgeEarly(a *account, at instant) {
	early := a.early
	a.early = nil
	for _, c := range early {
		o.judge(a, c, at)
	}
}

// conclude writes down what the platform says of a command that is not in hand.
func (o *owner) conclude(a *account, w *awaited, c *confirmation, at instant) {
	d, ok := o.look(w)
	switch {
	case o.err != nil:
		a.early = append(a.early, c)
		return
	case !ok:
		c.done <- errUnheard
		return
	}
	if !c.ok && d.Progress.Phase == store.Waiting { // what follows from it has been decided
		o.opts.Metrics.Confirmations.WithLabelValues(a.name, confirmedFailed).Inc()
		c.done <- nil
		return
	}
	f := o.resume(a, d, at)
	f.confirmation, f.progress = c, d.Progress
	// Where it is to be sent again its place in the line is void, or another's.
	f.conversation.recheck = f.conversation.recheck || d.Progress.Phase == store.Waiting
	outcome := confirmedInTime
	if d.Progress.Phase != store.Unconfirmed {
		outcome = confirmedLate
	}
	if c.ok {
		f.told = outcome
		o.settle(f, confirmed(d, c.note))
		return
	}
	f.told = confirmedFailed // its key stays: a platform that tries by itself may yet say that it went
	f.failure = &channel.SendError{Class: channel.Transient, Note: cmp.Or(c.note, "the platform says that it failed")}
	o.settle(f, f.verdict(at.wall, o.backoff(f)))
}

// confirmed settles a command that its platform has carried out.
func confirmed(d store.Delivery, note string) store.Settlement {
	p := d.Progress
	p.Awaits, p.AwaitsUntil, p.Reason = "", time.Time{}, ""
	if n := len(p.Tries); n > 0 {
		p.Tries = slices.Clone(p.Tries)
		last := &p.Tries[n-1]
		last.Class, last.Note = string(store.Confirmed), cmp.Or(note, last.Note)
	}
	return store.Settlement{ID: d.ID, Final: store.Confirmed, Progress: p}
}

// ring notes which waits are over.
func (o *owner) ring(at instant) {
	for _, w := range o.wheel.Advance(at.mono) {
		w.account.overdue = append(w.account.overdue, w)
		w.account.dirty = true
	}
}

// timeOut puts commands in doubt whose platform did not confirm them in time.
// What follows is what follows from any doubt, but for the wait.
func (o *owner) timeOut(a *account, at instant) {
	for len(a.overdue) > 0 && a.settling < maxSettling && !o.stopping {
		w := a.overdue[0]
		a.overdue = a.overdue[1:]
		if a.byID[w.id] != w || a.flying[w.id] > 0 { // it was confirmed, or is about to be
			continue
		}
		d, ok := o.look(w)
		if !ok {
			continue
		}
		f := o.resume(a, d, at)
		f.progress, f.told = d.Progress, confirmTimeout
		f.failure = &channel.SendError{Class: channel.Unsure, Note: "not confirmed within " + a.conf.ConfirmWithin.String()}
		o.settle(f, f.verdict(at.wall, o.backoff(f)))
	}
	if len(a.overdue) == 0 {
		a.overdue = nil
	}
}

// look reads a command that may be confirmed; false where it is not there any more.
func (o *owner) look(w *awaited) (store.Delivery, bool) {
	d, err := o.opts.Outbox.Delivery(w.id)
	switch {
	case err == nil:
		return d, true
	case errors.Is(err, store.ErrFailed), errors.Is(err, store.ErrClosed):
		o.fail(err)
		return d, false
	case !errors.Is(err, store.ErrGone):
		o.opts.Log.Error("command cannot be read; it stays in the outbox unconfirmed", "account", w.account.name, "row", w.id, "error", err)
	}
	o.forget(w.account, w.id)
	return d, false
}

// tellConfirmed ends the confirmation that a flight was for, and counts it.
func (o *owner) tellConfirmed(f *flight) {
	if f.told != "" && f.err == nil {
		o.opts.Metrics.Confirmations.WithLabelValues(f.account.name, f.told).Inc()
	}
	switch c := f.confirmation; {
	case c == nil:
	case f.err == nil:
		c.done <- nil
	case errors.Is(f.err, store.ErrGone): // a person was faster
		c.done <- errUnheard
	default:
		c.done <- fmt.Errorf("confirm command %s: %w", f.delivery.Command.TaskID, f.err)
	}
}

// errOver ends confirmations that are told when nobody listens any more.
var errOver = errors.New("confirm command: sending has ended")

// leave ends the confirmations that were told and not settled: nobody is to wait
// for them longer than for the run itself.
func (o *owner) leave() {
	o.mu.Lock()
	defer o.mu.Unlock()
	left := o.confirmed
	for _, a := range o.accounts {
		left = append(left, a.early...)
	}
	o.confirmed, o.over = nil, cmp.Or(o.err, errOver)
	for _, c := range left {
		c.done <- o.over
	}
}
