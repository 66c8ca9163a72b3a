// Package stub is a platform to send to when there is none. It keeps a ledger
// of what reached it, and can be slow, throttle, fail and hang up; what it says
// is up to a Protocol, of which each channel has its own, in a package below the
// adapter's. Adapters and protocols share no words or limits: each is a reading
// of the platform's documentation of its own, so that one checks the other.
//
// Tests, the command `bot stub` and the load test of the channels run against
// it; the load test of the engine has a platform that costs less.
package stub

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"bot/engine"
	"bot/engine/channel"
)

// MaxBody is how many bytes of a request are kept; a Protocol sees no more.
const MaxBody = 1 << 20

// Options is how the platform behaves. Without any but Protocol it answers
// everything as the protocol does, at once.
type Options struct {
	Protocol Maker           // of what the platform speaks
	Account  channel.Account // whose platform it is: its ids, tokens and keys; Name does not matter
	Delay    time.Duration   // before each answer
	// Throttle is the rate beyond which requests are refused in the platform's
	// way; up to Burst (0 = 1) may come together.
	Throttle engine.Rate
	Burst    int
	// Fail and Hang are shares of the requests, 0 to 1: answered 500, and read
	// to the end, carried out, and hung up on without an answer.
	Fail, Hang float64
	// Script chooses the answer instead of all of the above but Delay; nil
	// from it leaves the choice to them. Tests use it for what happens in turn.
	Script func(c Call) *Answer
	// Confirm has the platform say later what became of the calls that it took and
	// that have a key; nil: it says no more. Only some protocols can.
	Confirm *Confirm
	Keep    int              // calls and idempotency keys remembered, the newest; 0 = 10000
	Out     io.Writer        // each call as one line of JSON; nil = none
	Now     func() time.Time // nil = time.Now
	Chance  func() float64   // in [0,1), safe for concurrent use, for Fail and Hang; nil = never
}

// Answer is what a call gets.
type Answer struct {
	Status int // 0 = hang up without one
	Header map[string]string
	Body   string
	// Delay comes on top of the stub's own.
	Delay time.Duration
	// Done says that the call was carried out, so that its idempotency key is
	// known from now on. It is implied by a status of 2xx for a call that has an
	// Action, unless it is Refused.
	Done bool
	// Refused says that the platform declined, whatever the status: nothing was
	// done, nor would it have been done twice.
	Refused bool
}

// carriesOut tells whether the call has had its effect by this answer.
func (a *Answer) carriesOut(c *Call) bool {
	return a.Done || a.Status/100 == 2 && !a.Refused && c.Action != ""
}

// Stub is one platform. It is an http.Handler, safe for concurrent use.
type Stub struct {
	o        Options
	protocol Protocol
	limiter  *rate.Limiter
	client   *http.Client // for callbacks
	ledger   ledger
	printing sync.Mutex
	ids      atomic.Int64
	later    later
}

// New makes a platform; the error is for an account that its protocol cannot
// speak for.
func New(o Options) (*Stub, error) {
	if o.Protocol == nil {
		return nil, errors.New("make stub: no protocol")
	}
	if o.Keep == 0 {
		o.Keep = 10_000
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Chance == nil {
		o.Chance = func() float64 { return 1 }
	}
	s := &Stub{o: o, client: newClient(), ledger: newLedger(o.Keep)}
	var err error
	if s.protocol, err = o.Protocol(&s.o); err != nil {
		return nil, fmt.Errorf("make stub: %w", err)
	}
	if n := o.Throttle.PerSecond(); n > 0 {
		s.limiter = rate.NewLimiter(rate.Limit(n), max(o.Burst, 1))
	}
	return s, nil
}

// Protocol returns what the platform speaks, for what only one platform has.
func (s *Stub) Protocol() Protocol { return s.protocol }

// ServeHTTP enters the call into the ledger before it answers, so that one
// whose answer gets lost is there all the same.
func (s *Stub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, MaxBody))
	if err != nil {
		return // the caller broke off in the middle: no call came about
	}
	c := Call{
		Time: s.o.Now(), Method: r.Method, Path: r.URL.Path, Header: r.Header.Clone(),
		Query: r.URL.Query(), Body: bytes.TrimSpace(body),
	}
	s.protocol.Read(&c)
	a := s.answer(&c)
	c.Status, c.Refused = a.Status, a.Refused
	c = s.ledger.enter(c, a.carriesOut(&c))
	s.print(&c)
	if !pause(r, s.o.Delay+a.Delay) || a.Status == 0 {
		panic(http.ErrAbortHandler) // net/http then closes the connection, and logs nothing
	}
	w.Header().Set("Content-Type", "application/json")
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	w.WriteHeader(a.Status)
	io.WriteString(w, a.Body)
	if s.o.Confirm != nil && c.Key != "" && a.carriesOut(&c) {
		s.confirm(*s.o.Confirm, c.Key)
	}
}

// answer decides by the behaviour asked for, then by the protocol.
func (s *Stub) answer(c *Call) Answer {
	if s.o.Script != nil {
		if a := s.o.Script(*c); a != nil {
			return *a
		}
	}
	if wait := s.throttled(c.Time); wait > 0 {
		return s.protocol.Throttled(wait)
	}
	switch x := s.o.Chance(); {
	case x < s.o.Hang:
		a := s.protocol.Answer(c)
		return Answer{Done: a.carriesOut(c), Refused: a.Refused} // which nobody hears
	case x < s.o.Hang+s.o.Fail:
		return s.protocol.Failed()
	}
	return s.protocol.Answer(c)
}

// throttled is how long the caller should have waited, 0 when it may go on.
func (s *Stub) throttled(now time.Time) time.Duration {
	if s.limiter == nil {
		return 0
	}
	r := s.limiter.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait > 0 {
		r.CancelAt(now) // a refused call uses up nothing
	}
	return wait
}

// pause waits; false when the caller has gone.
func pause(r *http.Request, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}
