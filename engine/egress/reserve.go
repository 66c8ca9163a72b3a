package egress

import (
	"bot/engine"
	"bot/store"
)

// asking is a call of Reserve that waits for the owner.
type asking struct {
	command *engine.Command
	answer  chan reservation // holds one
}

// reservation is what Reserve returns.
type reservation struct {
	mark *store.Progress // nil: there is none
	end  func(error)
}

// Reserve keeps a place for a command whose commit is about to be written, where the
// command could leave this moment. mark is what that commit must mark it with
// (store.Commit.Mark), so that its request leaves when the commit is on disk, and not
// after another one for the mark. end must then be called once, with what the commit
// answered; only nil lets the command go. Until then its conversation, its account's
// pace and one of its account's marks are taken.
//
// mark is nil where the command has to wait for anything at all, or is one of those
// with which more is to be done: then it goes the way of all others. Reserve waits for
// what the owner is at, which may be reads of the outbox and no write.
func (e *Egress) Reserve(c *engine.Command) (mark *store.Progress, end func(error)) {
	a := asking{c, make(chan reservation, 1)}
	e.mu.Lock()
	account, known := e.settings.accounts[c.Account]
	ask := e.serves && known && plain(c, &account)
	if ask {
		e.asked = append(e.asked, a)
	}
	e.mu.Unlock()
	if !ask {
		return nil, nil
	}
	e.Wake()
	r := <-a.answer
	return r.mark, r.end
}

// plain tells whether nothing but the pace could be in the way of a command. What
// quotas count is written with the mark in an act of its own, what could be called off
// is looked up when it is chosen, and a delay is drawn when a row is taken in.
func plain(c *engine.Command, a *Account) bool {
	return c.Lane == engine.LaneReply && c.Unless == "" && !a.Quota.Any() && a.Limits.ReplyDelay.IsZero()
}

// serve begins or ends to answer those who ask. Nobody waits for an answer after it
// has ended.
func (o *owner) serve(on bool) {
	o.mu.Lock()
	o.serves = on
	o.mu.Unlock()
	if !on {
		o.hearAsks()
		o.refuse()
	}
}

// hearAsks takes in who asked. Rows are read after it, so that whatever was committed
// before somebody asked is known when they are answered.
func (o *owner) hearAsks() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.asks = append(o.asks, o.asked...)
	o.asked = nil
}

// refuse sends everybody who asked the way of all others.
func (o *owner) refuse() {
	for _, a := range o.asks {
		a.answer <- reservation{}
	}
	o.asks = nil
}

// reserveAll answers those who asked, when all that was committed before they did is
// taken in and what could leave has left. It is given the time of that, so that a reserved
// command overtakes nothing: what has become ready since is not looked at, but waits.
func (o *owner) reserveAll(at instant, all bool) {
	if !all {
		o.refuse()
	}
	for _, a := range o.asks {
		a.answer <- o.reserve(a.command, at)
	}
	o.asks = nil
}

// reserve begins a command that is not in the outbox yet, where it may leave now.
func (o *owner) reserve(c *engine.Command, at instant) reservation {
	a := o.byName[c.Account]
	if a == nil || o.reserved[c.TaskID] != nil || !a.free(c, at) || !o.wanted(c, a, at) {
		return reservation{}
	}
	f := &flight{account: a, conf: a.conf, conversation: a.conversation(c.Conversation, at), lane: c.Lane,
		item: item{action: o.number(c.Action)}, reserved: true,
		delivery: store.Delivery{Command: c, Progress: store.Progress{Phase: store.Waiting}}}
	o.active++
	a.rest(f.conversation)
	o.reserved[c.TaskID] = f
	o.chose(f, choice{account: a, offer: a.left()}, at)
	return reservation{&f.progress, func(err error) {
		f.err = err
		o.acts.reports <- f
	}}
}

// wanted tells whether nothing else is to become of a command than that it is sent, now.
// Its account may have been changed since it was asked whether it is plain.
func (o *owner) wanted(c *engine.Command, a *account, at instant) bool {
	return plain(c, &a.conf) && !c.Due().After(at.wall) && overdue(c, a.conf.GiveUp, at.wall) == "" && !closed(c, at.wall) &&
		o.opts.Unwanted(c) == "" && o.opts.Vet(c).Refused == ""
}

// arrives takes in the row of a reserved command, which is not told yet whether its
// commit is on disk. ok is false for any other row, such as that of the same command made
// anew, which had no place, while it is not known yet that the first commit was refused.
func (o *owner) arrives(d store.Delivery) (ok bool) {
	f := o.reserved[d.Command.TaskID]
	if f == nil || d.Progress.Phase != store.Sending {
		return false
	}
	f.delivery.ID, f.delivery.Command, f.item = d.ID, d.Command, o.item(f.account, d)
	f.account.takeOff(d.ID)
	return true
}

// committed: the commit of a reserved command was written or refused. Where it was
// written, its row is in the outbox and is looked up if it has not been taken in.
func (o *owner) committed(f *flight) {
	at := o.now()
	for more := true; more && f.err == nil && f.delivery.ID == 0; {
		more = o.takeIn(at)
	}
	f.progress.Tries = []store.Try{{Time: at.wall}} // its attempt begins now, when its event is told of as handled
	delete(o.reserved, f.delivery.Command.TaskID)
	f.reserved = false
	if f.err != nil || f.delivery.ID == 0 {
		f.err = store.ErrGone // it never was there
	}
	o.marked(f)
}
