package dispatch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"bot/engine/turn"
	"bot/store"
)

// job is one event at its turn.
type job struct {
	box      *mailbox // whose event it is; nil for a suspect
	seq      uint64
	setup    turn.Setup
	waited   bool   // it has waited as long as it had to
	parked   bool   // it was begun before, and a skill was busy
	reserved string // of that skill a run is counted in for this turn; "": none is
}

// end says how a turn ended.
type end uint8

const (
	settled end = iota // the event is out of the log
	later              // it is to be tried again after a wait
	kept               // it was cut off and stays as it was
	broken             // the store can do no more
	parked             // a skill runs as often as it may: it is to be tried again when one is over
	away               // no end: the turn waits for another system and needs no worker
	back               // no end: it does not any more
)

// result is a job done.
type result struct {
	job  job
	end  end
	wait time.Duration  // of later
	err  error          // of broken
	busy turn.BusyError // of parked
	left []string       // skills of which a run is over or not needed, and still counted in
}

// run gives one event its turn. It is the worker's part: it touches nothing
// that the owner of the mailboxes owns.
func (d *Dispatcher) run(ctx context.Context, j job) result {
	e, err := d.o.Store.Entry(j.seq)
	if err != nil {
		return d.refused(ctx, j, fmt.Errorf("read event %d: %w", j.seq, err))
	}
	if j.box == nil {
		return d.runSuspect(ctx, j, e)
	}
	if wait := e.Tries.NotBefore.Sub(d.o.Now()); wait > 0 && !j.waited {
		// Written in another life, perhaps by another clock.
		return result{job: j, end: later, wait: min(wait, d.o.RetryFor)}
	}
	tries := e.Tries
	tries.Count++
	return d.play(ctx, j, e, tries)
}

// runSuspect takes up an event that was in hand when the process died. The
// attempt is on disk before it runs, so that one that kills the process again
// is charged for it.
func (d *Dispatcher) runSuspect(ctx context.Context, j job, e store.Entry) result {
	if _, known := j.setup.Accounts[e.Event.Account]; !known {
		return result{job: j, end: later} // its mailbox will hold it
	}
	var tries store.Tries
	err := d.patiently(ctx, "charge", func() (err error) {
		tries, err = d.o.Store.Charge(ctx, e.Seq)
		return err
	})
	if err != nil {
		return d.refused(ctx, j, fmt.Errorf("charge event %d: %w", j.seq, err))
	}
	d.o.Log.Warn("event was in hand when the process died", attrs(e.Event, "attempt", tries.Count)...)
	if tries.Count > d.o.Attempts {
		return d.bury(ctx, j, e, tries, fmt.Errorf("the process died while handling it, %d times", tries.Count))
	}
	r := d.play(ctx, j, e, tries)
	if r.end == kept {
		d.refund(ctx, e)
	}
	return r
}

// refund takes back a suspect's charge: a shutdown is no attempt.
func (d *Dispatcher) refund(ctx context.Context, e store.Entry) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := d.o.Store.Fail(ctx, store.Failure{Seq: e.Seq, Tries: e.Tries}); err != nil {
		d.o.Log.Warn("attempt not taken back", attrs(e.Event, "error", err)...)
	}
}

// play plays the event; tries counts this attempt already.
func (d *Dispatcher) play(ctx context.Context, j job, e store.Entry, tries store.Tries) result {
	defer d.o.Store.Begin(e.Seq)()
	start := time.Now()
	v := &visits{d: d, job: j, reserved: j.reserved}
	r := d.played(ctx, j, e, tries, v, start)
	r.left = v.entered
	if v.reserved != "" { // it had no use for the skill any more
		r.left = append(r.left, v.reserved)
	}
	return r
}

func (d *Dispatcher) played(ctx context.Context, j job, e store.Entry, tries store.Tries, v *visits, start time.Time) result {
	if !j.parked {
		d.began(e, tries)
	}
	m := &memory{d: d}
	report, err := turn.Play(ctx, turn.Options{
		Memory:  m,
		Setup:   j.setup,
		Timeout: d.o.Timeout,
		Chance:  d.o.Chance,
		Now:     d.o.Now,
		Show:    d.o.Show,
		Contact: d.o.Contact,
		Go:      d.crew.Go,
		Enter:   v.enter,
		Confirm: d.o.Confirm,
	}, e)
	busy, isBusy := errors.AsType[*turn.BusyError](err)
	_, blamed := errors.AsType[*turn.SkillError](err)
	switch {
	case err == nil:
		d.handled(e, tries, report, m, time.Since(start))
		return result{job: j, end: settled}
	case isBusy:
		return result{job: j, end: parked, busy: *busy}
	case blamed:
		return d.failed(ctx, j, e, tries, err)
	case errors.Is(err, turn.ErrCancelled):
		return result{job: j, end: kept}
	case errors.Is(err, store.ErrGone), errors.Is(err, store.ErrFailed), errors.Is(err, store.ErrClosed):
		return d.refused(ctx, j, fmt.Errorf("handle event %d: %w", j.seq, err))
	default:
		return d.failed(ctx, j, e, tries, err)
	}
}

// failed records a failed attempt: the event waits and holds up its
// conversation, or is buried when it has had its chances.
func (d *Dispatcher) failed(ctx context.Context, j job, e store.Entry, tries store.Tries, cause error) result {
	now := d.o.Now()
	if tries.First.IsZero() {
		tries.First = now
	}
	skill := skillOf(cause)
	d.o.Metrics.Failed.WithLabelValues(e.Event.Account, skill).Inc()
	last := tries.First.Add(d.o.RetryFor)
	if tries.Count >= d.o.Attempts || !now.Before(last) {
		return d.bury(ctx, j, e, tries, cause)
	}
	wait := min(backoff(tries.Count, d.o.Chance()), last.Sub(now))
	tries.NotBefore, tries.Error = now.Add(wait), bounded(cause.Error())
	err := d.patiently(ctx, "fail", func() error {
		return d.o.Store.Fail(ctx, store.Failure{Seq: e.Seq, Tries: tries, Skill: skill})
	})
	if err != nil {
		return d.refused(ctx, j, fmt.Errorf("record failure of event %d: %w", j.seq, err))
	}
	d.logFailure(e, tries, cause, wait)
	return result{job: j, end: later, wait: wait}
}

// bury gives the event up.
func (d *Dispatcher) bury(ctx context.Context, j job, e store.Entry, tries store.Tries, cause error) result {
	tries.NotBefore, tries.Error = time.Time{}, bounded(cause.Error())
	err := d.patiently(ctx, "bury", func() error {
		return d.o.Store.Fail(ctx, store.Failure{Seq: e.Seq, Tries: tries, Skill: skillOf(cause), Bury: true})
	})
	if err != nil {
		return d.refused(ctx, j, fmt.Errorf("bury event %d: %w", j.seq, err))
	}
	d.buried(e, tries, cause)
	return result{job: j, end: settled}
}

// refused says what it means for the event that the store did not do an act.
func (d *Dispatcher) refused(ctx context.Context, j job, err error) result {
	switch {
	case errors.Is(err, store.ErrGone):
		d.stats.gone.Add(1)
		return result{job: j, end: settled}
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return result{job: j, end: kept}
	default:
		return result{job: j, end: broken, err: err}
	}
}
