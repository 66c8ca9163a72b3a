package dispatch

import (
	"context"
	"time"

	"bot/engine/turn"
	"bot/engine/warm"
)

// Run gives turns until ctx is done. Then it starts nothing new, lets the turns
// in hand finish within Grace, cancels those that do not, and returns nil when
// the last has ended. A cancelled turn costs its event no attempt and leaves it
// in the log. Run returns early, with the error, when the store can do no more.
//
// The only goroutines that can be left then are those of skills that ignore
// their context. After a return with nil, Run may be called again and goes on
// with what is waiting.
func (d *Dispatcher) Run(ctx context.Context) error {
	turns, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	if !d.looked {
		d.suspects, d.looked = d.o.Store.Suspects(), true
	}
	d.crew = warm.NewCrew()
	defer d.crew.Close()
	d.alarm = time.NewTimer(0)
	defer d.alarm.Stop()

	for d.failure == nil && ctx.Err() == nil {
		d.start(turns)
		select {
		case <-ctx.Done():
		case e := <-d.o.Entries:
			if b := d.table.add(e.Seq, e.Event.ConversationKey()); b != nil {
				d.ready.push(b)
				d.stats.conversations.Add(1)
			}
			d.stats.waiting.Add(1)
		case r := <-d.results:
			d.finish(r)
			d.finishAll()
		case <-d.alarm.C:
			d.wake()
		case <-d.changed:
			d.release()
			d.unparkAll()
		}
	}
	return d.stop(cancel)
}

// finishAll takes back what else is done: the turns of one commit end all at
// once, and one look for what to start next is enough for them.
func (d *Dispatcher) finishAll() {
	for {
		select {
		case r := <-d.results:
			d.finish(r)
		default:
			return
		}
	}
}

// stop waits for the turns in hand.
func (d *Dispatcher) stop(cancel func()) error {
	grace := time.NewTimer(d.o.Grace)
	defer grace.Stop()
	for d.running+d.away > 0 {
		if d.failure != nil {
			cancel() // nothing that they do can be kept
		}
		select {
		case r := <-d.results:
			d.finish(r)
		case <-grace.C:
			cancel()
		}
	}
	return d.failure
}

// start hands out turns: to suspects alone, else to as many ready mailboxes as
// there are workers.
func (d *Dispatcher) start(ctx context.Context) {
	if d.alone {
		return
	}
	if len(d.suspects) > 0 {
		if d.running == 0 {
			seq := d.suspects[0]
			d.suspects = d.suspects[1:]
			d.alone, d.behind[seq] = true, nil
			d.launch(ctx, job{seq: seq, setup: d.o.Setup()})
		}
		return
	}
	for d.running < d.o.Workers && d.ready.len() > 0 {
		b := d.ready.pop()
		if _, suspect := d.behind[b.head]; suspect {
			d.behind[b.head] = b
			continue
		}
		j := job{box: b, seq: b.head, setup: d.o.Setup(), waited: b.waited, parked: b.parked, reserved: b.reserved}
		if _, known := j.setup.Accounts[b.account.name]; !known {
			d.hold(b)
			continue
		}
		b.waited, b.parked, b.reserved = false, false, ""
		d.launch(ctx, j)
	}
}

func (d *Dispatcher) launch(ctx context.Context, j job) {
	d.running++
	d.stats.running.Add(1)
	d.crew.Go(func() { d.results <- d.run(ctx, j) })
}

// finish takes back what a turn was given.
func (d *Dispatcher) finish(r result) {
	switch r.end {
	case away:
		d.leaves(1)
		d.alone = d.alone && r.job.box != nil // while a suspect waits for another system, others go on
		return
	case back:
		d.leaves(-1)
		return
	}
	d.running--
	d.stats.running.Add(-1)
	for _, skill := range r.left {
		d.pass(skill)
	}
	if r.end == broken && d.failure == nil {
		d.failure = r.err
	}
	switch b := r.job.box; {
	case b == nil: // a suspect: what is still to be done for it, its mailbox does
		d.alone = false
		if r.end == kept {
			d.suspects = append([]uint64{r.job.seq}, d.suspects...)
		}
		if box := d.behind[r.job.seq]; box != nil {
			d.ready.push(box)
		}
		delete(d.behind, r.job.seq)
	case r.end == settled:
		d.advance(b)
	case r.end == parked:
		d.park(b, r.busy)
	case r.end == later:
		d.delayed.add(time.Now().Add(r.wait), b)
		d.arm()
	default:
		d.ready.push(b)
	}
}

// leaves moves n turns from those that have a worker to those that wait for
// another system. When they are back there may for a moment be more turns than
// workers: what is left of such a turn is its commit.
func (d *Dispatcher) leaves(n int) {
	d.running -= n
	d.away += n
	d.stats.running.Add(int64(-n))
	d.stats.away.Add(int64(n))
}

// park has a mailbox wait until a run of its skill is over, unless one was over
// before this was known.
func (d *Dispatcher) park(b *mailbox, busy turn.BusyError) {
	skill := busy.Skill
	b.parked = true
	if d.gates.runs(skill) < busy.Most {
		d.ready.push(b)
		return
	}
	if d.parked[skill] == nil {
		d.parked[skill] = new(fifo[*mailbox])
	}
	d.parked[skill].push(b)
	d.stats.parked.Add(1)
}

// pass hands a run that is over to the mailbox that has waited longest for the
// skill, so that nobody who comes later gets it; where none waits it is free.
func (d *Dispatcher) pass(skill string) {
	if b := d.unpark(skill); b != nil {
		b.reserved = skill
		return
	}
	d.gates.leave(skill)
}

// unpark readies the mailbox that has waited longest for the skill; nil when none does.
func (d *Dispatcher) unpark(skill string) *mailbox {
	line := d.parked[skill]
	if line == nil {
		return nil
	}
	b := line.pop()
	d.ready.push(b)
	d.stats.parked.Add(-1)
	if line.len() == 0 {
		delete(d.parked, skill)
	}
	return b
}

// unparkAll has all try again: by another configuration there may be room.
func (d *Dispatcher) unparkAll() {
	for skill := range d.parked {
		for d.parked[skill] != nil {
			d.unpark(skill)
		}
	}
}

// advance puts the mailbox at the end of the row for its next event, so that
// those of other conversations come first, or drops it when it is empty.
func (d *Dispatcher) advance(b *mailbox) {
	d.stats.waiting.Add(-1)
	if b.next() {
		d.ready.push(b)
		return
	}
	d.table.remove(b)
	d.stats.conversations.Add(-1)
}

// arm sets the alarm to the end of the shortest wait.
func (d *Dispatcher) arm() {
	if len(d.delayed) > 0 {
		d.alarm.Reset(time.Until(d.delayed[0].until))
	}
}

// wake makes those ready whose wait is over.
func (d *Dispatcher) wake() {
	now := time.Now()
	for b := d.delayed.due(now); b != nil; b = d.delayed.due(now) {
		b.waited = true
		d.ready.push(b)
	}
	d.arm()
}

func (d *Dispatcher) hold(b *mailbox) {
	if b.reserved != "" {
		d.pass(b.reserved)
		b.reserved = ""
	}
	a := b.account
	if len(a.held) == 0 {
		d.o.Log.Warn("events held", "account", a.name, "reason", "the account is not in the configuration")
	}
	a.held = append(a.held, b)
	d.stats.held.Add(1)
}

// release makes those ready whose account is known now.
func (d *Dispatcher) release() {
	accounts := d.o.Setup().Accounts
	for _, a := range d.table.accounts {
		if _, known := accounts[a.name]; !known {
			continue
		}
		for _, b := range a.held {
			d.ready.push(b)
		}
		d.stats.held.Add(-int64(len(a.held)))
		a.held = nil
	}
}
