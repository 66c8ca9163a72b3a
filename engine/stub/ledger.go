package stub

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"bot/engine"
)

// Call is one request that reached the stub whole.
type Call struct {
	Seq    int // from 1, in the order of the ledger
	Time   time.Time
	Method string
	Path   string
	Header http.Header
	Query  url.Values
	Body   []byte
	// Key is what the platform knows a repeat by: "" where it has no such thing
	// and would do a call twice. Neither can the stub tell then: the same words
	// to the same person may well be meant.
	Key string
	// Authorized: it carries a token or key that is good at this platform. Where
	// the account has none, any is.
	Authorized bool
	// What it was, as far as the platform understood it, or would have been if it
	// was refused. Calls that have no effect, such as fetching a token, have no
	// Action.
	Action  engine.Action
	To      string // the conversation
	Text    string
	Repeat  bool // a call with this key was carried out before
	Status  int  // of the answer; 0 = hung up on
	Refused bool // Answer.Refused
}

// Good tells whether a call's credential is the account's, or there at all where
// the account has none.
func Good(credential, want string) bool {
	return credential != "" && (want == "" || credential == want)
}

// JSON decodes the body's members; nil when it is no JSON object.
func (c *Call) JSON() map[string]any {
	var m map[string]any
	if json.Unmarshal(c.Body, &m) != nil {
		return nil
	}
	return m
}

// Counts is the ledger summed up over the stub's whole life.
type Counts struct {
	Calls   int // all
	Done    int // carried out, each idempotency key once; all of them where there are none
	Repeats int // carried out before: a platform without dedup would have done it twice
}

// ledger keeps the newest calls and keys. Waiters are woken by closing the
// channel of the current round.
type ledger struct {
	mu     sync.Mutex
	keep   int
	calls  []Call
	keys   map[string]struct{}
	order  []string // of keys, oldest first
	counts Counts
	more   chan struct{}
}

func newLedger(keep int) ledger {
	return ledger{keep: keep, keys: make(map[string]struct{}), more: make(chan struct{})}
}

// enter numbers the call, tells whether it is a repeat, and keeps it.
func (l *ledger) enter(c Call, done bool) Call {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts.Calls++
	c.Seq = l.counts.Calls
	if _, known := l.keys[c.Key]; known && !c.Refused {
		c.Repeat = true
		l.counts.Repeats++
	} else if done {
		l.counts.Done++
		l.learn(c.Key)
	}
	if len(l.calls) >= 2*l.keep { // move rarely, so that a call costs little
		l.calls = append(l.calls[:0], l.calls[len(l.calls)-l.keep:]...)
	}
	l.calls = append(l.calls, c)
	close(l.more)
	l.more = make(chan struct{})
	return c
}

func (l *ledger) learn(key string) {
	if key == "" {
		return
	}
	if len(l.order) >= l.keep {
		delete(l.keys, l.order[0])
		l.order = l.order[1:]
	}
	l.keys[key] = struct{}{}
	l.order = append(l.order, key)
}

// find returns the kept calls that match, and what is closed at the next one.
func (l *ledger) find(match func(Call) bool) ([]Call, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var found []Call
	for _, c := range l.calls[max(0, len(l.calls)-l.keep):] {
		if match == nil || match(c) {
			found = append(found, c)
		}
	}
	return found, l.more
}

// Calls returns the kept calls that match, oldest first; nil matches all.
func (s *Stub) Calls(match func(Call) bool) []Call {
	found, _ := s.ledger.find(match)
	return found
}

// Wait returns the matching calls as soon as there are n of them, or what
// there is, with an error, when ctx is done.
func (s *Stub) Wait(ctx context.Context, n int, match func(Call) bool) ([]Call, error) {
	for {
		found, more := s.ledger.find(match)
		if len(found) >= n {
			return found, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return found, fmt.Errorf("wait for %d calls, have %d: %w", n, len(found), ctx.Err())
		}
	}
}

// Counts sums up the ledger.
func (s *Stub) Counts() Counts {
	s.ledger.mu.Lock()
	defer s.ledger.mu.Unlock()
	return s.ledger.counts
}

// Text matches the texts sent to one conversation, or to all with "", but not
// those that the platform refused.
func Text(to string) func(Call) bool {
	return func(c Call) bool {
		return c.Action == engine.SendText && !c.Refused && (to == "" || c.To == to)
	}
}
