package egress

import (
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/quota"
)

// The values of Account.LateReply. Anything else is said, as with PushLate; see
// Account.Check.
const (
	PushLate = "push" // say it all the same, as if nobody had asked
	DropLate = "drop" // leave it
)

// LateReplies are the values of Account.LateReply.
func LateReplies() []string { return []string{PushLate, DropLate} }

// closed tells whether the time has passed in which the command could be said by
// its ticket. What says nothing needs none.
func closed(c *engine.Command, now time.Time) bool {
	t := &c.Ticket
	return t.Token != "" && !t.Expires.IsZero() && !now.Before(t.Expires) && c.Action.Says()
}

// lateness says that the window closed, and when.
func (a *Account) lateness(c *engine.Command) string {
	return "the reply window closed at " + quota.Clock(c.Ticket.Expires, a.Quota.Zone)
}

// tooLate says why a reply whose window has closed is not said at all, "" when it
// becomes a push.
func (a *Account) tooLate(c *engine.Command) string {
	if l, choosy := a.Sender.(channel.Latecomer); choosy {
		if reason := l.TooLate(c); reason != "" {
			return a.lateness(c) + ": " + reason
		}
	}
	if a.LateReply == DropLate {
		return a.lateness(c) + `, and late_reply is "drop"`
	}
	return ""
}

// inTime looks whether the flight's reply comes too late. One that can be said
// without its ticket goes on as a push: it waits among them for its turn, and
// then is what it would be had nobody asked for it. inTime is false where the
// flight is over.
func (o *owner) inTime(f *flight, at instant) bool {
	c := f.delivery.Command
	if !closed(c, at.wall) {
		return true
	}
	if reason := f.conf.tooLate(c); reason != "" {
		o.settle(f, buried(f.delivery, reason))
		return false
	}
	if f.lane == engine.LaneReply {
		o.opts.Log.Info("a reply is late and becomes a push", append(f.names(), "reason", f.conf.lateness(c))...)
		o.putBack(f, engine.LanePush, at)
		return false
	}
	push := *c
	push.Ticket, push.Lane = engine.Ticket{}, f.lane
	f.delivery.Command, f.late = &push, f.conf.lateness(c)+"; it goes as a push"
	return true
}
