package wecomstub

import "time"

// permits are codes by which the platform allows one thing each, once.
type permits struct{ memory[*permit] }

type permit struct {
	about string // the conversation that it is good for
	begun bool   // of a welcome: they talk already
	used  bool
}

// give makes a code good until a time. A repeat of the callback gives nothing
// new.
func (all *permits) give(code string, p permit, until time.Time) {
	if _, _, given := all.get(code); !given {
		all.put(code, &p, until)
	}
}

// find returns what a code would still allow, nil for nothing.
func (all *permits) find(code string, now time.Time) *permit {
	p, until, _ := all.get(code)
	if p == nil || p.used || now.After(until) {
		return nil
	}
	return p
}

// take uses a code up, and tells whether it was good.
func (all *permits) take(code string, now time.Time) bool {
	p := all.find(code, now)
	if p != nil {
		p.used = true
	}
	return p != nil
}

// about is the conversation that a code belongs to, used or not.
func (all *permits) about(code string) string {
	if p, _, known := all.get(code); known {
		return p.about
	}
	return ""
}
