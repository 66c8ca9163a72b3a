package ingress

import (
	"context"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"bot/engine/clip"
)

// maxLoggedBody bounds the body in a debug line.
const maxLoggedBody = 4 << 10

// log writes the callback's line, or one for each of its events. What was
// refused before an event was known may be anybody's, so that only some of it
// is told.
func (c *callback) log(status int, took time.Duration) {
	level := levelOf(status)
	if !c.in.o.Log.Enabled(context.Background(), level) {
		return
	}
	for n, e := range c.receipt.Events {
		c.line(level, status, took, c.fates[n], c.route.label(e.Account),
			slog.String("kind", string(e.Kind)), slog.String("msg_id", e.ID),
			slog.String("user", e.Sender), slog.String("conversation", e.Conversation))
	}
	reason := c.whole()
	if reason == "" {
		return
	}
	left, ok := c.in.sample.take(time.Now())
	if !ok {
		return
	}
	var about []slog.Attr
	if c.receipt.Foreign != "" {
		about = append(about, slog.String("foreign", clip.Dots(c.receipt.Foreign, 512)))
	}
	if left > 0 {
		about = append(about, slog.Int64("not_logged", left))
	}
	f := fate{refused, reason}
	if reason == nothing || reason == bell {
		f.outcome = answered
	}
	c.line(level, status, took, f, c.route.label(c.receipt.Account), about...)
}

func levelOf(status int) slog.Level {
	switch {
	case status < 400:
		return slog.LevelInfo
	case status < 500, status == http.StatusServiceUnavailable:
		return slog.LevelWarn
	default:
		return slog.LevelError
	}
}

func (c *callback) line(level slog.Level, status int, took time.Duration, f fate, account string, about ...slog.Attr) {
	attrs := make([]slog.Attr, 0, 16)
	attrs = append(attrs, slog.String("account", account), slog.String("channel", c.route.Channel))
	attrs = append(attrs, about...)
	attrs = append(attrs, slog.String("outcome", string(f.outcome)))
	if f.reason != "" {
		attrs = append(attrs, slog.String("reason", f.reason))
	}
	attrs = append(attrs, slog.Int("status", status), slog.Float64("took_ms", float64(took.Microseconds())/1000))
	if c.err != nil && f.reason == c.refused {
		attrs = append(attrs, slog.String("error", c.err.Error()))
	}
	if c.in.o.Log.Enabled(context.Background(), slog.LevelDebug) {
		attrs = append(attrs, slog.String("body", c.route.redactor.redact(c.body.String(), maxLoggedBody)), c.route.redactor.headers(c.http.Header))
	}
	c.in.o.Log.LogAttrs(context.Background(), level, "callback", attrs...)
}

// headers shows a request's headers without what opens doors.
func (r *redactor) headers(h http.Header) slog.Attr {
	attrs := make([]any, 0, len(h))
	for _, name := range slices.Sorted(maps.Keys(h)) {
		v := hidden
		if !secret(name) {
			v = r.redact(strings.Join(h[name], ", "), maxLoggedBody)
		}
		attrs = append(attrs, slog.String(name, v))
	}
	return slog.Group("headers", attrs...)
}

// secret goes by the words that platforms put into such names: Authorization,
// Webhook-Signature, X-Api-Key, X-GEWE-TOKEN, Cookie, …
func secret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"auth", "sign", "token", "secret", "key", "cookie", "password"},
		func(word string) bool { return strings.Contains(name, word) })
}

// sampler lets some lines through and counts the others, so that a flood of
// requests from anybody cannot fill the log.
type sampler struct {
	limiter *rate.Limiter
	left    atomic.Int64
}

const (
	sampleRate  = 10 // lines a second
	sampleBurst = 20
)

func newSampler() sampler { return sampler{limiter: rate.NewLimiter(sampleRate, sampleBurst)} }

// take tells whether a line may be written, and how many were not since the
// last one.
func (s *sampler) take(now time.Time) (left int64, ok bool) {
	if !s.limiter.AllowN(now, 1) {
		s.left.Add(1)
		return 0, false
	}
	return s.left.Swap(0), true
}
