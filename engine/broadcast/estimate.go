package broadcast

import (
	"fmt"
	"math"
	"time"

	"bot/engine"
)

// Estimate is what a broadcast will take.
type Estimate struct {
	Recipients int     `json:"recipients"`
	Seconds    float64 `json:"seconds"`
	Rate       string  `json:"rate"`
	Pace       string  `json:"pace,omitempty"`  // the account's, where that is slower
	Quota      float64 `json:"quota,omitempty"` // part of what the account may still do today; 0: not known
	Text       string  `json:"text"`            // all of it in a sentence
}

// Estimate tells what the rest of a broadcast will take, from now.
func (m *Manager) Estimate(id string) (Estimate, error) {
	e := m.entry(id)
	if e == nil {
		return Estimate{}, ErrNone
	}
	m.mu.Lock()
	b, left := e.b, e.b.Recipients-e.at.Passed
	m.mu.Unlock()
	a, _ := m.o.Account(b.Account)
	rate := slower(&b, a)
	est := Estimate{Recipients: left, Seconds: lasts(left, rate).Seconds(), Rate: b.Rate.String()}
	if rate != b.Rate {
		est.Pace = rate.String()
	}
	if m.o.Quota != nil {
		if share, ok := m.o.Quota(b.Account, b.Action, left); ok {
			est.Quota = share
		}
	}
	est.Text = est.sentence()
	return est, nil
}

func (e *Estimate) sentence() string {
	s := about(time.Duration(e.Seconds*float64(time.Second))) + " at " + e.Rate
	if e.Pace != "" {
		s = about(time.Duration(e.Seconds*float64(time.Second))) + " at the account's own pace of " + e.Pace + ", which is slower than " + e.Rate
	}
	if e.Quota > 0 {
		s += fmt.Sprintf(", %.0f %% of today's quota", math.Ceil(e.Quota*100))
	}
	return s
}

// longest is the longest time that is told: a broadcast that takes longer is a slip.
const longest = 100 * 365 * 24 * time.Hour

// lasts is how long n take at a rate.
func lasts(n int, r engine.Rate) time.Duration {
	if n == 0 || !(r.PerSecond() > 0) {
		return 0
	}
	return time.Duration(min(float64(n)/r.PerSecond(), longest.Seconds()) * float64(time.Second))
}

// about is a duration for people, of two units at most.
func about(d time.Duration) string {
	units := []struct {
		name string
		d    time.Duration
	}{{"d", 24 * time.Hour}, {"h", time.Hour}, {"min", time.Minute}, {"s", time.Second}}
	for i, u := range units {
		if d < u.d && i < len(units)-1 {
			continue
		}
		if i == len(units)-1 {
			return fmt.Sprintf("%d s", int(math.Ceil(d.Seconds())))
		}
		below := units[i+1]
		parts := int(math.Round(float64(d) / float64(below.d)))
		per := int(u.d / below.d)
		if whole, rest := parts/per, parts%per; rest > 0 {
			return fmt.Sprintf("%d %s %d %s", whole, u.name, rest, below.name)
		}
		return fmt.Sprintf("%d %s", parts/per, u.name)
	}
	return ""
}
