// Package pace knows when an account may send next. A Pacer keeps what an
// account is allowed (token buckets, a random gap between two sends) and what
// it was told (to wait, or nothing at all because nobody answers). It knows
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
	ByPlatform     By = "platform" // it asked us to wait, or cannot be reached
)

// Forever is the wait while only a report can tell when to go on.
const Forever = time.Duration(math.MaxInt64)

// Pacer is the pace of one account. It is not safe for concurrent use: it
// belongs to the goroutine that decides what the account sends.
//
// The caller asks Wait, WaitConversation and WaitAction, and when all are 0
// and the command really goes, it calls Take, which alone uses up tokens.
// Every Take is followed by exactly one report: Answered, Throttled,
// Unreachable or Unsent.
type Pacer struct {
	limits  Limits
	global  *Global
	chance  func() float64
	account bucket
	perChat conversations
	actions map[engine.Action]*bucket
	gapEnds time.Time
	hold    hold
	breaker breaker
	stopped bool
}

// New returns the pace of an account that has just started: its buckets hold
// one token each, however large their bursts, so that a process that dies and
// starts again in a circle does not send a burst each time. g is shared by all
// accounts and never nil. chance returns numbers in [0,1) and is called on the
// caller's goroutine only.
func New(l Limits, g *Global, chance func() float64, now time.Time) *Pacer {
	p := &Pacer{global: g, chance: chance, actions: map[engine.Action]*bucket{}}
	p.Reconfigure(l, now)
	return p
}

// Reconfigure changes the limits. Tokens already used stay used, a gap that
// runs goes on, and so does a wait that the platform asked for.
func (p *Pacer) Reconfigure(l Limits, now time.Time) {
	l.Parallel = max(l.Parallel, 1)
	p.limits = l
	p.account.set(l.Rate, l.Burst, now)
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
	longer(p.hold.wait(now), ByPlatform)
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
	return p.stopped || p.hold.wait(now) > 0 || p.breaker.until.After(now)
}

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
	p.breaker.take()
}

// ReplyDelay draws the time that has to pass between the cause of a reply and
// its leaving, evenly from its range.
func (p *Pacer) ReplyDelay() time.Duration {
	if p.limits.ReplyDelay.IsZero() {
		return 0
	}
	return p.limits.ReplyDelay.At(p.chance())
}

// Answered reports that the platform was reached, whatever it said. It tells
// whether that ended an outage.
func (p *Pacer) Answered() (recovered bool) {
	p.hold.count = 0
	return p.breaker.close()
}

// Throttled reports that the platform asked to wait that long; 0 or less means
// that it did not say, and the wait grows from once to once between 1 s and a
// minute. It returns how long the account is held from now and whether this
// began the hold: of many requests in flight, one.
func (p *Pacer) Throttled(now time.Time, wait time.Duration) (held time.Duration, began bool) {
	p.breaker.close()
	return p.hold.extend(now, wait, p.chance)
}

// Unreachable reports that no connection came about. The first report opens
// the breaker: nothing goes for 1 to 2 s, then one probe; every probe that
// fails doubles the pause, up to a minute. It returns how long the account is
// held from now and whether this began the outage.
func (p *Pacer) Unreachable(now time.Time) (held time.Duration, began bool) {
	began = p.breaker.fail(now, p.chance)
	return p.breaker.wait(now), began
}

// Unsent reports that the command of the last Take did not leave after all.
func (p *Pacer) Unsent() { p.breaker.probing = false }
