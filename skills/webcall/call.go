package webcall

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"bot/engine/fetch"
	"bot/skills/breaker"
	"bot/skills/render"
)

// Result is what a call came to.
type Result struct {
	// Status is that of HTTP, 0 where there was no answer. An answer may have a
	// status and be of no use: then Why says so.
	Status int
	// Response is the answer as templates see it (render.Answer); what is no JSON
	// is a table with the key "text".
	Response any
	JSON     bool // the answer is JSON
	// Why says, in words for the log and without secrets, why there is no answer
	// to work with; "" where there is one.
	Why string
}

// OK tells whether the service did what it was asked for.
func (r *Result) OK() bool { return r.Why == "" && 200 <= r.Status && r.Status < 300 }

// StatusText is the status for a log.
func (r *Result) StatusText() string { return strconv.Itoa(r.Status) }

// The pauses between attempts.
const (
	firstWait = 200 * time.Millisecond
	// maxWait is the longest. A service that asks for a longer one is not asked
	// again: somebody waits for an answer.
	maxWait = 2 * time.Second
)

// Call makes the call for the data of an event. key is its Idempotency-Key (see
// Key), the same at every attempt. Whatever goes wrong is in the result; the error
// is ctx's own, when the turn ended before the call did. A ctx with a deadline
// gets its result a little before it.
//
// Where skills are tried (fetch.WithAnswers) the call takes one answer of the
// list, and there are neither retries nor pauses.
func (s *Service) Call(ctx context.Context, d *render.Data, key string) (Result, error) {
	r, err := s.request(d, key)
	if err != nil {
		return Result{Why: "not called: " + err.Error()}, nil
	}
	if fetch.Tried(ctx) {
		a := s.attempt(ctx, r)
		return a.result(), ctx.Err()
	}
	report, ok := s.breaker.Allow()
	if !ok {
		return Result{Why: "not called: the service failed again and again, and is left alone for a while"}, nil
	}
	verdict := breaker.Void // of a call that we break off ourselves
	defer func() { report(verdict) }()
	a := s.attempts(ctx, r)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	verdict = a.verdict()
	return a.result(), nil
}

// request is one request, ready to be sent any number of times.
type request struct {
	address *url.URL
	header  http.Header
	body    string
	key     string
}

func (s *Service) request(d *render.Data, key string) (r request, err error) {
	r.key = key
	if r.address, err = s.address.fill(d); err != nil {
		return r, err
	}
	if r.header, err = s.fillHeaders(d); err != nil {
		return r, err
	}
	if s.payload != nil {
		if r.body, err = s.payload.fill(d); err != nil {
			return r, err
		}
		if r.header.Get("Content-Type") == "" {
			r.header.Set("Content-Type", s.payload.contentType)
		}
	}
	if r.header.Get("User-Agent") == "" {
		r.header.Set("User-Agent", "bot")
	}
	return r, nil
}

// attempts sends the request until something came of it, or nothing more is to be
// hoped for.
func (s *Service) attempts(ctx context.Context, r request) attempt {
	ctx, cancel := early(ctx)
	defer cancel()
	for n := 0; ; n++ {
		a := s.attempt(ctx, r)
		if n >= s.retries || !s.again(&a) || !sleep(ctx, max(pause(r.key, n), a.after)) {
			return a
		}
	}
}

// early ends a little before ctx does, so that there is time to say that nothing
// came.
func early(ctx context.Context) (context.Context, context.CancelFunc) {
	end, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, end.Add(-min(time.Second, time.Until(end)/10)))
}

// pause is how long to wait after the n-th attempt: twice as long each time, and
// not the same for all who wait, which the key sees to.
func pause(key string, n int) time.Duration {
	sum := sha256.Sum256([]byte(key))
	wait := min(firstWait<<min(n, 10), maxWait)
	return wait/2 + time.Duration(binary.BigEndian.Uint16(sum[:]))*(wait/2)/(1<<16)
}

// sleep waits, unless ctx would end before it does.
func sleep(ctx context.Context, d time.Duration) bool {
	if end, ok := ctx.Deadline(); ok && time.Until(end) <= d {
		return false
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// digest is a short name for a text, of n bytes in hexadecimal.
func digest(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:n])
}
