// Package qiwe is the channel of the QiWe platform (QiWeAPI, "e云企微"): a hosted
// gateway that logs a member of WeCom in on a rented device and speaks for them.
// It is not the official WeCom API. docs/channels/qiwe.md tells operators what
// it can do and which of the facts below nobody could verify.
//
// # Callbacks
//
// One POST carries any number of events, of any device of one token; the guid
// in each says which device, and so which account. The body has been seen in
// five shapes (envelope.go). Each event has a cmd, and most have a msgType:
//
//	15000           a message (message.go), or a group's notice where isRoomNotice is 1
//	15500           a notice about a group (group.go) or a contact (contact.go)
//	11016           the account's own connection (status.go)
//	20000           the result of a call that was answered later (status.go)
//
// # Requests
//
// Everything is a POST of {"method","params"} to one address (call.go); send.go
// has the table of what the engine asks for and what it is there.
package qiwe

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"bot/engine/channel"
)

// Adapter is the channel "qiwe".
var Adapter = channel.Adapter{
	Name:     "qiwe",
	Methods:  []string{http.MethodPost},
	Receiver: newReceiver,
	Sender:   newSender,
}

// newReceiver tells the accounts of a path apart by their guids. They have one
// secret together: a callback address is registered with its secret once for
// all devices of a token.
func newReceiver(accounts []channel.Account, h channel.Host) (channel.Receiver, error) {
	if len(accounts) == 0 {
		return nil, errors.New("no account")
	}
	first := &accounts[0]
	r := &receiver{memory: h.Memory, secret: first.Secret, accounts: make(map[string]*account, len(accounts))}
	for i := range accounts {
		a := &accounts[i]
		if err := checkIDs(a); err != nil {
			return nil, err
		}
		guid := strings.ToLower(a.GUID)
		if other, taken := r.accounts[guid]; taken {
			return nil, a.Wrong("guid", "guid is that of account %q on the same path; each device is one account", other.name)
		}
		if a.Secret != first.Secret {
			return nil, a.Wrong("secret", "secret differs from that of account %q on the same path; make them equal, or give it a path of its own", first.Name)
		}
		one := &account{name: a.Name, self: a.Self, names: a.Names, answer: acknowledge(a.Ack)}
		if r.first == nil {
			r.first = one
		}
		r.accounts[guid] = one
	}
	return r, nil
}

// checkIDs finds what is wrong with what tells accounts apart.
func checkIDs(a *channel.Account) error {
	switch {
	case a.GUID == "":
		return a.Wrong("guid", "guid is missing: the device's id in the console of the platform")
	case a.Self != "" && !isDigits(a.Self):
		return a.Wrong("self", `self is not a user id of the platform, which is a number like "1688850000000000"`)
	}
	return nil
}

func newSender(a channel.Account, h channel.Host) (channel.Sender, error) {
	if err := checkIDs(&a); err != nil {
		return nil, err
	}
	if a.Token == "" {
		return nil, a.Wrong("token", "token is missing: the X-QIWEI-TOKEN from the token centre of the platform's console")
	}
	address, err := address(&a)
	if err != nil {
		return nil, err
	}
	s := &sender{
		name: a.Name, guid: a.GUID, secret: a.Secret, address: address,
		header:  http.Header{"Content-Type": {"application/json"}, tokenHeader: {a.Token}},
		secrets: a.Secrets(), client: h.Client, memory: h.Memory, now: h.Now,
	}
	return s, nil
}

// tokenHeader is X-QIWEI-TOKEN in the form that net/http calls canonical.
var tokenHeader = http.CanonicalHeaderKey("X-QIWEI-TOKEN")

// The interface's paths at the two addresses where it has been seen. The first
// is confirmed by several users, the second by one.
const (
	usualPath = "/qiwe/api/qw"
	apiPath   = "/api/qw"
	apiHost   = "api.qiweapi.com"
	vendor    = "qiweapi.com"
)

// address is where requests go.
func address(a *channel.Account) (*url.URL, error) {
	const like = "it must be like https://manager.qiweapi.com" + usualPath
	u, err := url.Parse(strings.TrimRight(a.BaseURL, "/"))
	if err != nil { // which quotes the address
		return nil, a.Wrong("base_url", "base_url is no web address; %s", like)
	}
	if err := channel.CheckURL(u); err != nil {
		return nil, a.Wrong("base_url", "base_url: %v; %s", err, like)
	}
	host := strings.ToLower(u.Hostname())
	if u.Scheme != "https" && (host == vendor || strings.HasSuffix(host, "."+vendor)) {
		return nil, a.Wrong("base_url", "base_url is not https, and the token would cross the internet in clear; %s", like)
	}
	u.Path = strings.TrimSuffix(u.Path, "/doApi")
	switch {
	case u.Path != "":
	case host == apiHost:
		u.Path = apiPath
	default:
		u.Path = usualPath
	}
	return u.JoinPath("doApi"), nil
}
