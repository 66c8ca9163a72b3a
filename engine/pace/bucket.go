package pace

import (
	"time"

	"golang.org/x/time/rate"

	"bot/engine"
)

// bucket is a token bucket, or no limit (the zero bucket).
type bucket struct{ limiter *rate.Limiter }

// set changes the limit and keeps the tokens. A bucket that comes into being
// holds one. A burst below 1 counts as 1.
func (b *bucket) set(r engine.Rate, burst int, now time.Time) {
	perSecond := rate.Limit(r.PerSecond())
	burst = max(burst, 1)
	switch {
	case perSecond == 0:
		b.limiter = nil
	case b.limiter == nil:
		b.limiter = rate.NewLimiter(perSecond, burst)
		b.limiter.AllowN(now, burst-1)
	default:
		b.limiter.SetLimitAt(now, perSecond)
		b.limiter.SetBurstAt(now, burst)
	}
}

// wait is the time until a token is there. Less than a nanosecond is 0, or
// rounding would send the caller away again and again.
func (b *bucket) wait(now time.Time) time.Duration {
	if b.limiter == nil {
		return 0
	}
	missing := 1 - b.limiter.TokensAt(now)
	if missing <= 0 {
		return 0
	}
	seconds := missing / float64(b.limiter.Limit())
	if seconds >= Forever.Seconds() {
		return Forever
	}
	return time.Duration(seconds * float64(time.Second))
}

// take uses a token up. It reserves rather than asks, since wait has rounded.
func (b *bucket) take(now time.Time) {
	if b.limiter != nil {
		b.limiter.ReserveN(now, 1)
	}
}

// give puts the token of a take back.
func (b *bucket) give(now time.Time) {
	if b.limiter != nil {
		b.limiter.ReserveN(now, -1)
	}
}

// Global is the bucket that the accounts of one engine share. Like a Pacer it
// belongs to one goroutine.
type Global struct{ bucket bucket }

// NewGlobal returns a bucket with one token.
func NewGlobal(r engine.Rate, now time.Time) *Global {
	g := &Global{}
	g.Reconfigure(r, now)
	return g
}

// Reconfigure changes the rate and keeps the tokens. A tenth of a second's
// worth may leave at once, so that timers that fire late cost no throughput.
func (g *Global) Reconfigure(r engine.Rate, now time.Time) {
	g.bucket.set(r, lateness(r.PerSecond()), now)
}

// lateness is the burst that forgives timers their being late.
func lateness(perSecond float64) int { return int(min(perSecond/10, 1e6)) }

// Limits tells whether there is a limit at all.
func (g *Global) Limits() bool { return g.bucket.limiter != nil }

// Wait is the time until the next token.
func (g *Global) Wait(now time.Time) time.Duration { return g.bucket.wait(now) }
