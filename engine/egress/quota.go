package egress

import (
	"fmt"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/pace"
	"bot/engine/quota"
)

// byQuota is the cause of waits for a quota, beside those of package pace.
const byQuota pace.By = "quota"

// maxHeld bounds how many commands in a row are found to be over a quota before
// the owner looks up: each is read for it, and answers must not wait for them all.
const maxHeld = 256

// daily is what the owner knows of an account's day.
type daily struct {
	day     quota.Day
	counted bool // pushes is known
	// pushes are those of the day, with those whose mark is being written.
	pushes  int
	waiting bool                // something waited for another day at the last look
	told    [quota.Rules]string // the day on which the log was told of each rule
}

// today brings the account's day up to date, and at its beginning what was
// counted of it before. Accounts without quotas have no days.
func (o *owner) today(a *account, at instant) {
	q := &a.conf.Quota
	if !q.Any() {
		return
	}
	if !a.day.Holds(at.wall, q.Zone) {
		day := quota.DayAt(at.wall, q.Zone)
		// A reload makes zones anew; the day is another when its name is.
		a.counted = a.counted && day.Name == a.day.Name
		a.day = day
	}
	if q.PushPerDay == 0 || a.counted {
		return
	}
	n, err := quota.Total(&a.day, o.notesOf(a.name))
	if err != nil {
		o.fail(fmt.Errorf("look up the pushes of account %q: %w", a.name, err))
		return
	}
	a.pushes, a.counted = n, true
}

func (e *Egress) notesOf(account string) quota.Recall {
	return func(key string) (string, error) { return e.opts.Recall(account, key) }
}

// spent tells whether pushes of the account wait for another day.
func (a *account) spent() bool {
	q := &a.conf.Quota
	return q.PushPerDay > 0 && !q.Refuse && a.pushes >= q.PushPerDay
}

// goes tells whether a line of the class and lane may go, the pace aside.
func (a *account) goes(c *class, lane engine.Lane) bool {
	return len(c.ready[lane]) > 0 && !(c.says && lane != engine.LaneReply && a.spent())
}

// goesAny tells whether any line of the class may, of the first lanes.
func (a *account) goesAny(c *class, lanes engine.Lane) bool {
	for lane := range lanes {
		if a.goes(c, lane) {
			return true
		}
	}
	return false
}

// message is the command as quotas see it, in the lane that it goes in.
func (a *Account) message(c *engine.Command, lane engine.Lane) quota.Message {
	says := c.Action.Says()
	return quota.Message{
		Conversation: c.Conversation,
		Push:         says && lane != engine.LaneReply,
		Waits:        says && !a.byTicket(c) && a.oneToOne(c.Conversation),
	}
}

// byTicket tells whether the command is said by its ticket, which the platform
// gave for that, and not as it would be without.
func (a *Account) byTicket(c *engine.Command) bool {
	l, choosy := a.Sender.(channel.Latecomer)
	return c.Ticket.Token != "" && (!choosy || l.TooLate(c) != "")
}

func (a *Account) oneToOne(conversation string) bool {
	s, tells := a.Sender.(channel.OneToOne)
	return !tells || s.OneToOne(conversation)
}

// allow asks the quotas whether the flight may go, and charges it. It ends the
// flight where it may not: what is held goes back to its place.
func (o *owner) allow(f *flight, at instant) bool {
	a, q := f.account, &f.conf.Quota
	if !q.Any() {
		return true
	}
	v, err := q.Check(f.conf.message(f.delivery.Command, f.lane), &a.day, a.pushes, at.wall, o.notesOf(a.name))
	switch {
	case err != nil:
		o.putBack(f, f.lane, at)
		o.fail(fmt.Errorf("look up a quota of account %q: %w", a.name, err))
		return false
	case v.Over == quota.None:
		f.charge = v.Counts
		return true
	case q.Refuse:
		o.settle(f, buried(f.delivery, q.Says(v.Over)))
		return false
	}
	o.held++
	o.putBack(f, f.lane, at)
	if l := f.conversation.lines[f.lane]; l != nil {
		a.keep(l, v.Over, at)
	}
	a.waited(byQuota)
	o.tellHeld(a, v.Over)
	return false
}

// putBack ends a flight that nothing was written of.
func (o *owner) putBack(f *flight, lane engine.Lane, at instant) {
	f.account.add(f.conversation, lane, f.item, at)
	o.land(f, at)
}

// keep has a line wait until the rule lets go of it.
func (a *account) keep(l *line, over quota.Rule, at instant) {
	a.lift(l)
	if l.over, l.until = over, never; over == quota.PerDay || over == quota.PerUser {
		l.until = nanos(a.day.Ends)
	}
	a.put(l, at)
}

// letGo has a conversation's lines ask the quotas anew when their turn comes.
func (x *index) letGo(c *conversation, at instant) {
	for _, l := range c.lines {
		if l != nil && l.over != quota.None {
			x.lift(l)
			l.over, l.until = quota.None, 0
			x.put(l, at)
		}
	}
}

// tellHeld logs once a day that commands wait for a quota.
func (o *owner) tellHeld(a *account, over quota.Rule) {
	if a.told[over] == a.day.Name {
		return
	}
	a.told[over] = a.day.Name
	q := &a.conf.Quota
	o.opts.Log.Warn("a quota is used up; what is over it waits", "account", a.name,
		"quota", over.Key(), "reason", q.Says(over)+"; "+q.GoesOn(over, &a.day))
}

// count adds the flight's push to what is known of the day, or takes it off.
func (a *account) count(f *flight, n int) {
	if a.counted && quota.OfDay(&a.day, f.charge) {
		a.pushes += n
	}
}

// Spoke tells that somebody wrote in a private conversation, once that is on
// disk: what was held for their silence goes on. It need only be told of accounts
// with such a limit.
func (e *Egress) Spoke(k engine.ConversationKey) {
	e.mu.Lock()
	e.spoken = append(e.spoken, k)
	e.mu.Unlock()
	e.Wake()
}

// Pushes is how much an account pushed on a day.
type Pushes struct {
	Day  string `json:"day"` // in the account's zone
	Used int    `json:"used"`
	Left int    `json:"left"`
}

// Pushes returns what the accounts with a daily limit pushed today, by their
// names; what is being sent is among it.
func (e *Egress) Pushes() (map[string]Pushes, error) {
	now, all := e.opts.Now(), map[string]Pushes{}
	for name, a := range e.configured() {
		if a.Quota.PushPerDay == 0 {
			continue
		}
		day := quota.DayAt(now, a.Quota.Zone)
		n, err := quota.Total(&day, e.notesOf(name))
		if err != nil {
			return nil, fmt.Errorf("look up the pushes of account %q: %w", name, err)
		}
		all[name] = Pushes{Day: day.Name, Used: n, Left: max(a.Quota.PushPerDay-n, 0)}
	}
	return all, nil
}

func (e *Egress) configured() map[string]Account {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.settings.accounts
}
