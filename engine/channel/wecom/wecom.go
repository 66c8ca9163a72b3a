// Package wecom is the channel of WeCom's official interfaces. An account has
// one of three forms:
//
//	app    a self-built app: members' messages, external contacts and customer
//	       groups, and the bell of customer service, in encrypted XML
//	aibot  an AI bot in callback mode: encrypted JSON, answered by streams
//	robot  a group robot, which only speaks
//
// docs/channels/wecom.md says what of each is read and sent, and what is only
// known from public code or not at all.
package wecom

import (
	"net/http"
	"strings"

	"bot/engine/channel"
	"bot/engine/channel/wecom/crypt"
)

// The forms of an account.
const (
	FormApp   = "app"
	FormAIBot = "aibot"
	FormRobot = "robot"
)

// Adapter is the channel "wecom".
var Adapter = channel.Adapter{
	Name:     "wecom",
	Methods:  []string{http.MethodGet, http.MethodPost}, // GET verifies the address
	Calls:    func(a channel.Account) bool { return a.Form != FormRobot },
	Receiver: newReceiver,
	Sender:   checkedSender,
}

func checkedSender(a channel.Account, h channel.Host) (channel.Sender, error) {
	if err := checkOutbound(&a); err != nil {
		return nil, err
	}
	if err := checkWelcome(&a); err != nil {
		return nil, err
	}
	return newSender(a, h)
}

// checkWelcome tells what is wrong with a text that no skill sends.
func checkWelcome(a *channel.Account) error {
	switch {
	case a.Welcome != "" && a.Form != FormAIBot:
		return a.Wrong("welcome", "welcome is for form aibot; customers of an app are welcomed by a skill on friend_added")
	case len(a.Welcome) > maxText:
		return a.Wrong("welcome", "welcome has %d bytes; shorten it to %d", len(a.Welcome), maxText)
	}
	return nil
}

// checkOutbound tells what an account lacks for sending.
func checkOutbound(a *channel.Account) error {
	switch a.Form {
	case FormApp:
		switch {
		case !word(a.CorpID):
			return a.Wrong("corp_id", "corp_id is missing or has spaces; it stands under 我的企业 in the admin console and begins with ww or wx")
		case a.AgentID <= 0:
			return a.Wrong("agent_id", "agent_id is missing; it is the number on the app's page in the admin console")
		case !word(a.Secret):
			return a.Wrong("secret", "secret is missing or has spaces; it is the Secret on the app's page in the admin console")
		}
	case FormAIBot: // answers what it is asked, without credentials of its own
	case FormRobot:
		if !word(a.Key) {
			return a.Wrong("key", "key is missing or has spaces; it stands behind key= in the robot's webhook address")
		}
	default:
		return a.Wrong("form", "form must be app, aibot or robot, not %q", a.Form)
	}
	return nil
}

// checkInbound tells what an account lacks for callbacks, and returns what they
// are opened with.
func checkInbound(a *channel.Account) (crypt.Secret, error) {
	switch a.Form {
	case FormApp:
		if !word(a.CorpID) {
			return crypt.Secret{}, checkOutbound(a)
		}
	case FormAIBot:
	default:
		return crypt.Secret{}, a.Wrong("form", "form must be app or aibot to be called by the platform, not %q", a.Form)
	}
	if !word(a.CallbackToken) {
		return crypt.Secret{}, a.Wrong("callback_token", "callback_token is missing or has spaces; copy the Token from the page where the callback's address is set")
	}
	key, err := crypt.ParseKey(a.EncodingAESKey)
	if err != nil {
		return crypt.Secret{}, a.Wrong("encoding_aes_key", "encoding_aes_key %v", err)
	}
	s := crypt.Secret{Token: a.CallbackToken, Key: key, ReceiveID: a.ReceiveID}
	if s.ReceiveID == "" && a.Form == FormApp {
		s.ReceiveID = a.CorpID
	}
	return s, nil
}

// word tells whether a setting is there and free of what copying brings along.
func word(s string) bool { return s != "" && !strings.ContainsAny(s, " \t\r\n") }
