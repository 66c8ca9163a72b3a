package egress

import (
	"encoding/json"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/pace"
)

// paceKey is the note of what an account's platform wants of it, which is read
// when the account is first met. It is written with the settlement of the command
// from which it was learned: when the trouble begins, changes and ends, never for
// each request.
const paceKey = "pace/platform"

// paceNote is the note as it is written.
type paceNote struct {
	pace.Trouble
	Until time.Time `json:"until,omitzero"` // the end of the wait
	Since time.Time `json:"since,omitzero"` // when the throttling began
	Asked string    `json:"asked,omitempty"`
	Down  string    `json:"down,omitempty"`
}

// standing is what people are told of how an account stands with its platform.
type standing struct {
	asked  string    // the platform's words when it asked to wait
	down   string    // why it cannot be reached or does not serve the account
	since  time.Time // by the wall clock: when the throttling began; zero: there is none
	status pace.Status

	probed  bool      // it was told that only probes go
	resumed bool      // and that they are let through again
	said    time.Time // when the last line about the throttling was written
	refused int       // requests, in all of it

	noted   pace.Status // as the note on disk has it
	unnoted bool        // the note is to be written
}

// sayAgain is the time between two lines about a throttling that goes on.
const sayAgain = 30 * time.Minute

// A ThrottleStage is a turn that an account's throttling takes.
type ThrottleStage string

// The stages of a throttling, each told once: it begins, it may get so bad that
// one probe goes at a time, and it is over when the account may send as before.
const (
	ThrottleBegan   ThrottleStage = "began"
	ThrottleProbing ThrottleStage = "probing"
	ThrottleOver    ThrottleStage = "over"
)

// Throttling is what Options.Throttling is told.
type Throttling struct {
	Account string
	Stage   ThrottleStage
	Note    string    // the platform's words
	Share   float64   // of the usual pace that the account may
	Until   time.Time // nothing leaves before
	Since   time.Time // when it began
}

// throttled lets the account's pace know that its platform asked to wait, and
// tells whoever is to know.
func (o *owner) throttled(f *flight, at instant) {
	a, s, log := f.account, &f.account.standing, o.opts.Log
	told := *f.failure
	wait, believed := told.Rest(at.wall)
	held, counts := a.pacer.Throttled(at.mono, f.left, wait)
	// The command must not come back before its account may send.
	told.Until = at.wall.Add(held)
	if !believed && counts {
		log.Warn("platform asks to wait for longer than a day; it is asked again before", "account", a.name,
			"asked_until", f.failure.Until, "held_ms", held.Milliseconds(), "note", told.Note)
	}
	f.failure = &told
	s.asked = told.Note
	s.refused++
	o.stands(a, at)
	if !s.status.Slowed {
		return // it left before a throttling that is over, and tells nothing of today
	}
	now := Throttling{Account: a.name, Stage: ThrottleBegan, Note: told.Note, Share: s.status.Share, Until: told.Until, Since: s.since}
	attrs := []any{"account", a.name, "held_ms", held.Milliseconds(), "pace", s.status.Share,
		"refused_in_a_row", s.status.Refused, "status", told.Status, "note", told.Note}
	switch {
	case s.since.IsZero():
		s.since, s.said = at.wall, at.mono
		now.Since = s.since
		log.Warn("platform asks to wait; account held, then slowed down", attrs...)
		o.opts.Throttling(now)
	case s.status.Probing && !s.probed:
		s.probed, s.said = true, at.mono
		log.Warn("platform refuses again and again; one request at a time tries whether it serves the account", attrs...)
		now.Stage = ThrottleProbing
		o.opts.Throttling(now)
	case counts && at.mono.Sub(s.said) >= sayAgain:
		s.said = at.mono
		log.Warn("platform still throttles the account", append(attrs, "refused", s.refused, "since", s.since)...)
	}
}

// unreachable lets the account's pace know that nobody answered, or that its
// platform does not serve it, and tells whether that is news.
func (o *owner) unreachable(f *flight, why string, at instant) (held time.Duration, began bool) {
	a := f.account
	if held, began = a.pacer.Unreachable(at.mono, f.left); began {
		a.standing.down = why + f.failure.Note
		o.stands(a, at)
	}
	return held, began
}

// reached lets the account's pace know that the platform answered something else
// than to wait, and tells what that ended.
func (o *owner) reached(f *flight, at instant) {
	a, s, log := f.account, &f.account.standing, o.opts.Log
	var reached, eased bool
	if f.failure != nil && f.failure.Class == channel.Unsure && f.failure.Status == 0 {
		reached = a.pacer.Unanswered(f.left)
	} else {
		reached, eased = a.pacer.Answered(at.mono, f.left, f.failure == nil)
	}
	if !reached && !eased {
		return
	}
	o.stands(a, at)
	if reached {
		log.Info("platform reachable again", "account", a.name)
	}
	if !eased {
		return
	}
	attrs := []any{"account", a.name, "pace", s.status.Share, "refused", s.refused, "since", s.since}
	switch {
	case !s.status.Slowed:
		over := Throttling{Account: a.name, Stage: ThrottleOver, Note: s.asked, Share: 1, Since: s.since}
		s.since, s.said, s.probed, s.resumed, s.refused = time.Time{}, time.Time{}, false, false, 0
		log.Info("platform lets the account send as before", attrs...)
		o.opts.Throttling(over)
	case s.probed && !s.resumed:
		s.resumed = true
		log.Info("platform serves the account again; its pace recovers", attrs...)
	}
}

// stands notes how an account stands now, for people and for the next start.
func (o *owner) stands(a *account, at instant) {
	s := &a.standing
	s.status = a.pacer.Status()
	o.show(a.name, s.publish(at))
	noted := s.noted
	// The answers to requests in flight together may each ask for a little more.
	if s.status.Until.Sub(noted.Until).Abs() < time.Second {
		noted.Until = s.status.Until
	}
	if noted != s.status {
		s.noted, s.unnoted = s.status, true
	}
}

// publish is what the status shows.
func (s *standing) publish(at instant) shown {
	p := shown{pace: s.status.Share, slowed: s.status.Slowed, probing: s.status.Probing, refused: s.status.Refused}
	if wait := s.status.Until.Sub(at.mono); wait > 0 {
		p.until = at.wall.Add(wait)
	}
	switch {
	case s.status.Unreachable:
		p.why, p.answerless = s.down, true
	case s.status.Probing:
		p.why, p.answerless = "platform asks to wait: "+s.asked, true
	case !p.until.IsZero():
		p.why = "platform asks to wait: " + s.asked
	}
	return p
}

// note is what the next start must know of the account. It is asked for when a
// settlement is about to be written; nil is nothing new.
func (o *owner) note(a *account, at instant) []engine.Note {
	s := &a.standing
	if !s.unnoted {
		return nil
	}
	s.unnoted = false
	n := engine.Note{Key: paceKey}
	if t := a.pacer.Trouble(at.mono); t != (pace.Trouble{}) {
		p := paceNote{Trouble: t, Since: s.since, Asked: s.asked}
		n.Expires = at.wall.Add(t.Wait + pace.Forgets)
		if t.Wait > 0 {
			p.Until = at.wall.Add(t.Wait)
		}
		if t.Unreachable {
			p.Down = s.down
		}
		if b, err := json.Marshal(p); err == nil { // numbers, times and words always do
			n.Value = string(b)
		}
	}
	return []engine.Note{n}
}

// recall takes up how the account stood when the last process ended. A note that
// cannot be read is none: the platform will say it again.
func (o *owner) recall(a *account, at instant) {
	value, err := o.opts.Recall(a.name, paceKey)
	var p paceNote
	if err == nil && value != "" {
		err = json.Unmarshal([]byte(value), &p)
	}
	if err != nil {
		o.opts.Log.Error("how the account stood with its platform cannot be read; it starts at its usual pace",
			"account", a.name, "note", paceKey, "error", err)
		return
	}
	if value == "" {
		return
	}
	said := channel.SendError{Until: p.Until} // the clock may have been set since
	p.Wait, _ = said.Rest(at.wall)
	a.pacer.Resume(p.Trouble, at.mono)
	s := &a.standing
	s.asked, s.down, s.since, s.said = p.Asked, p.Down, p.Since, at.mono
	s.status = a.pacer.Status()
	s.noted, s.probed = s.status, s.status.Probing
	if !s.status.Slowed {
		s.since = time.Time{}
	} else if s.since.IsZero() {
		s.since = at.wall
	}
	o.show(a.name, s.publish(at))
	if s.status.Slowed || s.status.Unreachable {
		o.opts.Log.Warn("account goes on as its platform left it", "account", a.name, "pace", s.status.Share,
			"held_ms", p.Wait.Milliseconds(), "refused_in_a_row", s.status.Refused, "unreachable", s.status.Unreachable, "since", s.since)
	}
}
