// Package channel is the seam between the engine and the platforms. A channel
// is one kind of platform; each lives in a package of its own below this one
// and turns callbacks into events (Receiver) and commands into requests
// (Sender). Adapters keep no life cycle and never see the store.
package channel

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"bot/engine"
)

// Account is one configured account, as an adapter needs it. Secrets are plain
// here; an adapter must not let them into an error, an answer or a log.
type Account struct {
	Name    string
	BaseURL string
	AppID   string
	Token   string // outbound
	Secret  string // inbound signature; "" = callbacks are not verified
	Ack     string // auto | success | json | empty | a literal
	MaxSkew time.Duration
}

// Request is one callback as it arrived; Body is complete and bounded. Body is
// lent: it is overwritten once Receive has returned, so what an event keeps
// (Raw among it) must be a copy.
type Request struct {
	Method string
	Path   string
	Query  url.Values
	Header http.Header
	Body   []byte
	Now    time.Time
}

// Answer is what the platform is told.
type Answer struct {
	Status      int
	ContentType string // "" = none
	Body        []byte
}

// Receipt is a callback that was verified and read. Events of accounts that
// are not ours are left out; Foreign then names whose it was.
type Receipt struct {
	Events  []*engine.Event
	Answer  Answer // for first arrivals and duplicates alike
	Foreign string // the unknown account's id in the body; "" when it was ours
}

// Refusal is a callback that is not taken: an error with the answer the
// platform gets.
type Refusal struct {
	Reason string // signature, timestamp, json, ids, …: a metric label, no detail
	Detail string // for the log; never the body and never a secret
	Answer Answer
}

func (r *Refusal) Error() string {
	if r.Detail == "" {
		return "callback refused: " + r.Reason
	}
	return "callback refused: " + r.Reason + ": " + r.Detail
}

// Receiver reads callbacks that arrive on one path, for all accounts that
// share it. Receive touches nothing but its argument and is safe for
// concurrent use. Its error is always a *Refusal.
type Receiver interface {
	Receive(r *Request) (Receipt, error)
}

// Class sorts failed sends by what is to be done about them.
type Class string

// The classes of failure. A nil error is success.
const (
	// Transient: it did not happen; try again with back-off.
	Transient Class = "transient"
	// Unreachable: no connection came about; the endpoint is down. It costs no
	// attempt and holds the whole account for a while.
	Unreachable Class = "unreachable"
	// Throttled: the platform asks to wait until Until (zero: as the engine
	// sees fit). It costs no attempt and holds the whole account.
	Throttled Class = "throttled"
	// Credential: the token was refused; refresh once and try again.
	Credential Class = "credential"
	// Permanent: it will never work; dead letter at once.
	Permanent Class = "permanent"
	// Unsure: the request was written and no answer was read; nobody knows.
	Unsure Class = "unknown"
)

// SendError is a send that did not succeed.
type SendError struct {
	Class  Class
	Status int       // HTTP status, 0 when there was none
	Until  time.Time // of Throttled
	Note   string    // the platform's words, bounded, without secrets
}

func (e *SendError) Error() string {
	return fmt.Sprintf("send: %s (status %d): %s", e.Class, e.Status, e.Note)
}

// Sender carries out commands of one account. Its error is always a
// *SendError. It makes one attempt, at most one request that has an effect,
// and is safe for concurrent use. ctx carries the time limit of the attempt.
type Sender interface {
	Send(ctx context.Context, c *engine.Command) error
	// Can tells whether the platform has the action at all; what it cannot
	// do is a problem of the configuration.
	Can(a engine.Action) bool
}

// Adapter is a channel's constructor pair. Receiver gets all accounts of this
// channel that share one path. Errors say what is wrong with the accounts.
type Adapter struct {
	Name string
	// Methods are what the platform calls with; nil means POST alone.
	Methods  []string
	Receiver func(accounts []Account) (Receiver, error)
	Sender   func(account Account, client *http.Client) (Sender, error)
}
