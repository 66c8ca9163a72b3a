package egress

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// marked is the progress of a command whose next attempt begins now.
func marked(p store.Progress, now time.Time) store.Progress {
	return store.Progress{
		Phase:    store.Sending,
		Attempts: p.Attempts + 1,
		Awaits:   p.Awaits,
		Tries:    lastTries(append(slices.Clone(p.Tries), store.Try{Time: now})),
	}
}

func lastTries(t []store.Try) []store.Try { return t[max(len(t)-store.MaxTries, 0):] }

// verdict says what becomes of the flight's command after its attempt was
// answered. backoff gives the wait before the next one by the number of those
// made.
func (f *flight) verdict(now time.Time, backoff func(attempts int) time.Duration) store.Settlement {
	id, p, failure := f.delivery.ID, f.progress, f.failure
	p.Tries = answered(p.Tries, f.note, failure, now)
	if failure == nil {
		if p.Awaits = f.awaits(f.note); p.Awaits == "" {
			return store.Settlement{ID: id, Final: store.Sent, Progress: p}
		}
		return f.unconfirmed(p, now)
	}
	p.Phase, p.AwaitsUntil, p.Reason = store.Waiting, time.Time{}, words(failure)
	if f.late != "" {
		p.Reason += "; " + f.late
	}
	switch failure.Class {
	case channel.Permanent:
		return store.Settlement{ID: id, Final: store.Dead, Progress: p}
	case channel.Unreachable, channel.Halted:
		// Its account is held; the command itself may go whenever that ends.
		p.Attempts--
		return store.Settlement{ID: id, Progress: p}
	case channel.Throttled:
		p.Attempts--
		p.NotBefore = failure.Until
		return store.Settlement{ID: id, Progress: p}
	case channel.Unsure:
		if p.Awaits != "" && f.told == "" { // the platform may say it yet
			return f.unconfirmed(p, now)
		}
		if !f.conf.repeats(f.delivery.Command) {
			p.Phase, p.Reason = store.InDoubt, "nobody knows whether it went out: "+p.Reason
			return store.Settlement{ID: id, Progress: p}
		}
	}
	if p.Attempts >= f.conf.Attempts {
		p.Reason = fmt.Sprintf("gave up after %d attempts, the last: %s", p.Attempts, p.Reason)
		return store.Settlement{ID: id, Final: store.Dead, Progress: p}
	}
	if failure.Class == channel.Credential {
		return store.Settlement{ID: id, Progress: p} // at once, with a fresh token
	}
	p.NotBefore = now.Add(backoff(p.Attempts))
	return store.Settlement{ID: id, Progress: p}
}

// unconfirmed settles a command of which the platform is still to say whether it
// carried it out. It holds nothing up.
func (f *flight) unconfirmed(p store.Progress, now time.Time) store.Settlement {
	p.Phase, p.AwaitsUntil = store.Unconfirmed, now.Add(f.conf.ConfirmWithin)
	return store.Settlement{ID: f.delivery.ID, Progress: p}
}

// harden makes a credential that is refused a second time the account's trouble
// and not the command's: no command is to die of a token that somebody must renew.
func (f *flight) harden() {
	before := f.before()
	if f.failure == nil || f.failure.Class != channel.Credential ||
		!tried(before, channel.Credential) && !tried(before, channel.Halted) { // of many tries only the last are kept
		return
	}
	hard := *f.failure
	hard.Class, hard.Note = channel.Halted, "the credentials are refused: "+hard.Note
	f.failure = &hard
}

// before are the tries before the one that is under way.
func (f *flight) before() []store.Try { return f.progress.Tries[:max(len(f.progress.Tries)-1, 0)] }

// repeats tells whether the command may be sent again when nobody knows whether
// it went out.
func (a *Account) repeats(c *engine.Command) bool {
	if a.OnDoubt != Resend {
		return false
	}
	r, choosy := a.Sender.(channel.Repeater)
	return !choosy || r.Repeatable(c)
}

// answered completes the attempt that runs, the last of tries.
func answered(tries []store.Try, note string, failure *channel.SendError, now time.Time) []store.Try {
	try := store.Try{Time: now}
	if n := len(tries); n > 0 {
		try, tries = tries[n-1], tries[:n-1]
	}
	if try.Class, try.Note = string(store.Sent), note; failure != nil {
		try.Class, try.Status, try.Note = string(failure.Class), failure.Status, failure.Note
	}
	return append(slices.Clone(tries), try)
}

func tried(tries []store.Try, class channel.Class) bool {
	return slices.ContainsFunc(tries, func(t store.Try) bool { return t.Class == string(class) })
}

func words(e *channel.SendError) string {
	s := string(e.Class)
	if e.Status != 0 {
		s += ", status " + strconv.Itoa(e.Status)
	}
	if e.Note != "" {
		s += ": " + e.Note
	}
	return s
}

// withdrawn settles a command that was marked and then not sent: as if it had
// not been marked.
func withdrawn(d store.Delivery) store.Settlement {
	p := d.Progress
	p.Phase = store.Waiting
	return store.Settlement{ID: d.ID, Progress: p}
}

// overdue says why a command is to be given up, "" while it is not.
func overdue(c *engine.Command, giveUp time.Duration, now time.Time) string {
	switch {
	case !c.Deadline.IsZero() && !now.Before(c.Deadline):
		return "not sent before its deadline"
	case giveUp > 0 && now.Sub(c.Due()) >= giveUp:
		return "not sent within " + giveUp.String()
	}
	return ""
}

// buried settles a command that is given up unsent.
func buried(d store.Delivery, reason string) store.Settlement {
	p := d.Progress
	if p.Reason != "" {
		reason += "; before that: " + p.Reason
	}
	p.Phase, p.Reason = store.Waiting, reason
	return store.Settlement{ID: d.ID, Final: store.Dead, Progress: p}
}

// backoff is the wait after that many attempts, with full jitter: what failed
// together is not to come back together.
func backoff(r engine.Range, attempts int, chance func() float64) time.Duration {
	ceiling := r.Min
	for n := 1; n < attempts && ceiling < r.Max; n++ {
		ceiling *= 2
	}
	return engine.Range{Max: min(ceiling, r.Max)}.At(chance())
}
