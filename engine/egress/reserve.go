package egress

import (
	"bot/engine"
	"bot/store"
)

// asking is a call of Reserve that waits for the owner.
type asking struct {
	command *engine.Command
	answer  chan *flight // holds one; nil: it waits as all others do
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
	a := asking{c, make(chan *flight, 1)}
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
	f := <-a.answer
	if f == nil {
		return nil, nil
	}
	return &f.progress, func(err error) {
		f.err = err
		f.ended <- f
	}
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
		o.asks = append(o.asks, o.newAsks()...)
		o.refuse()
	}
}

// newAsks returns who asked since the last call.
func (e *Egress) newAsks() []asking {
	e.mu.Lock()
	defer e.mu.Unlock()
	asked := e.asked
	e.asked = nil
	return asked
}

// refuse sends everybody who asked the way of all others.
func (o *owner) refuse() {
	for _, a := range o.asks {
		a.answer <- nil
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

// reserve begins a command that is not in the outbox yet, nil where it may not leave now.
func (o *owner) reserve(c *engine.Command, at instant) *flight {
	a := o.byName[c.Account]
	if a == nil || o.places[c.TaskID] != nil || !a.free(c, at) || !o.wanted(c, a, at) {
		return nil
	}
	f := &flight{account: a, conf: a.conf, conversation: a.conversation(c.Conversation, at), lane: c.Lane,
		item: item{action: o.number(c.Action)}, ended: o.acts.reports,
		delivery: store.Delivery{Command: c, Progress: store.Progress{Phase: store.Waiting}}}
	o.active++
	a.rest(f.conversation)
	o.places[c.TaskID] = f
	o.marks(f, choice{account: a, offer: a.left()}, at)
	return f
}

// free tells whether the account could send a command of a conversation that has
// nothing in hand. What is ready has been let go as far as that was possible.
func (a *account) free(c *engine.Command, at instant) bool {
	if a.conversations[c.Conversation] != nil || !a.room() || a.lanes(at) == 0 ||
		a.pacer.WaitAction(at.mono, c.Action) > 0 || a.pacer.WaitConversation(at.mono, c.Conversation) > 0 {
		return false
	}
	wait, _ := a.pacer.Wait(at.mono)
	return wait == 0
}

// wanted tells whether nothing else is to become of a command than that it is sent, now.
// Its account may have been changed since it was asked whether it is plain.
func (o *owner) wanted(c *engine.Command, a *account, at instant) bool {
	return plain(c, &a.conf) && !c.Due().After(at.wall) && overdue(c, a.conf.GiveUp, at.wall) == "" && !closed(c, at.wall) &&
		o.opts.Unwanted(c) == "" && o.opts.Vet(c).Refused == ""
}

// left is what stays behind a reply that takes its place.
func (a *account) left() (o offer) {
	for i := range a.classes {
		a.spares(&a.classes[i], engine.LanePush, &o)
	}
	return o
}

// arrives takes in the row of a reserved command, which is not told yet whether its
// commit is on disk. ok is false for any other row, such as that of the same command made
// anew, which had no place, while it is not known yet that the first commit was refused.
func (o *owner) arrives(d store.Delivery) (ok bool) {
	f := o.places[d.Command.TaskID]
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
	delete(o.places, f.delivery.Command.TaskID)
	f.ended = nil
	if f.err != nil || f.delivery.ID == 0 {
		f.err = store.ErrGone // it never was there
	}
	o.marked(f)
}
