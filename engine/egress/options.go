package egress

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/metrics"
	"bot/engine/pace"
	"bot/engine/quota"
	"bot/store"
)

// Account is how commands of one account are sent.
type Account struct {
	Sender  channel.Sender
	Limits  pace.Limits
	OnDoubt string // what to do when nobody knows whether a command went out: Hold or Resend
	// Attempts bounds the requests for one command that are charged to it;
	// below 1 counts as 1.
	Attempts int
	// Backoff is the longest wait before the first retry and before any:
	// the n-th is drawn evenly from nought to Min·2ⁿ⁻¹, at most Max.
	Backoff engine.Range
	// GiveUp bounds the life of a command from the time it was due, whatever
	// the reason that it has not left. 0 is no limit.
	GiveUp  time.Duration
	Timeout time.Duration // of one request; 0 is 30 s
	// ConfirmWithin is how long a command waits for the platform to confirm that it
	// was carried out, where its Sender is a channel.Confirmer; 0 is 5 s.
	ConfirmWithin time.Duration
	// Quota is how much it may say unasked.
	Quota quota.Limits
	// LateReply is what becomes of a reply whose ticket has expired: PushLate or
	// DropLate.
	LateReply string
}

// The values of Account.OnDoubt. Anything else is sent no second time, as with Hold;
// see Account.Check.
const (
	Hold   = "hold"   // keep it for a person and let its successors go
	Resend = "resend" // try again in its place, as after a failure
)

// Doubts are the values of Account.OnDoubt.
func Doubts() []string { return []string{Hold, Resend} }

// Check says which of the account's words is none. A configuration that was checked
// has none of that kind: whoever makes accounts otherwise is to ask.
func (a *Account) Check() error {
	if !slices.Contains(Doubts(), a.OnDoubt) {
		return fmt.Errorf("on_doubt: there is no %q (known: %s)", a.OnDoubt, strings.Join(Doubts(), ", "))
	}
	if !slices.Contains(LateReplies(), a.LateReply) {
		return fmt.Errorf("late_reply: there is no %q (known: %s)", a.LateReply, strings.Join(LateReplies(), ", "))
	}
	return nil
}

// Options is what an Egress needs. Only Outbox is required.
//
// All funcs but Recall, Unheard and Now are called by the goroutine of Run alone. Those that
// are asked answer from memory, or by a read of the store, which is microseconds of
// a mapped file; those that are told must not block. Where one is nil nothing is
// in the way of a command, and nobody is told.
type Options struct {
	Outbox   store.Outbox
	Global   engine.Rate // of all accounts together
	Accounts map[string]Account

	// Unwanted says why a command is not to be sent any more, "" while it is.
	// It is asked before a command is marked and just before its first byte
	// leaves. A command that is not wanted is dead.
	Unwanted func(c *engine.Command) string
	// Vet looks at what a command says, at the same two times, and leaves the
	// command as it is.
	Vet func(c *engine.Command) Vetted
	// Recall reads an account's note, "" when there is none. How an account stood
	// with its platform, and what quotas count, is written as notes with the marks
	// and settlements of its commands; what calls a command off
	// (engine.Command.Unless) is in the note that it names. nil = that is forgotten
	// with the process, and nothing is called off.
	Recall func(account, key string) (string, error)
	// Adds puts into a settlement what the act that writes it down is to learn and to
	// count besides, and changes nothing else of it; taken says that this is the news
	// that the platform took the command.
	Adds func(c *engine.Command, s *store.Settlement, taken bool)

	// Sending is told of a command that is about to be sent, in the words in which it is.
	Sending func(c *engine.Command)
	// Found is told once of each command in which listed words were found.
	Found func(c *engine.Command, v Vetted)
	// Settled is told how an attempt at a command, or the command itself, ended, when
	// that is on disk. failure is the attempt's, nil where none failed.
	Settled func(c *engine.Command, s *store.Settlement, failure *channel.SendError)
	// Unheard is asked, by whoever called Confirm, for a command that was given up, and
	// of which its platform says by this key that it carried it out all the same. It
	// returns when that is on disk; known tells that there is such a command.
	Unheard func(ctx context.Context, account, key, note string) (known bool, err error)
	// Halted is told that an account's platform began to refuse to serve it
	// (channel.Halted).
	Halted func(account, note string)
	// Throttling is told that a platform began to throttle an account, lets no more
	// than a probe through, or lets it send as before.
	Throttling func(Throttling)

	Now     func() time.Time // the store's clock; what waits for it is looked at once a minute at least
	Chance  func() float64   // in [0,1)
	Grace   time.Duration    // for requests in flight when Run is to end
	Log     *slog.Logger
	Metrics *metrics.Metrics
}

// complete fills in what may be left out.
func (o *Options) complete() {
	if o.Unwanted == nil {
		o.Unwanted = func(*engine.Command) string { return "" }
	}
	if o.Vet == nil {
		o.Vet = func(c *engine.Command) Vetted { return Vetted{Command: c} }
	}
	if o.Sending == nil {
		o.Sending = func(*engine.Command) {}
	}
	if o.Adds == nil {
		o.Adds = func(*engine.Command, *store.Settlement, bool) {}
	}
	if o.Settled == nil {
		o.Settled = func(*engine.Command, *store.Settlement, *channel.SendError) {}
	}
	if o.Unheard == nil {
		o.Unheard = func(context.Context, string, string, string) (bool, error) { return false, nil }
	}
	if o.Halted == nil {
		o.Halted = func(string, string) {}
	}
	if o.Throttling == nil {
		o.Throttling = func(Throttling) {}
	}
	if o.Recall == nil {
		o.Recall = func(string, string) (string, error) { return "", nil }
	}
	if o.Found == nil {
		o.Found = func(*engine.Command, Vetted) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Chance == nil {
		o.Chance = rand.Float64
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Metrics == nil {
		o.Metrics = metrics.New()
	}
}
