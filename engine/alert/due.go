package alert

import (
	"slices"
	"time"
)

// idle is how long to wait where nothing is to be told; whatever is raised ends it.
const idle = time.Hour

// due takes what is to be told now, or says how long to wait before asking again.
func (d *Desk) due(s *Settings) (*draft, time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.o.Now()
	d.prune(now, s.Every)
	if now.Before(d.again) {
		return nil, d.again.Sub(now)
	}
	open := d.open(s, now)
	wait := idle
	var first bool // something is to be told now
	for _, g := range d.groups {
		for _, sub := range g.subjects {
			at, pending := g.at(sub, s.Every)
			if !pending {
				continue
			}
			if at, pending = d.place(s, now, at, sub.level, open); !pending {
				wait = min(wait, closedLook)
				continue
			}
			if !at.After(now) {
				first = true
			} else {
				wait = min(wait, at.Sub(now))
			}
		}
	}
	if !first {
		return nil, wait
	}
	// With the one that may be told goes everything else that might be: it is one
	// message in any case.
	return d.collect(now, func(_ groupKey, g *group, sub *subject) bool {
		at, pending := g.at(sub, s.Every)
		return pending && !at.After(now) && (open || sub.level == Serious)
	}), 0
}

// closedLook is how often it is asked whether the hours have begun.
const closedLook = time.Minute

// open tells whether what is not serious may be told.
func (d *Desk) open(s *Settings, now time.Time) bool {
	if len(s.Hours) == 0 {
		return true
	}
	if s.Location != nil {
		now = now.In(s.Location)
	}
	return s.Hours.Open(now)
}

// at is when something may be told as far as its group is concerned.
func (g *group) at(s *subject, every time.Duration) (at time.Time, pending bool) {
	switch {
	case s.over:
		return s.ended.Add(gather), true
	case s.count == 0:
		return time.Time{}, false
	}
	at = s.first.Add(gather)
	if next := g.told.Add(every); !g.told.IsZero() && next.After(at) {
		at = next
	}
	return at, true
}

// place is when there is a place for it among the messages of an hour; ok is
// false where it waits for the hours.
func (d *Desk) place(s *Settings, now, at time.Time, level Level, open bool) (time.Time, bool) {
	if level != Serious && !open {
		return at, false
	}
	if s.AtMost <= 0 {
		return at, true
	}
	limit := s.AtMost
	if level != Serious && limit > 1 {
		limit -= max(1, limit/4)
	}
	var within []time.Time
	for _, t := range d.told {
		if now.Sub(t) < s.Per {
			within = append(within, t)
		}
	}
	if n := len(within); n >= limit {
		if free := within[n-limit].Add(s.Per); free.After(at) {
			at = free
		}
	}
	return at, true
}

// draft is a message on its way, and how to take it back.
type draft struct {
	Message
	undo []func()
}

// collect takes what is to be told out of the groups.
func (d *Desk) collect(now time.Time, wanted func(groupKey, *group, *subject) bool) *draft {
	m := &draft{Message: Message{Time: now, Omitted: d.omitted}}
	for key, g := range d.groups {
		told, anew := g.told, false // once one thing is told the others of the group would wait
		for name, s := range g.subjects {
			if !wanted(key, g, s) {
				continue
			}
			m.Lines = append(m.Lines, line(key, name, s))
			undo := d.take(key, name, g, s)
			m.undo = append(m.undo, func() { g.told = told; undo() })
			anew = anew || !s.over
		}
		if anew {
			g.told = now
		}
	}
	if m.Lines == nil {
		return nil
	}
	omitted := d.omitted
	m.undo = append(m.undo, func() { d.omitted += omitted })
	d.omitted = 0
	slices.SortFunc(m.Lines, byWeight)
	if more := len(m.Lines) - maxLines; more > 0 {
		m.Lines, m.Omitted = m.Lines[:maxLines], m.Omitted+more
	}
	d.telling = true
	return m
}

func line(key groupKey, name string, s *subject) Line {
	l := Line{
		Kind: key.kind, Account: key.account, Subject: name, Level: s.level, State: Firing,
		Text: s.text, TextZH: s.textZH, Count: s.count, Since: s.first, Latest: s.latest,
	}
	if s.over {
		l.State, l.Count, l.Since, l.Latest = Recovered, 0, s.began, s.ended
	}
	return l
}

// take notes that a thing is told, and returns how to note that it was not.
func (d *Desk) take(key groupKey, name string, g *group, s *subject) (undo func()) {
	before := *s
	s.count = 0
	if s.over {
		delete(g.subjects, name)
		return func() {
			if d.groups[key] == g && g.subjects[name] == nil {
				g.subjects[name] = &before
			}
		}
	}
	s.told = true
	return func() {
		if !before.told && s.over { // it came and went while nobody could be told
			delete(g.subjects, name)
			return
		}
		s.told = before.told
		if !s.over {
			s.count, s.first = s.count+before.count, before.first
		}
	}
}
