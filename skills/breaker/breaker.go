// Package breaker leaves a service alone that keeps failing: whoever would call
// it answers at once with what it says in such a case, and people do not wait
// for a time-out each.
package breaker

import (
	"sync"
	"time"
)

// The limits of all breakers.
const (
	After = 5                // failures in a row that open it
	First = time.Second      // how long it is open then
	Most  = 30 * time.Second // and after failure upon failure, each pause twice the last
)

// Result is what became of a call.
type Result uint8

// Void is the result of a call that says nothing about the service: its request
// was at fault, or whoever made it went away.
const (
	Void Result = iota
	Success
	Failure
)

// Breaker counts the failures of one service. Its methods are safe for
// concurrent use.
type Breaker struct {
	now func() time.Time

	mu       sync.Mutex
	failures int           // in a row, while it is closed
	pause    time.Duration // 0: closed
	until    time.Time     // of the pause
	probing  bool          // one call is under way to find out
}

// New makes a closed breaker.
func New(now func() time.Time) *Breaker { return &Breaker{now: now} }

// Allow tells whether to call the service; whoever may must report what became
// of it, once. While the breaker is open none may; after its pause one at a
// time, until one succeeds.
func (b *Breaker) Allow() (report func(Result), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.pause == 0 {
		return b.called, true
	}
	if b.probing || b.now().Before(b.until) {
		return nil, false
	}
	b.probing = true
	return b.probed, true
}

// called takes the result of a call made while the breaker was closed, which it
// need not be any more.
func (b *Breaker) called(r Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case r == Success:
		b.close()
	case r == Failure && b.pause == 0:
		if b.failures++; b.failures >= After {
			b.open(First)
		}
	}
}

// probed takes the result of a call made to find out.
func (b *Breaker) probed(r Result) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.probing = false
	switch {
	case r == Success:
		b.close()
	case r == Failure && b.pause > 0: // not closed meanwhile by an earlier call
		b.open(min(2*b.pause, Most))
	}
}

func (b *Breaker) close() { b.failures, b.pause = 0, 0 }

func (b *Breaker) open(pause time.Duration) {
	b.pause, b.until = pause, b.now().Add(pause)
}
