package gewe

import (
	"cmp"
	"encoding/json"
	"net/http"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// receiver reads the callbacks of one path.
type receiver struct {
	accounts []*account
}

// account is one of a path's accounts, ready to be matched and answered for.
type account struct {
	name, self, appID string
	secret            string // "" = not checked
	names             []string
	answer            channel.Answer
}

// Receive answers control packets before it asks for the secret, which they do
// not carry; nothing comes of them.
func (r *receiver) Receive(q *channel.Request) (channel.Receipt, error) {
	var b body
	err := json.Unmarshal(q.Body, &b)
	if err == nil && b.isControl() {
		return channel.Receipt{Answer: r.accounts[0].answer}, nil
	}
	trusted := r.trusted(q.Header)
	if len(trusted) == 0 {
		return channel.Receipt{}, stranger("the Authorization header is not the secret of any account on this path")
	}
	switch {
	case err != nil:
		return channel.Receipt{}, unreadable("json", "the body is no callback: "+wrong(err))
	case b.TypeName == "" && b.MsgType == "":
		return channel.Receipt{}, unreadable("ids", "neither TypeName nor msgType")
	case b.Wxid == "" && b.AppID == "":
		return channel.Receipt{}, unreadable("ids", "neither wxid nor appid")
	case !wechat.IsID(string(b.Wxid)), !wechat.IsID(string(b.AppID)):
		return channel.Receipt{}, unreadable("ids", "wxid or appid is no id")
	}
	a := r.named(string(b.Wxid), string(b.AppID))
	if a == nil {
		return channel.Receipt{Foreign: cmp.Or(string(b.Wxid), string(b.AppID)), Answer: trusted[0].answer}, nil
	}
	if !a.trusts(q.Header) {
		return channel.Receipt{}, stranger("the Authorization header is another account's secret")
	}
	e, err := r.event(a, &b, q)
	switch {
	case err != nil:
		return channel.Receipt{}, unreadable("ids", err.Error())
	case e == nil:
		return channel.Receipt{Answer: a.answer}, nil
	}
	channel.Once(e)
	e.Account = a.name
	e.Raw = channel.Lean(q.Body, "Data.ImgBuf.Buffer") // of v1.0, which holds a picture or a voice
	return channel.Receipt{Events: []*engine.Event{e}, Answer: a.answer}, nil
}

// wrong says what is wrong with JSON without quoting it.
func wrong(err error) string {
	if _, ok := err.(*json.UnmarshalTypeError); ok {
		return "not a JSON object"
	}
	return "not JSON"
}

// event reads the body by its form; nil for what means nothing.
func (r *receiver) event(a *account, b *body, q *channel.Request) (*engine.Event, error) {
	in := &inbound{account: a, self: a.self, now: q.Now}
	if b.TypeName != "" {
		return in.readV1(b, q.Body)
	}
	return in.readV2(b, q.Body)
}

// trusted are the accounts that the request may speak to.
func (r *receiver) trusted(h http.Header) (all []*account) {
	for _, a := range r.accounts {
		if a.trusts(h) {
			all = append(all, a)
		}
	}
	return all
}

// trusts compares the header as it is: there is no "Bearer" before the secret.
func (a *account) trusts(h http.Header) bool { return channel.Authorized(h, a.secret) }

// named finds the account that the body's ids mean. One whose self is another
// is not meant by its own appid: somebody else logged in there.
func (r *receiver) named(wxid, appID string) *account {
	for _, a := range r.accounts {
		if a.self == wxid || wxid == "" && a.appID == appID {
			return a
		}
	}
	return nil
}

func unreadable(reason, detail string) *channel.Refusal {
	return &channel.Refusal{Reason: reason, Detail: detail, Answer: channel.TextAnswer(http.StatusBadRequest, "bad request")}
}

// stranger answers as if there were nothing at this address, so that who lacks
// the secret does not learn that one is missing.
func stranger(detail string) *channel.Refusal {
	return &channel.Refusal{Reason: "signature", Detail: detail, Answer: channel.TextAnswer(http.StatusNotFound, "not found")}
}
