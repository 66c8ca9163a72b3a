package stub

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"bot/engine"
)

// patience is how long a platform waits for the answer to a callback, and
// repeats how often it calls again.
const (
	patience = 5 * time.Second
	repeats  = 3
)

// maxIdle is how many connections are kept for the next callbacks: as many as a
// load test has callers at once.
const maxIdle = 256

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, MaxIdleConnsPerHost: maxIdle, IdleConnTimeout: time.Minute,
	}}
}

// Close ends what is to be confirmed later and lets go of the connections that
// callbacks left behind, as Run does at its end. It is for a stub that is served by
// other means.
func (s *Stub) Close() {
	s.later.end()
	s.client.CloseIdleConnections()
}

// Told is what became of a callback.
type Told struct {
	Status int
	Body   []byte
	Calls  int // made, repeats included
	Taken  bool
}

// Tell makes the callback that says what happened to the bot's address target,
// and repeats it as platforms do when the answer is late or no success. The
// error is that of the last call.
func (s *Stub) Tell(ctx context.Context, target string, what Said) (Told, error) {
	what = s.Filled(what)
	var told Told
	var err error
	for n := range repeats + 1 {
		told.Calls = n + 1
		told.Status, told.Body, err = s.tell(ctx, target, what, n)
		if told.Taken = err == nil && s.protocol.Accepted(told.Status, told.Body); told.Taken || ctx.Err() != nil {
			break
		}
	}
	return told, err
}

func (s *Stub) tell(ctx context.Context, target string, what Said, repeat int) (int, []byte, error) {
	r, err := s.protocol.Callback(target, what, repeat)
	if err != nil {
		return 0, nil, fmt.Errorf("make callback: %w", err)
	}
	return s.Deliver(ctx, r)
}

// Filled returns what happened with its kind, a type, an identity that no other
// has, and the time, where they are missing.
func (s *Stub) Filled(what Said) Said {
	what.Kind = cmp.Or(what.Kind, engine.Message)
	what.Type = cmp.Or(what.Type, "text")
	what.ID = cmp.Or(what.ID, strconv.FormatInt(s.ids.Add(1)+s.o.Now().UnixNano(), 10))
	if what.Time.IsZero() {
		what.Time = s.o.Now()
	}
	return what
}

// Deliver makes one callback and reads up to MaxBody bytes of its answer. It
// waits for five seconds, as platforms do.
func (s *Stub) Deliver(ctx context.Context, r *http.Request) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	resp, err := s.client.Do(r.WithContext(ctx))
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(io.LimitReader(resp.Body, MaxBody))
	return resp.StatusCode, body, err
}
