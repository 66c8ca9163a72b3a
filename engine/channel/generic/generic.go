// Package generic is the channel of home-made and neutral gateways: plain JSON
// in, plain JSON out.
//
// # Callbacks
//
// Two forms arrive on one path. A typed event is told by its type and eventId:
//
//	{"type":"FRIEND_REQUEST","eventId":"…","appId":"…","scene":"…"}    optional: fromUser, nickname, content, timestamp
//	{"type":"FRIEND_ADDED","eventId":"…","appId":"…","fromUser":"…"}   optional: msgId, nickname, timestamp
//
// A third one is our own, for gateways that take a command first and carry it out
// later (an account with confirm = true):
//
//	{"type":"COMMAND_RESULT","eventId":"…","appId":"…","taskId":"…","status":"ok"}   or "failed"; optional: reason
//
// The taskId is the Idempotency-Key of the request. It is read whatever the account
// says of confirm: what was sent before that was changed is confirmed yet.
//
// A plain message carries a msg_id and not both of those:
//
//	{"msg_id":"…","sender":"…","content":"…"}                          optional: appId, nickname, timestamp
//
// Identities (type, eventId, msgId, msg_id, sender, fromUser, appId) are JSON
// strings of 1 to 512 bytes. A number is refused: gateways whose ids pass
// through floating point somewhere merge neighbours, and here it would show
// as lost messages. Optional ones may be left out, null or empty.
//
// FRIEND_ADDED must say whom (fromUser) and a plain message who wrote
// (sender), although gateways of this kind do not promise it: without
// them there is no conversation to answer in, and a 400 tells the gateway's
// author so, where an acknowledgement would hide it for ever. A FRIEND_REQUEST
// without scene is taken; it cannot be accepted, but a skill may report it.
//
// A type that is not listed is acknowledged and means nothing to skills. The
// timestamp is in Unix seconds or milliseconds, as a number or a string; one
// that cannot be read counts as none.
//
// # Requests
//
// Everything is a POST of JSON to base_url plus
//
//	send_text      /v1/message/send_text   {"appId","to","content"}
//	send_image     /v1/message/send_image  {"appId","to", and the command's parameters}
//	send_file      /v1/message/send_file   {"appId","to", and the command's parameters}
//	accept_friend  /v1/friend/accept       {"appId","scene"}
//	add_member     /v1/group/add_member    {"appId","room_id", and the command's parameters}
//
// of which gateways in the field have the first and the fourth; the others are
// ours, by the same pattern. Idempotency-Key is the task id, the same on every attempt;
// Authorization is "Bearer" and the account's token if it has one.
package generic

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// Adapter is the channel "generic".
var Adapter = channel.Adapter{
	Name:     "generic",
	Methods:  []string{http.MethodPost},
	Receiver: newReceiver,
	Sender:   newSender,
}

// newReceiver tells accounts that share a path apart by appId, so each needs
// one of its own, but for at most one that takes what names nobody else. Either
// all of them are signed or none is: beside an unsigned account a signature
// would prove nothing.
func newReceiver(accounts []channel.Account, _ channel.Host) (channel.Receiver, error) {
	if len(accounts) == 0 {
		return nil, errors.New("no account")
	}
	r := &receiver{signed: accounts[0].Secret != ""}
	owner := make(map[string]string)
	for _, a := range accounts {
		first, taken := owner[a.AppID]
		switch {
		case taken && a.AppID == "":
			return nil, fmt.Errorf("accounts %q and %q share a path and neither has an app_id", first, a.Name)
		case taken:
			return nil, fmt.Errorf("accounts %q and %q share a path and the app_id %q", first, a.Name, a.AppID)
		case (a.Secret != "") != r.signed:
			return nil, fmt.Errorf("accounts %q and %q share a path, so both or neither must have a secret", accounts[0].Name, a.Name)
		}
		owner[a.AppID] = a.Name
		one := &account{name: a.Name, appID: a.AppID, typed: channel.Acknowledge(a.Ack, "success"), plain: channel.Acknowledge(a.Ack, "json")}
		if r.signed {
			var err error
			if one.webhook, err = channel.NewWebhook(a.Secret, a.MaxSkew); err != nil {
				return nil, fmt.Errorf("account %q: %w", a.Name, err)
			}
		}
		r.accounts = append(r.accounts, one)
	}
	return r, nil
}

func newSender(a channel.Account, h channel.Host) (channel.Sender, error) {
	s := &sender{client: h.Client, addresses: make(map[engine.Action]*url.URL, len(endpoints)), appID: a.AppID, now: h.Now}
	for action, end := range endpoints {
		u, err := url.Parse(strings.TrimRight(a.BaseURL, "/") + end.path)
		if err != nil { // which quotes the address
			return nil, errors.New("base_url must be an http or https address, like https://api.example.com")
		}
		if err := channel.CheckURL(u); err != nil {
			return nil, fmt.Errorf("base_url, which must be like https://api.example.com: %w", err)
		}
		s.addresses[action] = u
	}
	s.confirm = a.Confirm
	if a.Token != "" {
		s.bearer = []string{"Bearer " + a.Token}
		s.secrets = append(s.secrets, a.Token)
	}
	if a.Secret != "" {
		s.secrets = append(s.secrets, a.Secret)
	}
	return s, nil
}
