package gewe

import (
	"bytes"
	"cmp"
	"crypto/subtle"
	"encoding/json"
	"net/http"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// receiver reads the callbacks of one path.
type receiver struct {
	accounts []*account
	memory   channel.Memory
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
	case badID(string(b.Wxid)), badID(string(b.AppID)):
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
	e.Account = a.name
	e.Raw = keep(q.Body, &b)
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
	in := &inbound{account: a, memory: r.memory, self: cmp.Or(string(b.Wxid), a.self), now: q.Now}
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
func (a *account) trusts(h http.Header) bool {
	return a.secret == "" || subtle.ConstantTimeCompare([]byte(h.Get("Authorization")), []byte(a.secret)) == 1
}

// named finds the account that the body's ids mean. One whose self is another
// is not meant even by its own appid: somebody else logged in there.
func (r *receiver) named(wxid, appID string) *account {
	for _, a := range r.accounts {
		if wxid != "" && a.self == wxid {
			return a
		}
	}
	for _, a := range r.accounts {
		if appID != "" && a.appID == appID && (wxid == "" || a.self == "") {
			return a
		}
	}
	return nil
}

// maxRaw is how large a body is kept as it is, in bytes.
const maxRaw = 64 << 10

// keep copies the body for the record. From a large one the picture or voice
// that v1.0 puts into ImgBuf is dropped.
func keep(raw []byte, b *body) []byte {
	if len(raw) > maxRaw && b.Data != nil {
		var data struct {
			ImgBuf struct{ Buffer json.RawMessage }
		}
		json.Unmarshal(b.Data, &data) // what does not fit is not there
		if buffer := data.ImgBuf.Buffer; len(buffer) > 2 && strings.HasPrefix(string(buffer[:1]), `"`) {
			return bytes.Replace(raw, buffer, []byte(`""`), 1)
		}
	}
	return bytes.Clone(raw)
}
