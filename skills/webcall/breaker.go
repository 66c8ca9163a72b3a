package webcall

import (
	"sync"
	"time"
)

// How a breaker acts.
const (
	tolerated  = 5 // failures in a row
	firstPause = time.Second
	longPause  = 30 * time.Second
)

// breaker spares a service that fails, and those who would wait for it: after
// some failures in a row nobody calls for a while, then one call tries. It knows
// no clock. Its methods are safe for concurrent use.
type breaker struct {
	mu       sync.Mutex
	failures int
	pause    time.Duration
	until    time.Time // nobody calls before
	probing  bool      // one call tries
}

// pass is a call that a breaker let through.
type pass struct{ probe bool }

// enter lets a call through, or not.
func (b *breaker) enter(now time.Time) (p pass, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failures < tolerated {
		return pass{}, true
	}
	if b.probing || now.Before(b.until) {
		return pass{}, false
	}
	b.probing = true
	return pass{probe: true}, true
}

// verdict is what a call says of its service.
type verdict uint8

const (
	undecided verdict = iota // it was broken off by ourselves
	works
	fails
)

// leave takes a call back. Calls that began before the pause and fail in it do not
// make it longer.
func (b *breaker) leave(p pass, v verdict, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if p.probe {
		b.probing = false
	}
	switch {
	case v == works:
		b.failures, b.pause = 0, 0
	case v == fails && b.failures < tolerated-1:
		b.failures++
	case v == fails && (p.probe || b.failures == tolerated-1):
		b.failures = tolerated
		b.pause = min(max(2*b.pause, firstPause), longPause)
		b.until = now.Add(b.pause)
	}
}
