package pace

import (
	"time"

	"bot/engine"
)

// How an account slows down when its platform throttles it, and recovers. The
// pace is counted in eightieths of the usual one, in which all of this is whole.
const (
	whole   = 80
	slowest = whole / 16
	// The platforms that tell count by the minute. A step each half minute is
	// at most two steps in any such minute, so that one too far is noticed
	// before the next. From half the pace to all of it takes two and a half minutes.
	step      = whole / 10
	stepEvery = 30 * time.Second
	// free is when a measured pace is let go: what was measured is what the
	// platform bore at one moment, not what it allows.
	free = whole * 5 / 4
	// leastMeasured is the least that a measured pace can be, in sends a second:
	// an account that hardly spoke says nothing of what is allowed.
	leastMeasured = 1.0
	// opensAt is the refusal in a row from which on only one probe goes at a time.
	// The first two are met by slowing down.
	opensAt = 3
	// Forgets is how long after its wait a refusal is forgotten, however little was
	// sent meanwhile: an account that sends once an hour has no pace to recover.
	Forgets = time.Hour
	// longestThrottled is the longest pause of those that the platform leaves to us.
	longestThrottled = 5 * time.Minute
)

// throttle is what the platform wants of the account: to wait, and to be slower.
type throttle struct {
	until   time.Time // the end of the wait
	refused int       // in a row, each of a request that left after the one before
	struck  time.Time // when the last of them came: what had left by then knows nothing of it
	probe   time.Time // when the one left that may go meanwhile; zero: none is on its way

	level   int // eightieths of base; 0: all that is usual
	base    base
	stepsAt time.Time // the next step up; zero: not before a success
	bucket  bucket
}

// base is the pace of an account that nothing slows down.
type base struct {
	perSecond float64
	measured  bool // it is what the account sent, not what it is configured to
}

// open tells whether only a probe may go.
func (t *throttle) open() bool { return t.refused >= opensAt }

func (t *throttle) wait(now time.Time) time.Duration {
	if !t.probe.IsZero() {
		return Forever
	}
	return max(t.until.Sub(now), t.bucket.wait(now), 0)
}

// holds tells whether the platform's wait is not over.
func (t *throttle) holds(now time.Time) bool { return t.until.After(now) }

func (t *throttle) take(now time.Time) {
	t.bucket.take(now)
	if t.open() {
		t.probe = now
	}
}

// back takes note that a command that left then is over, whatever came of it.
func (t *throttle) back(left time.Time) {
	if left.Equal(t.probe) {
		t.probe = time.Time{}
	}
}

// refuse notes a refusal of what left then, with the wait that was asked for, 0
// for none. Requests that were in flight together are told off together: that is
// one refusal, not many, and only the first counts.
func (t *throttle) refuse(now, left time.Time, asked time.Duration, usual base, chance func() float64) (counted bool) {
	t.back(left)
	wait := asked
	if counted = left.After(t.struck); counted {
		t.refused++
		t.struck = now
		t.slow(usual, now)
		if asked <= 0 || t.open() {
			wait = max(wait, pause(t.refused, longestThrottled, chance))
		}
	}
	if until := now.Add(wait); wait > 0 && until.After(t.until) {
		t.until = until
	}
	return counted
}

// slow halves the pace.
func (t *throttle) slow(usual base, now time.Time) {
	if t.level == 0 {
		t.level, t.base = whole, usual
	}
	t.stepsAt = time.Time{}
	t.set(max(min(t.level, whole)/2, slowest), now)
}

// pass notes that what left then was carried out, and tells whether that changed
// anything.
func (t *throttle) pass(now, left time.Time) (changed bool) {
	t.back(left)
	if t.level == 0 || !left.After(t.struck) {
		return false
	}
	changed = t.refused > 0
	t.refused, t.probe = 0, time.Time{}
	switch {
	case now.Sub(t.until) >= Forgets:
		t.set(free, now)
		return true
	case t.stepsAt.IsZero():
		// Half a minute of sending, not of silence, has to pass.
		t.stepsAt = now.Add(stepEvery)
	case !now.Before(t.stepsAt):
		t.stepsAt = now.Add(stepEvery)
		t.set(t.level+step, now)
		return true
	}
	return changed
}

// set takes up a level; the highest is no limit.
func (t *throttle) set(level int, now time.Time) {
	if t.level = level; !t.base.measured && level >= whole || level >= free {
		t.level, t.base, t.stepsAt, t.bucket = 0, base{}, time.Time{}, bucket{}
		return
	}
	perSecond := t.base.perSecond * float64(level) / whole
	t.bucket.set(engine.Rate{N: perSecond, Per: time.Second}, lateness(perSecond), now)
}

// rebase takes up the configured pace, where there is one. The level is kept.
func (t *throttle) rebase(perSecond float64, now time.Time) {
	if t.level == 0 {
		return
	}
	if perSecond > 0 {
		t.base = base{perSecond: perSecond}
	} else {
		t.base.measured = true // what was configured last is as good as a measure
	}
	t.set(t.level, now)
}

// share is the part of what is usual that the account may.
func (t *throttle) share() float64 {
	if t.level == 0 || t.level >= whole {
		return 1
	}
	return float64(t.level) / whole
}

// parallel is as many of so many slots: fewer requests on their way are fewer
// that are told off together.
func (t *throttle) parallel(slots int) int {
	if t.level == 0 || t.level >= whole {
		return slots
	}
	return max((slots*t.level+whole-1)/whole, 1)
}

// Trouble is what is to be known of an account after a restart. Its zero value is
// an account that nothing is wrong with.
type Trouble struct {
	Wait    time.Duration `json:"-"`                 // that the platform still asks for
	Level   int           `json:"level,omitempty"`   // eightieths of Base; 0: all that is usual
	Base    float64       `json:"base,omitempty"`    // sends a second
	Refused int           `json:"refused,omitempty"` // in a row
	// Unreachable: nobody answered, or the platform did not serve the account.
	Unreachable bool `json:"unreachable,omitempty"`
}

func (t *throttle) resume(w Trouble, now time.Time) {
	*t = throttle{refused: max(w.Refused, 0), until: now.Add(max(w.Wait, 0))}
	if w.Level > 0 && w.Base > 0 {
		t.base = base{max(w.Base, leastMeasured), true} // until the account is configured
		t.set(min(max(w.Level, slowest), free-1), now)
	}
	if t.level == 0 {
		t.refused = 0 // not one of ours
	}
}
