package generic

import (
	"bytes"
	"errors"
	"net/http"

	"bot/engine"
	"bot/engine/channel"
)

// receiver reads the callbacks of one path.
type receiver struct {
	accounts []*account
	signed   bool
}

// account is one of a path's accounts, ready to be matched and answered for.
type account struct {
	name         string
	appID        string
	webhook      *channel.Webhook // nil: not signed
	typed, plain channel.Answer   // to the two forms
}

// Receive verifies before it parses: until then the bytes are anybody's.
func (r *receiver) Receive(q *channel.Request) (channel.Receipt, error) {
	trusted, err := r.verify(q)
	if err != nil {
		return channel.Receipt{}, err
	}
	b, err := scan(q.Body)
	if err != nil {
		return channel.Receipt{}, refuse(&b, "json", err.Error())
	}
	appID, ok := b.appID.optionalID()
	if !ok {
		return channel.Receipt{}, refuse(&b, "ids", "appId is not a string of at most 512 bytes")
	}
	a, refusal := r.choose(trusted, appID)
	if refusal != "" {
		return channel.Receipt{}, r.misaddressed(&b, refusal)
	}
	if a == nil {
		return channel.Receipt{Foreign: appID, Answer: r.accounts[0].answer(&b)}, nil
	}
	e, detail := b.event()
	if detail != "" {
		return channel.Receipt{}, refuse(&b, "ids", detail)
	}
	e.Account = a.name
	if a.appID == "" {
		e.Receiver = appID // one account may stand for many here
	}
	e.Raw = bytes.Clone(q.Body)
	return channel.Receipt{Events: []*engine.Event{e}, Answer: a.answer(&b)}, nil
}

// verify returns the accounts that this request may speak to: all of an
// unsigned path, those of the key that signed it on a signed one.
func (r *receiver) verify(q *channel.Request) ([]*account, error) {
	if !r.signed {
		return r.accounts, nil
	}
	var trusted []*account
	var refusal error
	for _, a := range r.accounts {
		err := a.webhook.Verify(q.Header, q.Body, q.Now)
		switch {
		case err == nil:
			trusted = append(trusted, a)
		case refusal == nil || reason(err) == "timestamp": // signed, but not now: says more than "not signed"
			refusal = err
		}
	}
	if trusted == nil {
		return nil, refusal
	}
	return trusted, nil
}

func reason(err error) string {
	if r, ok := errors.AsType[*channel.Refusal](err); ok {
		return r.Reason
	}
	return ""
}

// choose finds the account that appID means. None and no refusal: it is
// somebody else's.
func (r *receiver) choose(trusted []*account, appID string) (a *account, refusal string) {
	if a := named(trusted, appID); a != nil {
		return a, ""
	}
	switch {
	case appID == "" && len(trusted) == 1:
		return trusted[0], ""
	case appID == "":
		return nil, "ids"
	case named(r.accounts, appID) != nil:
		return nil, "signature"
	}
	return named(trusted, ""), ""
}

func named(accounts []*account, appID string) *account {
	for _, a := range accounts {
		if a.appID == appID {
			return a
		}
	}
	return nil
}

// misaddressed refuses what reached the right path and no account of it.
func (r *receiver) misaddressed(b *body, reason string) *channel.Refusal {
	if reason == "signature" {
		return &channel.Refusal{Reason: reason, Detail: "signed with another account's secret",
			Answer: channel.TextAnswer(http.StatusUnauthorized, "unauthorized")}
	}
	return refuse(b, reason, "no appId, and several accounts share the path")
}

func (a *account) answer(b *body) channel.Answer {
	if b.isPlain() {
		return a.plain
	}
	return a.typed
}
