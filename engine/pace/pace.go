// Package pace knows when an account may send next. A Pacer keeps what an
// account is allowed (token buckets, a random gap between two sends) and what
// it was told (to wait, to be slower, or nothing at all because nobody answers). It knows
// neither what is sent nor how; its caller asks, sends, and reports.
//
// Nothing here waits or reads a clock. Every method is given the time, which
// must carry a monotonic reading that never runs back, and answers with how
// long to stay away.
package pace

import (
	"math"
	"time"

	"bot/engine"
)

// Limits is what one account is allowed. Zero values limit nothing.
type Limits struct {
	Rate  engine.Rate
	Burst int // of Rate; below 1 counts as 1
	// Parallel is how many requests may be on the wire; below 1 counts as 1.
	// The Pacer hands it through, keeping to it is the caller's part.
	Parallel        int
	PerConversation engine.Rate // one at a time, no bursts
	ReplyDelay      engine.Range
	Gap             engine.Range // between two sends
	Actions         map[engine.Action]ActionLimit
}

// ActionLimit is the pace of one action of an account.
type ActionLimit struct {
	Rate  engine.Rate
	Burst int // below 1 counts as 1
}

// By names whose limit made a command wait, as bot_commands_throttled_total
// prints it.
type By string

// Whose limit it can be. A limit on an action counts as the account's.
const (
	ByAccount      By = "account"
	ByConversation By = "conversation"
	ByGlobal       By = "global"
	ByGap          By = "gap"
	ByPlatform     By = "platform" // it asked us to wait or to be slower, or cannot be reached
)

// Forever is the wait while only a report can tell when to go on.
const Forever = time.Duration(math.MaxInt64)

// Pacer is the pace of one account. It is not safe for concurrent use: it
// belongs to the goroutine that decides what the account sends.
//
// The caller asks Wait, WaitConversation and WaitAction, and when all are 0
// and the command really goes, it calls Take, which alone uses up tokens.
// Every Take is followed by exactly one report: Answered, Throttled,
// Unreachable, Unsent or Void, each with the time of its Take: what had left before
// the platform said something knows nothing of it.
type Pacer struct {
	limits   Limits
	global   *Global
	chance   func() float64
	account  bucket
	perChat  conversations
	actions  map[engine.Action]*bucket
	gapEnds  time.Time
	taken    time.Time // of the last Take
	meter    meter
	throttle throttle
	breaker  breaker
	stopped  bool
}

// New returns the pace of an account that has just started: its buckets hold
// one token each, however large their bursts, so that a process that dies and
// starts again in a circle does not send a burst each time. g is shared by all
// accounts and never nil. chance returns numbers in [0,1) and is called on the
// caller's goroutine only.
func New(l Limits, g *Global, chance func() float64, now time.Time) *Pacer {
	p := &Pacer{global: g, chance: chance, actions: map[engine.Action]*bucket{}, meter: meter{began: now}}
	p.Reconfigure(l, now)
	return p
}

// Reconfigure changes the limits. Tokens already used stay used, a gap that
// runs goes on, and so does all that the platform asked for: an account that was
// slowed down has the same share of its new pace.
func (p *Pacer) Reconfigure(l Limits, now time.Time) {
	l.Parallel = max(l.Parallel, 1)
	p.limits = l
	p.account.set(l.Rate, l.Burst, now)
	p.throttle.rebase(l.Rate.PerSecond(), now)
	p.perChat.set(l.PerConversation, now)
	for a := range p.actions {
		if _, ok := l.Actions[a]; !ok {
			delete(p.actions, a)
		}
	}
	for a, limit := range l.Actions {
		if p.actions[a] == nil {
			p.actions[a] = &bucket{}
		}
		p.actions[a].set(limit.Rate, limit.Burst, now)
	}
}

// Resume takes up what an earlier life of the process left. One probe goes to a
// platform that could not be reached, at once: whoever restarts the engine may
// have mended something.
func (p *Pacer) Resume(t Trouble, now time.Time) {
	p.throttle.resume(t, now)
	p.throttle.rebase(p.limits.Rate.PerSecond(), now)
	if p.breaker = (breaker{}); t.Unreachable {
		p.breaker = breaker{fails: 1, until: now}
	}
}

// Trouble is what Resume will want to know.
func (p *Pacer) Trouble(now time.Time) Trouble {
	t := &p.throttle
	return Trouble{
		Wait: max(t.until.Sub(now), 0), Level: t.level, Base: t.base.perSecond, Refused: t.refused,
		Unreachable: p.breaker.fails > 0,
	}
}

// Status is how an account stands with its platform.
type Status struct {
	Share       float64   // of the usual pace that it may; 1 is all of it
	Slowed      bool      // it was throttled and has not recovered; Share may be 1 already
	Refused     int       // requests in a row that were refused
	Probing     bool      // it was refused so often that only one request goes at a time
	Until       time.Time // the end of the wait that the platform asked for, or of the last pause
	Unreachable bool      // nobody answers, or the platform does not serve it
}

// Status returns how the account stands with its platform.
func (p *Pacer) Status() Status {
	t := &p.throttle
	return Status{
		Share: t.share(), Slowed: t.level != 0, Refused: t.refused, Probing: t.open(), Until: t.until,
		Unreachable: p.breaker.fails > 0,
	}
}

// Limits returns what the account is allowed now.
func (p *Pacer) Limits() Limits { return p.limits }

// Stop keeps the account from sending until it is told otherwise, whatever else
// the pace allows. It tells whether that changed anything.
func (p *Pacer) Stop(on bool) (changed bool) {
	changed = p.stopped != on
	p.stopped = on
	return changed
}

// Wait tells how long the whole account must stay away and whose limit that
// is; where several hold, the longest. 0 means that a command may go now.
func (p *Pacer) Wait(now time.Time) (time.Duration, By) {
	if p.stopped {
		return Forever, ByPlatform
	}
	wait, by := p.account.wait(now), ByAccount
	longer := func(w time.Duration, b By) {
		if w > wait {
			wait, by = w, b
		}
	}
	longer(p.gapEnds.Sub(now), ByGap)
	longer(p.global.Wait(now), ByGlobal)
	longer(p.throttle.wait(now), ByPlatform)
	longer(p.breaker.wait(now), ByPlatform)
	return wait, by
}

// WaitConversation is Wait for the limit of one conversation alone.
func (p *Pacer) WaitConversation(now time.Time, conversation string) time.Duration {
	return p.perChat.wait(now, conversation)
}

// WaitAction is Wait for the limit of one action alone.
func (p *Pacer) WaitAction(now time.Time, a engine.Action) time.Duration {
	if b := p.actions[a]; b != nil {
		return b.wait(now)
	}
	return 0
}

// Held tells that the account was stopped, that the platform asked for a pause,
// or could not be reached, since the caller last asked Wait: what has not left
// yet had better stay.
func (p *Pacer) Held(now time.Time) bool {
	return p.stopped || p.throttle.holds(now) || p.breaker.until.After(now)
}

// Parallel is how many requests may be on the wire now: those of Limits, or
// their share while the account is slowed down.
func (p *Pacer) Parallel() int { return p.throttle.parallel(p.limits.Parallel) }

// Take uses up the tokens of one command, draws the gap to the next one and,
// after an outage, makes this command the probe for which all others wait.
func (p *Pacer) Take(now time.Time, conversation string, a engine.Action) {
	p.account.take(now)
	p.global.bucket.take(now)
	p.perChat.take(now, conversation)
	if b := p.actions[a]; b != nil {
		b.take(now)
	}
	if !p.limits.Gap.IsZero() {
		p.gapEnds = now.Add(gap(p.limits.Gap, p.chance))
	}
	p.taken = now
	p.meter.add(now)
	p.throttle.take(now)
	p.breaker.take(now)
}

// ReplyDelay draws the time that has to pass between the cause of a reply and
// its leaving, evenly from its range.
func (p *Pacer) ReplyDelay() time.Duration {
	if p.limits.ReplyDelay.IsZero() {
		return 0
	}
	return p.limits.ReplyDelay.At(p.chance())
}

// Answered reports that the platform was reached, and whether it carried the
// command out. reached tells that this ended an outage, eased that it ended a row
// of refusals or raised the pace: by a tenth of what is usual for each half minute
// in which the account sends and nothing is refused, or to all of it an hour after
// the last wait.
func (p *Pacer) Answered(now, left time.Time, done bool) (reached, eased bool) {
	if done {
		eased = p.throttle.pass(now, left)
	}
	p.throttle.back(left)
	return p.breaker.close(), eased
}

// Throttled reports that the platform asked to wait that long; 0 or less means
// that it did not say. It returns how long the account is held from now and
// whether this counts: of many requests in flight together, one does.
//
// A refusal that counts halves the pace, down to a sixteenth; that of an account
// without a Rate is what it sent in the last few seconds. The wait is what was
// asked for, or where nothing was, one that grows from 1 or 2 s to five minutes
// at most. From the third refusal in a row on it is the longer of both, and after
// it one probe goes, for which all others wait.
func (p *Pacer) Throttled(now, left time.Time, asked time.Duration) (held time.Duration, counts bool) {
	p.breaker.close()
	counts = p.throttle.refuse(now, left, asked, p.usual(now), p.chance)
	return max(p.throttle.until.Sub(now), 0), counts
}

// usual is the pace of the account while nothing slows it down.
func (p *Pacer) usual(now time.Time) base {
	if r := p.limits.Rate.PerSecond(); r > 0 {
		return base{perSecond: r}
	}
	return base{max(p.meter.perSecond(now), leastMeasured), true}
}

// Unreachable reports that no connection came about. The first report opens
// the breaker: nothing goes for 1 to 2 s, then one probe; every probe that
// fails doubles the pause, up to a minute. It returns how long the account is
// held from now and whether this began the outage.
func (p *Pacer) Unreachable(now, left time.Time) (held time.Duration, began bool) {
	p.throttle.back(left)
	began = p.breaker.fail(now, left, p.chance)
	return p.breaker.wait(now), began
}

// Unanswered reports that the request left and no answer to it was read. In an
// outage that tells of a connection only where it was the probe; what had left
// before knows nothing of it. reached tells that this ended an outage.
func (p *Pacer) Unanswered(left time.Time) (reached bool) {
	p.throttle.back(left)
	return left.Equal(p.breaker.probe) && p.breaker.close()
}

// Unsent reports that the command of that Take did not leave after all.
func (p *Pacer) Unsent(left time.Time) {
	p.throttle.back(left)
	p.breaker.back(left)
}

// Void reports that the command of that Take came to nothing: what it used up is there
// for others, its gap too where nothing was taken since.
func (p *Pacer) Void(now, left time.Time, conversation string, a engine.Action) {
	p.account.give(now)
	p.global.bucket.give(now)
	p.perChat.give(now, conversation)
	if b := p.actions[a]; b != nil {
		b.give(now)
	}
	if p.taken.Equal(left) && p.gapEnds.After(left) {
		p.gapEnds = left
	}
	p.Unsent(left)
}

// Release ends an outage that somebody else knows to be over. What the platform
// asked for is kept.
func (p *Pacer) Release() { p.breaker.close() }
