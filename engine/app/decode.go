package app

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"bot/engine/channel"
)

// Decoded is what a captured callback reads as.
type Decoded struct {
	Receipt channel.Receipt
	Refusal *channel.Refusal // nil: it is taken
	// Stale is how far the callback's signed time is off, where a running engine
	// would refuse it for that; captured callbacks are always old.
	Stale time.Duration
}

// Decode reads a callback as the account's path would, without an engine. The
// error is that there is no such account, or none that is called.
func (p *Plan) Decode(account string, q *channel.Request) (Decoded, error) {
	for i := range p.routes {
		if _, ours := p.routes[i].Accounts[account]; ours {
			q.Path = p.routes[i].Path
			return decode(p.routes[i].Receiver, q)
		}
	}
	if _, known := p.senders[account]; known {
		return Decoded{}, fmt.Errorf("account %q is never called by its platform", account)
	}
	return Decoded{}, fmt.Errorf("there is no account %q", account)
}

func decode(r channel.Receiver, q *channel.Request) (Decoded, error) {
	receipt, err := r.Receive(q)
	refusal, ok := errors.AsType[*channel.Refusal](err)
	if err != nil && !ok {
		return Decoded{}, err
	}
	signed := signedAt(q)
	if !ok || refusal.Reason != "timestamp" || signed.IsZero() {
		return Decoded{Receipt: receipt, Refusal: refusal}, nil
	}
	stale := q.Now.Sub(signed)
	q.Now = signed
	d, err := decode(r, q)
	if d.Refusal != nil && d.Refusal.Reason == "timestamp" {
		return Decoded{Refusal: refusal}, nil
	}
	d.Stale = stale
	return d, err
}

// signedAt is the time that a callback was signed with, by the ways in which
// platforms say it; zero when it says none, or the one that it was read at.
func signedAt(q *channel.Request) time.Time {
	for _, s := range []string{q.Query.Get("timestamp"), q.Header.Get(channel.WebhookTimestamp)} {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && n > 0 && n < 1e11 && n != q.Now.Unix() {
			return time.Unix(n, 0)
		}
	}
	return time.Time{}
}
