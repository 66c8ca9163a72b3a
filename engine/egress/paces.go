package egress

import (
	"time"

	"bot/engine/pace"
)

// Pace is how fast an account may send at present, and what it waits for.
type Pace struct {
	Pace  float64   `json:"pace"` // the share of its usual pace that its platform leaves it; 1 is all
	State PaceState `json:"state"`
	// By is whose limit it is that the next command waits for, as
	// bot_commands_throttled_total has it; "" when it waits for none. WaitsFor says
	// it in words.
	By       pace.By   `json:"by,omitempty"`
	WaitsFor string    `json:"waits_for,omitempty"`
	Until    time.Time `json:"until,omitzero"`            // of a wait that the platform asked for
	Refused  int       `json:"refused_in_a_row,omitzero"` // requests
}

// PaceState is how an account stands with its platform.
type PaceState string

// The states of an account's pace.
const (
	PaceFree    PaceState = "free"
	PaceSlowed  PaceState = "slowed"  // it was throttled and recovers
	PaceWaiting PaceState = "waiting" // until the time that the platform asked for
	PaceProbing PaceState = "probing" // one request at a time tries whether the platform serves it
)

// shown is what is known of an account for people. Only what differs from the
// ordinary is kept.
type shown struct {
	pace       float64
	slowed     bool
	probing    bool
	refused    int
	why        string    // nothing leaves; "" when something may
	answerless bool      // until the platform answers, whatever until says
	until      time.Time // zero: no time is known
}

// rests tells whether nothing leaves.
func (s *shown) rests(now time.Time) bool {
	return s.why != "" && (s.answerless || now.Before(s.until))
}

func (e *Egress) show(account string, s shown) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if s == (shown{pace: 1}) {
		delete(e.shown, account)
	} else {
		e.shown[account] = s
	}
}

// bind notes whose limit it is that an account's next command waits for, "" for
// none.
func (e *Egress) bind(account string, by pace.By) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.bound[account] = by
}

// Paces returns how fast the accounts that are configured may send, by their names.
func (e *Egress) Paces() map[string]Pace {
	now := e.opts.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	all := make(map[string]Pace, len(e.settings.accounts))
	for name := range e.settings.accounts {
		all[name] = e.paceOf(name, now)
	}
	return all
}

func (e *Egress) paceOf(name string, now time.Time) Pace {
	s, known := e.shown[name]
	if !known {
		s.pace = 1
	}
	p := Pace{Pace: s.pace, State: PaceFree, Refused: s.refused, By: e.bound[name]}
	if s.slowed {
		p.State = PaceSlowed
	}
	if now.Before(s.until) {
		p.Until = s.until
	}
	if !s.rests(now) {
		p.WaitsFor = limitOf(p.By)
		return p
	}
	p.By, p.WaitsFor, p.State = pace.ByPlatform, s.why, PaceWaiting
	if s.answerless {
		p.State = PaceProbing
	}
	return p
}

// limitOf says whose limit it is in words.
func limitOf(by pace.By) string {
	switch by {
	case pace.ByAccount:
		return "the account's rate"
	case pace.ByGap:
		return "the gap between two sends of the account"
	case pace.ByGlobal:
		return "the rate of all accounts together"
	case pace.ByPlatform:
		return "the pace to which the account was slowed down when its platform throttled it"
	default:
		return string(by)
	}
}
