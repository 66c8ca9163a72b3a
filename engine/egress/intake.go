package egress

import (
	"errors"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/pace"
	"bot/store"
)

// page is how many rows are read in one go: few enough not to keep answers
// waiting.
const page = 512

// hear takes in what was told and the next page of new rows. It is the same
// live, after a flood and at start. more says that there may be another page.
func (o *owner) hear() (more bool) {
	changed, cancelled, spoken := o.news()
	o.hearAsks()
	at := o.now()
	if changed != nil {
		o.configure(changed, at)
	}
	if holds, ok := o.stopped(); ok {
		o.hold(holds, at)
	}
	for _, k := range cancelled {
		if a := o.byName[k.Account]; a != nil && a.conversations[k.Conversation] != nil {
			o.recheck(a, a.conversations[k.Conversation], at)
		}
	}
	for _, k := range spoken {
		if a := o.byName[k.Account]; a != nil && a.conversations[k.Conversation] != nil {
			a.letGo(a.conversations[k.Conversation], at)
			a.dirty = true
		}
	}
	if more = o.takeIn(at); more {
		o.refuse() // what they would overtake may not be known yet
	}
	return more
}

// takeIn takes in the next page of new rows.
func (o *owner) takeIn(at instant) (more bool) {
	rows, err := o.opts.Outbox.Deliveries(o.cursor, page)
	if err != nil {
		o.fail(err)
		return false
	}
	for i := range rows {
		o.cursor = rows[i].ID
		o.admit(rows[i], at)
	}
	return len(rows) == page
}

// admit puts a row where it belongs.
func (o *owner) admit(d store.Delivery, at instant) {
	if o.arrives(d) {
		return
	}
	a := o.account(d.Command.Account, at)
	if !a.open && !a.warned {
		a.warned = true
		o.opts.Log.Warn("commands are held: their account is not configured", "account", a.name)
	}
	o.await(a, d, confirmGrace, at)
	switch {
	case d.Progress.Phase == store.InDoubt:
		// A person decides, or its platform after all.
	case d.Progress.Phase == store.Unconfirmed:
	case d.Progress.Phase == store.Sending && a.open:
		o.doubt(o.resume(a, d, at), at)
	case d.Progress.Phase == store.Sending:
		a.doubts = append(a.doubts, d.ID)
	default:
		c := a.conversation(d.Command.Conversation, at)
		a.add(c, laneOf(d.Command), o.item(a, d), at)
		a.dirty = true
	}
}

// laneOf is the command's lane; one that a later version wrote is bulk.
func laneOf(c *engine.Command) engine.Lane { return min(c.Lane, engine.LaneBulk) }

// item is what is kept of a row. The delay before a reply is drawn here, once:
// its successors wait behind it, so it cannot change their order.
func (o *owner) item(a *account, d store.Delivery) item {
	c := d.Command
	it := item{id: d.ID, due: nanos(c.Due()), deadline: never, action: o.number(c.Action)}
	if !c.Deadline.IsZero() {
		it.deadline = nanos(c.Deadline)
	}
	if e := c.Ticket.Expires; c.Ticket.Token != "" && e.Year() >= 1970 && e.Year() < 2106 {
		it.ticket = uint32(e.Unix())
	}
	it.ready = max(it.due, nanos(d.Progress.NotBefore))
	if c.Lane == engine.LaneReply {
		it.ready = max(it.ready, nanos(c.Created.Add(a.pacer.ReplyDelay())))
	}
	return it
}

// number counts the actions, of which there are a handful.
func (o *owner) number(a engine.Action) int32 {
	n, ok := o.actions[a]
	if !ok {
		n = int32(len(o.actions))
		o.actions[a] = n
	}
	return n
}

// account returns the one of that name, closed when it is new.
func (o *owner) account(name string, at instant) *account {
	a := o.byName[name]
	if a != nil {
		return a
	}
	a = &account{name: name}
	a.pacer = pace.New(pace.Limits{}, o.global, o.opts.Chance, at.mono)
	a.conversations = map[string]*conversation{}
	a.waited = func(by pace.By) { o.opts.Metrics.Throttled.WithLabelValues(name, string(by)).Inc() }
	a.bound = func(by pace.By) { o.bind(name, by) }
	a.index.configure(0, o.number, at)
	o.recall(a, at)
	o.byName[name] = a
	o.accounts = append(o.accounts, a)
	return a
}

// configure takes up new settings. Accounts keep what they have in hand, those
// that are left out keep it closed.
func (o *owner) configure(s *settings, at instant) {
	o.global.Reconfigure(s.global, at.mono)
	for _, a := range o.accounts {
		if _, ok := s.accounts[a.name]; !ok {
			a.open, a.warned = false, false
			a.sleep(at)
		}
	}
	for name, conf := range s.accounts {
		a := o.account(name, at)
		a.conf, a.open, a.dirty = complete(conf), true, true
		a.pacer.Reconfigure(conf.Limits, at.mono)
		a.index.configure(a.conf.GiveUp, o.number, at)
		doubts := a.doubts
		a.doubts = nil
		for _, id := range doubts {
			o.reopen(a, id, at)
		}
		o.judgeEarly(a, at)
	}
}

// hold stops the accounts that are named and lets the others go on.
func (o *owner) hold(holds map[string]bool, at instant) {
	for name := range holds {
		o.account(name, at)
	}
	for _, a := range o.accounts {
		stop := holds[a.name]
		if a.pacer.Stop(stop) && !stop {
			a.pacer.Release() // whoever let it go knows that somebody answers
			o.stands(a, at)
		}
		a.dirty = true
		if stop {
			o.regroup(a, at)
		}
	}
}

// complete fills in what an Account leaves open.
func complete(a Account) Account {
	a.Attempts = max(a.Attempts, 1)
	a.GiveUp = max(a.GiveUp, 0)
	a.Backoff.Max = max(a.Backoff.Max, a.Backoff.Min)
	if a.Timeout <= 0 {
		a.Timeout = 30 * time.Second
	}
	if a.ConfirmWithin <= 0 {
		a.ConfirmWithin = confirmWithin
	}
	return a
}

// reopen decides about a command that was found marked before its account was
// configured.
func (o *owner) reopen(a *account, id uint64, at instant) {
	switch d, err := o.opts.Outbox.Delivery(id); {
	case errors.Is(err, store.ErrGone):
	case err != nil:
		o.fail(err)
	case d.Progress.Phase == store.Sending:
		o.doubt(o.resume(a, d, at), at)
	}
}

// resume is the flight that an earlier life of the process began.
func (o *owner) resume(a *account, d store.Delivery, at instant) *flight {
	c := a.conversation(d.Command.Conversation, at)
	a.rest(c)
	o.active++
	f := &flight{account: a, conf: a.conf, conversation: c, lane: laneOf(d.Command), item: o.item(a, d), delivery: d}
	a.takeOff(d.ID)
	return f
}

// doubt settles a command whose answer nobody read. Its attempt was charged
// with the mark; where it may be repeated that is due at once, unless it may be
// confirmed yet.
func (o *owner) doubt(f *flight, at instant) {
	f.failure = &channel.SendError{Class: channel.Unsure, Note: "the process ended before it read the answer"}
	f.progress = f.delivery.Progress
	o.settle(f, f.verdict(at.wall, func(int) time.Duration { return 0 }))
}

// recheck drops cancelled commands from the heads of a conversation, now or
// once it is free.
func (o *owner) recheck(a *account, c *conversation, at instant) {
	if c.recheck = c.flights > 0; c.recheck {
		return
	}
	a.rest(c)
	for _, l := range c.lines {
		for l != nil && len(l.items) > 0 {
			if _, err := o.opts.Outbox.Delivery(l.items[0].id); !errors.Is(err, store.ErrGone) {
				break // any other error is met again when its turn comes
			}
			o.forget(a, l.items.remove(0).id)
		}
	}
	a.release(c, at)
	a.dirty = true
}
