// Package channel is the seam between the engine and the platforms. A channel
// is one kind of platform; each lives in a package of its own below this one
// and turns callbacks into events (Receiver) and commands into requests
// (Sender). Adapters keep no life cycle and never see the store.
package channel

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"bot/engine"
)

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
	Account string // whose it was, where it carries no event and that is known
	// Doorbells are made durable before the answer leaves, and then answered by
	// the Puller of the account's sender.
	Doorbells []Doorbell
}

// Doorbell says that there is something to fetch.
type Doorbell struct {
	Account string
	Source  string // what to fetch from, 1 to 256 bytes, such as a customer-service account
	Token   string // what the platform gave for fetching; may be ""
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
// share it. Receive changes its argument and nothing durable, waits for nothing,
// and is safe for concurrent use. Its error is always a *Refusal.
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
	// Halted: nothing of this account will go before a person acts or it is back:
	// it is logged out, its address is not allowed, it may not use the interface.
	// It costs no attempt and holds the whole account, which looks again now and
	// then.
	Halted Class = "halted"
	// Credential: the token was refused. It is tried once more at once, in case a
	// fresh one was fetched meanwhile; refused again it counts as Halted.
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
//
// note is what the platform said of a command that it carried out, where a
// later one may need it (a message's id to revoke it, a new group's id): a JSON
// object of at most MaxNote bytes, or "".
type Sender interface {
	Send(ctx context.Context, c *engine.Command) (note string, err error)
	// Needs tells whether the platform has the action at all, and the params
	// without which it cannot be done. What the platform cannot do is a problem of
	// the configuration, a missing param one of whoever asks.
	Needs(a engine.Action) (params []string, can bool)
}

// MaxNote bounds the note of a command that was carried out, in bytes.
const MaxNote = 512

// MaxKey bounds the key of a confirmation, in bytes.
const MaxKey = 512

// What a Sender may be besides. Each makes requests of its own, with the
// account's credentials, and its errors are *SendErrors.
type (
	// Prober tells whether the account is connected to its platform.
	Prober interface {
		Online(ctx context.Context) (online bool, note string, err error)
	}
	// Registrar tells the platform where to call. It is only ever run by an
	// operator's command.
	Registrar interface {
		Register(ctx context.Context, callback string) error
	}
	// Caller makes any call of the platform's interface, for operators: the
	// account's id and credentials are added, the envelope is taken off.
	Caller interface {
		Call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error)
	}
	// Puller fetches what a doorbell announced, one page after cursor ("" begins).
	// token is the doorbell's, "" when the engine looks without having been rung.
	Puller interface {
		Pull(ctx context.Context, source, token, cursor string) (Page, error)
	}
	// Repeater tells which commands may be sent again when nobody knows whether
	// they went out, where that is not true of all; an account's on_doubt =
	// "resend" then holds the others for a person.
	Repeater interface {
		Repeatable(c *engine.Command) bool
	}
	// Confirmer tells which commands are only accepted when Send returns: the
	// platform says later, by an event of the kind engine.Confirmed, whether it
	// carried them out. Awaits is given a command that was sent and its note, and
	// returns the key by which that event will speak of it, at most MaxKey bytes; ""
	// when none is to come. It is asked before the command is sent as well, without
	// a note: a key that can be told then is good even if the answer is lost. A command
	// that was given up is known by its task id alone.
	Confirmer interface {
		Awaits(c *engine.Command, note string) (key string)
	}
	// Latecomer says why a command cannot be said once its ticket has expired; ""
	// when it can, as any other command of its account. It answers at once.
	Latecomer interface {
		TooLate(c *engine.Command) (reason string)
	}
	// OneToOne tells which conversations are with one person whose silence is to
	// stop an account that has a limit of messages without an answer; it answers at
	// once. Where an adapter cannot tell, it is every one.
	OneToOne interface {
		OneToOne(conversation string) bool
	}
	// Explainer says why the platform cannot do an action in answer to an event of
	// the kind, or why it lacks the action ("" as the kind); "" when it can, or when
	// there is no more to say than that it lacks it. What it gives a reason for is
	// a problem of the configuration.
	Explainer interface {
		Cannot(on engine.Kind, a engine.Action) (reason string)
	}
	// Hurried says how long after an event of the kind the platform still takes an answer
	// to it, of which there is one, and why; 0 where that is not known before the event comes.
	Hurried interface {
		Within(on engine.Kind) (limit time.Duration, reason string)
	}
	// Shower shows a text that is still growing in the place where the
	// conversation's answer will stand. It may do nothing.
	Shower interface {
		Show(t engine.Ticket, text string)
	}
)

// Page is what one Pull brought. Its cursor is remembered in the act that logs
// its events.
type Page struct {
	Events []*engine.Event
	Cursor string
	More   bool // come back at once
}

// Memory is what adapters keep of their accounts. Recall sees every Remember
// and every engine.Note whose act returned. Both are safe for concurrent use.
// Keys that begin with contact/, cursor/, fact/, given/, health/, hold/, known/, pace/, quota/ or ring/ are
// the engine's own.
type Memory interface {
	// Recall returns the value under the key, "" when there is none or it has
	// expired. It reads, and waits for nothing else.
	Recall(account, key string) string
	// Remember returns when the notes are on disk.
	Remember(ctx context.Context, account string, notes ...engine.Note) error
}

// Host is what the engine lends to adapters. All fields are required.
type Host struct {
	Client *http.Client // for requests to the platform's own address
	// Fetch is for addresses that users or skills gave: it does not reach
	// private networks, and its bodies must be bounded by whoever reads them.
	Fetch  *http.Client
	Memory Memory
	Now    func() time.Time
}

// Adapter is a channel's constructor pair. Receiver gets all accounts of this
// channel that share one path. What is wrong with an account is a *SettingError.
type Adapter struct {
	Name string
	// Methods are what the platform calls with; nil means POST alone.
	Methods []string
	// Calls tells whether the platform calls for this account at all; nil: for
	// every one.
	Calls    func(account Account) bool
	Receiver func(accounts []Account, h Host) (Receiver, error)
	Sender   func(account Account, h Host) (Sender, error)
}
