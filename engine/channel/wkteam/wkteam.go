// Package wkteam is the channel of wkteam.cn (E云管家, "Eyun"), a hosted gateway
// to personal WeChat accounts.
//
// One developer account (one token, one callback address) holds many WeChat
// accounts. A WeChat account is its wcId and stays; each login of it is an
// instance, its wId, and ends. Callbacks name both: the wcId chooses the account
// of the configuration, the wId is remembered and named in requests (instance.go).
//
// # Callbacks
//
// One JSON object per request, "optimised" form (type 2 at registration):
//
//	{"account":"…","messageType":"60001","wcId":"wxid_…","data":{"wId":"…","fromUser":"…","newMsgId":8200000000000000001,…}}
//
// messageType says what it is (kinds.go). data's shape depends on it, and what
// is known of it comes from other people's programs rather than from the
// vendor's pages, so decoding never fails on the type of a field: what is not as
// expected counts as absent. Only a body that is no JSON object, a missing
// messageType and ids that cannot be ids are refused.
//
// # Requests
//
// Everything is a POST of JSON to base_url plus a path, with the token as it is
// in Authorization, answered with HTTP 200 and {"code":"1000"|"1001","message",
// "data"} (verdict.go). The platform has no idempotency key: a request whose
// answer was lost may have been carried out.
package wkteam

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"bot/engine/channel"
)

// Adapter is the channel "wkteam".
var Adapter = channel.Adapter{
	Name:     "wkteam",
	Methods:  []string{http.MethodPost},
	Receiver: func(a []channel.Account, h channel.Host) (channel.Receiver, error) { return newReceiver(a, h) },
	Sender:   func(a channel.Account, h channel.Host) (channel.Sender, error) { return newSender(a, h) },
}

// newReceiver tells accounts that share a path, as all of one developer account
// do, apart by their own id. Either all of them have a secret or none has: beside
// an account without one it would prove nothing.
func newReceiver(accounts []channel.Account, h channel.Host) (*receiver, error) {
	if len(accounts) == 0 {
		return nil, errors.New("no account")
	}
	r := &receiver{memory: h.Memory, bySelf: make(map[string]*account, len(accounts))}
	for i := range accounts {
		a := &accounts[i]
		if a.Self == "" {
			return nil, a.Wrong("self", "self is missing; it is the account's own wcId, like wxid_…, by which callbacks name it")
		}
		if first := r.bySelf[a.Self]; first != nil {
			return nil, a.Wrong("self", "accounts %q and %q share a path and the same self; give one of them another path or remove it", first.name, a.Name)
		}
		if (a.Secret == "") != (accounts[0].Secret == "") {
			return nil, a.Wrong("secret", "accounts %q and %q share a path, so both or neither must have a secret", accounts[0].Name, a.Name)
		}
		one := &account{name: a.Name, self: a.Self, names: a.Names, wID: a.WID, secret: a.Secret, developer: a.Developer, answer: channel.Acknowledge(a.Ack, autoAck)}
		r.accounts, r.bySelf[a.Self] = append(r.accounts, one), one
	}
	return r, nil
}

func newSender(a channel.Account, h channel.Host) (*sender, error) {
	base, err := url.Parse(strings.TrimRight(a.BaseURL, "/") + "/")
	if err != nil { // which quotes the address
		return nil, a.Wrong("base_url", "base_url must be an http or https address, as the console shows it")
	}
	if err := channel.CheckURL(base); err != nil {
		return nil, a.Wrong("base_url", "base_url must be an http or https address, as the console shows it: %v", err)
	}
	if a.Self == "" {
		return nil, a.Wrong("self", "self is missing; it is the account's own wcId, by which its login is found")
	}
	s := &sender{
		client: h.Client, memory: h.Memory, now: h.Now,
		base: base, token: a.Token, name: a.Name, self: a.Self, wID: a.WID, secrets: a.Secrets(),
	}
	// Operators may write a prefix into the token; the platform may quote it without.
	if _, bare, ok := strings.Cut(a.Token, " "); ok {
		s.secrets = append(s.secrets, bare)
	}
	return s, nil
}
