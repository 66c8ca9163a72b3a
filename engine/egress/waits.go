package egress

import (
	"strings"

	"bot/engine"
	"bot/engine/quota"
	"bot/store"
)

// Waits says why a waiting command does not leave now, as far as it can be said
// of that one alone: that its account is held or not configured, that it was called
// off, that its time has not come, that it is over a quota. "" is that nothing but its
// turn and the account's pace are in its way, or that it does not wait.
func (e *Egress) Waits(d store.Delivery) string {
	c := d.Command
	if d.Progress.Phase != store.Waiting && d.Progress.Phase != "" {
		return ""
	}
	a, known := e.configured()[c.Account]
	if !known {
		return "its account is not configured"
	}
	var why []string
	if held := e.Held()[c.Account]; held != "" {
		why = append(why, "account held: "+held)
	}
	if off, err := e.callOff(c); err == nil && off != "" { // where it cannot be read, its turn will tell
		why = append(why, off+"; it is taken out when its turn comes")
	}
	now := e.opts.Now()
	switch next := d.Progress.NotBefore; {
	case now.Before(c.Due()):
		return strings.Join(append(why, "due "+quota.Clock(c.Due(), a.Quota.Zone)), "; ")
	case now.Before(next):
		why = append(why, "tried again "+quota.Clock(next, a.Quota.Zone))
	}
	lane := laneOf(c)
	if closed(c, now) {
		if reason := a.tooLate(c); reason != "" {
			return strings.Join(append(why, reason), "; ") // it dies of that when its turn comes
		}
		push := *c
		lane, push.Ticket = max(lane, engine.LanePush), engine.Ticket{}
		why, c = append(why, a.lateness(c)+"; it goes as a push"), &push
	}
	if over := e.exceeded(&a, c, lane); over != "" {
		why = append(why, over)
	}
	return strings.Join(why, "; ")
}

// exceeded says which quota a command is over now, "" when it is none.
func (e *Egress) exceeded(a *Account, c *engine.Command, lane engine.Lane) string {
	q := &a.Quota
	if !q.Any() {
		return ""
	}
	now := e.opts.Now()
	recall := e.notesOf(c.Account)
	day := quota.DayAt(now, q.Zone)
	total, err := quota.Total(&day, recall)
	if err != nil {
		return "" // whoever asks next will hear more of a broken store
	}
	v, err := q.Check(a.message(c, lane), &day, total, now, recall)
	if err != nil || v.Over == quota.None {
		return ""
	}
	return q.Says(v.Over) + "; " + q.GoesOn(v.Over, &day)
}
