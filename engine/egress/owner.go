package egress

import (
	"context"
	"fmt"
	"time"

	"bot/engine"
	"bot/engine/pace"
	"bot/engine/quota"
	"bot/engine/warm"
	"bot/engine/wheel"
)

// owner is one Run: the goroutine that holds the index of all waiting commands
// and alone decides, so that nothing here has a lock. What takes time happens
// in acts; their reports, pokes and one timer are all that wakes the owner.
type owner struct {
	*Egress
	acts     *acts
	crew     *warm.Crew         // on which acts run
	endGrace context.CancelFunc // cuts off what is in flight

	cursor   uint64 // last row of the outbox that was taken in
	accounts []*account
	byName   map[string]*account
	actions  map[engine.Action]int32
	global   *pace.Global

	// Where accounts compete for the global rate: the position of the one that
	// sent last, and the lanes' turns.
	served int
	turns  turns

	asks     []asking           // to be answered after what could leave has left
	reserved map[string]*flight // whose commands' commits are being written, by task id

	wheel    *wheel.Wheel[*awaited] // when the wait for a confirmation ends
	active   int                    // flights
	held     int                    // commands that were found to be over a quota, in this step
	timer    *time.Timer
	stopping bool
	err      error // why Run ends early
}

func newOwner(ctx context.Context, e *Egress) *owner {
	cut, endGrace := context.WithCancel(context.WithoutCancel(ctx))
	return &owner{
		Egress: e,
		acts: &acts{outbox: e.opts.Outbox, log: e.opts.Log, reports: make(chan *flight, 64),
			stop: ctx, cut: cut},
		crew:     warm.NewCrew(),
		endGrace: endGrace,
		byName:   map[string]*account{},
		actions:  map[engine.Action]int32{},
		reserved: map[string]*flight{},
		global:   pace.NewGlobal(engine.Rate{}, time.Now()),
		wheel:    wheel.New[*awaited](time.Now(), confirmTick),
		timer:    time.NewTimer(time.Hour),
	}
}

func (o *owner) now() instant { return instant{wall: o.opts.Now(), mono: time.Now()} }

func (o *owner) run(ctx context.Context) error {
	defer o.endGrace()
	defer o.crew.Close()
	defer o.timer.Stop()
	defer o.leave()
	if ctx.Err() != nil {
		return nil
	}
	// Everything is taken in before anything leaves, or what stands further
	// down the outbox and is due earlier would be overtaken.
	for more := true; more && ctx.Err() == nil && o.err == nil; {
		more = o.hear()
	}
	if !o.stopping {
		o.serve(true)
	}
	stop := ctx.Done()
	var grace <-chan time.Time
	for {
		if stop != nil && ctx.Err() != nil {
			stop, grace = nil, time.After(o.opts.Grace)
			o.stop()
		}
		if !o.stopping {
			o.listen()
			o.reserveAll(o.step())
		}
		if o.stopping && o.active == 0 {
			return o.err
		}
		select {
		case f := <-o.acts.reports:
			o.report(f)
			o.reportAll()
		case <-o.poke:
			if !o.stopping && o.hear() {
				o.Wake()
			}
		case <-o.timer.C:
		case <-stop:
		case <-grace:
			o.endGrace()
		}
	}
}

// reportAll takes back what else has landed: the acts of one commit end all at
// once, and one look for what to do next is enough for them.
func (o *owner) reportAll() {
	for {
		select {
		case f := <-o.acts.reports:
			o.report(f)
		default:
			return
		}
	}
}

// stop starts nothing new. What is marked and not on the wire is taken back,
// so that it is not in doubt.
func (o *owner) stop() {
	o.stopping = true
	o.serve(false)
	for _, a := range o.accounts {
		for _, f := range a.queued {
			o.withdraw(f)
		}
		a.queued = nil
	}
}

// fail ends the run: the store cannot be trusted with another act, so nobody
// needs to wait for answers that could not be settled.
func (o *owner) fail(err error) {
	if o.err == nil {
		o.err = fmt.Errorf("run egress: %w", err)
	}
	o.stop()
	o.endGrace()
}

// step does everything that can be done now and sets the timer. all is false where it
// was too much for one step.
func (o *owner) step() (at instant, all bool) {
	at, all = o.now(), true
	o.held = 0
	o.ring(at)
	for _, a := range o.accounts {
		if !a.alarm.IsZero() && !a.alarm.After(at.mono) {
			a.dirty = true
		}
		if a.dirty && a.open {
			o.today(a, at)
			a.ripen(at)
			o.expire(a, at)
			o.timeOut(a, at)
		}
	}
	for !o.stopping {
		l, from := o.choose(at)
		if l == nil {
			break
		}
		o.begin(l, from, at)
		if o.held >= maxHeld {
			o.Wake() // after what was reported meanwhile
			all = false
			break
		}
	}
	o.setTimer(at)
	return at, all
}

func (o *owner) setTimer(at instant) {
	next, _ := o.wheel.Next()
	for _, a := range o.accounts {
		if !a.alarm.IsZero() && (next.IsZero() || a.alarm.Before(next)) {
			next = a.alarm
		}
	}
	if next.IsZero() {
		o.timer.Stop()
		return
	}
	o.timer.Reset(next.Sub(at.mono))
}

// choice is where a line was chosen from.
type choice struct {
	account *account
	offer   offer
	lanes   [engine.Lanes]bool // that other accounts could have sent from
}

// choose returns the line whose first command goes next, nil when none may go.
// Where accounts compete for the global rate, lanes count first, so that no
// account's bulk work delays another's replies, and then they take turns.
func (o *owner) choose(at instant) (*line, choice) {
	var lines [engine.Lanes]*line
	var from [engine.Lanes]choice
	var lanes [engine.Lanes]bool
	for i := range o.accounts {
		a := o.accounts[(o.served+1+i)%len(o.accounts)]
		if !a.dirty {
			continue
		}
		l, offer := a.candidate(at)
		switch {
		case l == nil:
			if a.waiting {
				o.tellHeld(a, quota.PerDay)
			}
			a.sleep(at)
		case !o.global.Limits():
			return l, choice{account: a, offer: offer}
		case !lanes[l.lane]:
			lines[l.lane], from[l.lane], lanes[l.lane] = l, choice{account: a, offer: offer}, true
		}
	}
	if lanes == [engine.Lanes]bool{} {
		return nil, choice{}
	}
	lane := o.turns.next(lanes)
	c := from[lane]
	c.lanes = lanes
	for i, a := range o.accounts {
		if a == c.account {
			o.served = i
		}
	}
	return lines[lane], c
}
