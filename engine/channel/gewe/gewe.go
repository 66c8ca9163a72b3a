// Package gewe is the channel of the GeWe gateways, which hold the session of a
// personal WeChat account: the self-hosted "gewechat" container and the GeWe
// cloud. They share one interface and have two forms of callback, told apart by
// each body, whatever the account was set up with:
//
//	v1.0  {"TypeName":"AddMsg","Appid":"wx_…","Wxid":"wxid_…","Data":{…}}
//	v2.0  {"msgType":"TEXT","appid":"wx_…","wxid":"wxid_…","content":"…",…}
//
// # Callbacks
//
// The account is the one whose self is the body's wxid, or, where the body has
// none (contact notices of v1.0), whose app_id is the body's appid. A new login
// may come with another appid and replay old messages, so the wxid decides.
//
// An event's identity is NewMsgId, an integer beyond 2^53 that never becomes a
// floating-point number here. Notices without one are known by the hash of
// their body.
//
// Callbacks are not signed. The cloud can be told, in its console, to send a
// fixed Authorization header; Account.Secret is compared with it. The control
// packets by which it tries the address come without the header and are
// acknowledged without a look at it.
//
// # Requests
//
// Everything is a POST of JSON to base_url plus a path, with X-GEWE-TOKEN. The
// status is 200 even for failures; the envelope says what happened (judge).
// There is no idempotency key: what is sent twice arrives twice.
//
// docs/channels/gewe.md has the tables, and what is known from one source only.
package gewe

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"bot/engine/channel"
)

// Adapter is the channel "gewe".
var Adapter = channel.Adapter{
	Name:     "gewe",
	Methods:  []string{http.MethodPost},
	Receiver: newReceiver,
	Sender:   newSender,
}

// newReceiver wants every account of the path to be told from the others.
func newReceiver(accounts []channel.Account, _ channel.Host) (channel.Receiver, error) {
	if len(accounts) == 0 {
		return nil, errors.New("no account")
	}
	r := &receiver{}
	bySelf, byApp := make(map[string]string), make(map[string]string)
	for i := range accounts {
		a := &accounts[i]
		if a.Self == "" {
			return nil, a.Wrong("self", "self is missing, which tells the account's own messages from others': set it to the wxid that is logged in")
		}
		if other, taken := bySelf[a.Self]; taken {
			return nil, a.Wrong("self", "account %q on the same path has the same self: give one of them another path or self", other)
		}
		if other, taken := byApp[a.AppID]; taken && a.AppID != "" {
			return nil, a.Wrong("app_id", "account %q on the same path has the same app_id: give each the app_id of its own login", other)
		}
		bySelf[a.Self], byApp[a.AppID] = a.Name, a.Name
		r.accounts = append(r.accounts, &account{
			name: a.Name, self: a.Self, appID: a.AppID, secret: a.Secret, names: a.Names, answer: channel.Acknowledge(a.Ack, auto),
		})
	}
	return r, nil
}

func newSender(a channel.Account, h channel.Host) (channel.Sender, error) {
	base, err := url.Parse(strings.TrimRight(a.BaseURL, "/"))
	if err != nil { // which quotes the address
		return nil, a.Wrong("base_url", "base_url is not an address: write it with the interface's path, like https://api.geweapi.com/gewe/v2/api")
	}
	if err := channel.CheckURL(base); err != nil {
		return nil, a.Wrong("base_url", "base_url is %v: write it with the interface's path, like https://api.geweapi.com/gewe/v2/api", err)
	}
	if base.Path == "" {
		base.Path = "/" // or what is joined to it would be no path of a request
	}
	if a.AppID == "" {
		return nil, a.Wrong("app_id", "app_id is missing, without which the gateway does nothing: set the appId that the login gave")
	}
	s := &sender{
		client: h.Client, now: h.Now, base: base, appID: a.AppID, token: a.Token, signed: a.Secret != "",
		secrets: a.Secrets(),
		header:  http.Header{"Content-Type": {"application/json"}},
	}
	if a.Token != "" {
		s.header[tokenHeader] = []string{a.Token}
	}
	return s, nil
}

// tokenHeader is written as the vendor writes it.
const tokenHeader = "X-GEWE-TOKEN"

// auto is the success answer where the account does not say. Any answer with
// status 200 will do, the page says, and this is the common one.
const auto = "success"
