package broadcast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"bot/engine"
	"bot/store"
)

const (
	// tick is the least time between two steps of a broadcast: what becomes due
	// meanwhile goes into one act.
	tick = 100 * time.Millisecond
	// slack is how much of a delay is made up for; after a longer one the rate
	// begins anew, so that there is no burst.
	slack = time.Second
	// verifyEvery is how often it is asked what still waits, should a report have
	// been missed.
	verifyEvery = 10 * time.Second
	// sweepEvery is how often ended ones are looked through, keep how long they stay.
	sweepEvery = time.Hour
	keep       = 30 * 24 * time.Hour
	// fullPause is the time between two tries at a store without room.
	fullPause = time.Second
	maxStep   = 500  // commands of one act
	maxLook   = 5000 // recipients that are looked at for one act
	idle      = time.Minute
)

// line is where the release of a broadcast stands in time. It begins anew with
// each process and each resumption.
type line struct {
	fill  *fill
	begun bool
	since time.Time // when the 0th of count was due
	count int       // released since
	chunk int       // the number of the text
	text  string    // of the chunk that is read, "" for none
	check time.Time // when the outbox was verified last
	next  time.Time // not before
	full  bool      // the store had no room the last time
}

// due is when the k-th recipient after since has their turn.
func (l *line) due(k int, perSecond float64) time.Time {
	return l.since.Add(time.Duration(math.Ceil(float64(k) / perSecond * float64(time.Second))))
}

// begin has the rate begin anew.
func (l *line) begin(now time.Time) { l.begun, l.since, l.count = true, now, 0 }

// Run releases what runs until ctx is done. It returns early only when the store
// cannot be trusted with another act.
func (m *Manager) Run(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var swept time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-m.poke:
		case <-timer.C:
		}
		now := time.Now()
		if now.Sub(swept) >= sweepEvery {
			swept = now
			m.sweep(ctx)
		}
		next := now.Add(idle)
		for _, e := range m.all() {
			at, err := m.step(ctx, e, now)
			switch {
			case ctx.Err() != nil:
				return nil
			case errors.Is(err, store.ErrFailed) || errors.Is(err, store.ErrClosed):
				return fmt.Errorf("release broadcasts: %w", err)
			case err != nil:
				m.o.Log.Error("broadcast not released; trying again", "broadcast", e.b.ID, "error", err)
				e.line.next = now.Add(fullPause)
				at = e.line.next
			}
			if !at.IsZero() && at.Before(next) {
				next = at
			}
		}
		timer.Reset(max(time.Until(next), 0))
	}
}

// step does what can be done of a broadcast now and returns when to come again;
// zero: when poked.
func (m *Manager) step(ctx context.Context, e *entry, now time.Time) (time.Time, error) {
	l := &e.line
	b := m.snapshot(e)
	if b.State != Running {
		*l = line{}
		return time.Time{}, nil
	}
	if _, known := m.o.Account(b.Account); known && m.suspicion(e) == "" && now.Before(l.next) {
		return l.next, nil
	}
	e.acting.Lock()
	defer e.acting.Unlock()
	if e.b.State != Running { // changed while we waited for it
		return now, nil
	}
	a, known := m.o.Account(e.b.Account)
	pausing := m.suspicion(e)
	switch {
	case e.unreadable != nil:
		return time.Time{}, m.fail(ctx, e, e.unreadable.Error())
	case !known:
		return time.Time{}, m.pause(ctx, e, fmt.Sprintf("account %q is not configured any more", e.b.Account))
	case pausing != "":
		return time.Time{}, m.pause(ctx, e, pausing)
	case e.at.Passed == e.b.Recipients:
		return m.finish(ctx, e, now)
	}
	return m.release(ctx, e, a, now)
}

// suspicion is why it is to be paused, "" while it is not.
func (m *Manager) suspicion(e *entry) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return e.pausing
}

// finish ends a broadcast of which nothing waits any more.
func (m *Manager) finish(ctx context.Context, e *entry, now time.Time) (time.Time, error) {
	if m.waiting(e) > 0 {
		return m.verified(e, now)
	}
	return time.Time{}, m.write(ctx, e, func(b *Broadcast) { b.State, b.Ended = Done, m.o.Store.Now() })
}

// waiting counts what is to leave the outbox by itself.
func (m *Manager) waiting(e *entry) (n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, phase := range e.outbox {
		if waits(phase) {
			n++
		}
	}
	return n
}

func waits(p store.Phase) bool { return p == store.Waiting || p == store.Sending }

// room is how many commands of the broadcast may wait: what leaves within two
// seconds at its pace, so that a pause is one.
func (m *Manager) room(b *Broadcast, a Account) int {
	return min(max(int(2*slower(b, a).PerSecond()), 10), m.o.Room)
}

// slower is the smaller of the broadcast's rate and the account's pace.
func slower(b *Broadcast, a Account) engine.Rate {
	if a.Pace != nil {
		if pace := a.Pace(b.Action); pace.Per > 0 && pace.PerSecond() < b.Rate.PerSecond() {
			return pace
		}
	}
	return b.Rate
}

// release makes commands of the recipients whose turn it is.
func (m *Manager) release(ctx context.Context, e *entry, a Account, now time.Time) (time.Time, error) {
	l, perSecond := &e.line, e.b.Rate.PerSecond()
	room := m.room(&e.b, a) - m.waiting(e)
	if room <= 0 {
		l.begun = false // what is not released now is not made up for
		return m.verified(e, now)
	}
	if !l.begun || now.Sub(l.due(l.count, perSecond)) > slack {
		l.begin(now)
	}
	want := 0
	for want < min(room, maxStep) && !l.due(l.count+want, perSecond).After(now) {
		want++
	}
	if want == 0 {
		l.next = l.due(l.count, perSecond)
		return l.next, nil
	}
	p, err := m.page(e, a, want)
	if err != nil {
		return time.Time{}, err
	}
	if p.broken != nil {
		return time.Time{}, m.fail(ctx, e, p.broken.Error())
	}
	switch err := m.submit(ctx, e, p); {
	case errors.Is(err, store.ErrFull):
		if !l.full {
			l.full = true
			m.o.Log.Warn("broadcast waits for room in the store", "broadcast", e.b.ID, "error", err)
		}
		l.next = now.Add(fullPause)
		return l.next, nil
	case err != nil:
		return time.Time{}, err
	}
	l.full = false
	l.count += len(p.commands)
	if len(p.commands) < want || e.at.Passed == e.b.Recipients {
		return now, nil // the chunk ended, or all of it, or many were skipped
	}
	l.next = l.due(l.count, perSecond)
	if soonest := now.Add(tick); l.next.Before(soonest) {
		l.next = soonest
	}
	return l.next, nil
}

// verified looks what became of the commands that are taken to wait, every now and
// then. It returns when to look again.
func (m *Manager) verified(e *entry, now time.Time) (time.Time, error) {
	l := &e.line
	if l.check.IsZero() {
		l.check = now
	}
	if now.Sub(l.check) >= verifyEvery {
		l.check = now
		if err := m.verify(e); err != nil {
			return time.Time{}, err
		}
		return now, nil
	}
	return l.check.Add(verifyEvery), nil
}

// verify asks the outbox for each command that is taken to be about to leave it.
func (m *Manager) verify(e *entry) error {
	m.mu.Lock()
	numbers := make([]int, 0, len(e.outbox))
	for n, phase := range e.outbox {
		if waits(phase) {
			numbers = append(numbers, n)
		}
	}
	m.mu.Unlock()
	for _, n := range numbers {
		if err := m.lookUp(e, n); err != nil {
			return err
		}
	}
	return nil
}

// lookUp asks the outbox for one command.
func (m *Manager) lookUp(e *entry, n int) error {
	d, final, err := m.o.Store.Find(taskID(e.b.ID, n))
	if err != nil && !errors.Is(err, store.ErrGone) {
		return fmt.Errorf("look up a command: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if err != nil || final != "" {
		delete(e.outbox, n)
	} else {
		e.outbox[n] = d.Progress.Phase
	}
	return nil
}

// sweep forgets what ended long ago.
func (m *Manager) sweep(ctx context.Context) {
	for _, e := range m.all() {
		b := m.snapshot(e)
		if !b.State.Ended() || m.o.Store.Now().Sub(b.Ended) < keep {
			continue
		}
		if err := m.Delete(ctx, b.ID); err != nil && ctx.Err() == nil {
			m.o.Log.Warn("an old broadcast could not be deleted", "broadcast", b.ID, "error", err)
		}
	}
}
