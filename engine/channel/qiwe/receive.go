package qiwe

import (
	"errors"
	"net/http"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// receiver reads the callbacks of one path.
type receiver struct {
	memory   channel.Memory
	secret   string              // "": callbacks are not verified
	accounts map[string]*account // by guid in lower case: the platform writes it in both
	first    *account            // answers what concerns no account
}

// account is one of a path's accounts.
type account struct {
	name   string
	self   string   // the account's user id; "" = as each event says
	names  []string // what people call it
	answer channel.Answer
}

// maxControl bounds a test of the address, which is all that an unverified
// sender may have read.
const maxControl = 4 << 10

// Receive takes what it can. The platform repeats whatever is not answered with
// 200, so a body that is well-formed and strange gets that all the same.
func (r *receiver) Receive(q *channel.Request) (channel.Receipt, error) {
	trusted := r.trusts(q.Header)
	if !trusted && len(q.Body) > maxControl {
		return channel.Receipt{}, stranger()
	}
	events, control, err := unpack(q.Body)
	switch {
	case control:
		return channel.Receipt{Answer: r.first.answer}, nil
	case !trusted:
		return channel.Receipt{}, stranger()
	case errors.Is(err, errNoEvent):
		return channel.Receipt{}, &channel.Refusal{Reason: "ids", Detail: err.Error(), Answer: r.first.answer}
	case err != nil:
		return channel.Receipt{}, &channel.Refusal{Reason: "json", Detail: err.Error(), Answer: unreadable}
	}
	receipt := channel.Receipt{Answer: r.first.answer}
	for _, raw := range events {
		v := parse(raw)
		a, foreign := r.choose(string(v.GUID))
		if a == nil {
			receipt.Foreign = foreign
			continue
		}
		e := a.read(v, q)
		if e == nil {
			continue
		}
		e.Raw = v.keep(q.Body, len(events) == 1)
		if len(receipt.Events) == 0 {
			receipt.Answer = a.answer
		}
		if friend := r.befriended(a, e); friend != nil {
			receipt.Events = append(receipt.Events, friend)
		}
		receipt.Events = append(receipt.Events, e)
	}
	return receipt, nil
}

// trusts tells whether the request brings the secret. How the platform sends it
// is not documented; its sister product puts it into Authorization as it is.
func (r *receiver) trusts(h http.Header) bool {
	return channel.Authorized(h, r.secret) || channel.Authorized(h, "Bearer "+r.secret)
}

// choose finds the account of a device, or says whose event it is. An event
// that names no device is the only account's, if there is only one.
func (r *receiver) choose(guid string) (a *account, foreign string) {
	if a = r.accounts[strings.ToLower(guid)]; a != nil {
		return a, ""
	}
	switch {
	case guid != "":
		return nil, bounded(guid)
	case len(r.accounts) == 1:
		return r.first, ""
	}
	return nil, "(no guid)"
}

// ignored are the msgTypes of what happens all the time and means nothing:
// live broadcasts, read receipts, unread marks.
var ignored = map[scalar]bool{"146": true, "2001": true, "2005": true}

// read makes an event of the platform's one of the engine's; nil for what is
// ignored. A group's notices come under two cmds, so the msgType decides first.
func (a *account) read(v *event, q *channel.Request) *engine.Event {
	switch v.Cmd {
	case cmdStatus:
		return a.status(v)
	case cmdResult:
		return a.result(v)
	case cmdMessage, cmdNotice:
	default:
		return a.unknown(v)
	}
	if ignored[v.MsgType] {
		return nil
	}
	if _, ok := groupNotices[v.MsgType]; ok {
		return a.group(v)
	}
	if _, ok := contactNotices[v.MsgType]; ok {
		return a.contact(v, q.Now)
	}
	if _, ok := messages[v.MsgType]; ok && !v.isNotice() {
		return a.message(v)
	}
	return a.unknown(v)
}
