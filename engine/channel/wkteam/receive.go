package wkteam

import (
	"cmp"
	"net/http"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// receiver reads the callbacks of one path.
type receiver struct {
	memory   channel.Memory
	accounts []*account
	bySelf   map[string]*account
}

// account is one of a path's accounts, ready to be matched and answered for.
type account struct {
	name, self string
	names      []string
	wID        string // as configured
	secret     string // "" = callbacks show none
	developer  string // as callbacks name it; "" = not compared
	answer     channel.Answer
}

// Receive verifies before it parses, where there is something to verify.
func (r *receiver) Receive(q *channel.Request) (channel.Receipt, error) {
	if !r.trusted(q.Header) {
		return channel.Receipt{}, stranger("the Authorization header is not an account's secret")
	}
	b, reason, detail := parse(q.Body)
	if reason != "" {
		return channel.Receipt{}, refuse(http.StatusBadRequest, reason, detail)
	}
	if b.Type == ping {
		return channel.Receipt{Answer: r.accounts[0].answer}, nil
	}
	a, named := r.choose(b)
	switch {
	case a == nil && named == "":
		return channel.Receipt{}, refuse(http.StatusBadRequest, "ids", "neither wcId nor data.wId says whose it is")
	case a == nil:
		return channel.Receipt{Foreign: named, Answer: r.accounts[0].answer}, nil
	case !channel.Authorized(q.Header, a.secret):
		return channel.Receipt{}, stranger("the Authorization header is another account's secret")
	case a.developer != "" && string(b.Account) != a.developer:
		return channel.Receipt{}, refuse(http.StatusNotFound, "account", "it names another developer account than the account's developer")
	}
	receipt := channel.Receipt{Answer: a.answer}
	if e := r.event(a, b, q); e != nil {
		receipt.Events = []*engine.Event{e}
	}
	return receipt, nil
}

func stranger(detail string) *channel.Refusal {
	return refuse(http.StatusUnauthorized, "signature", detail)
}

// trusted tells whether the header that the console was told to send is the
// secret of an account.
func (r *receiver) trusted(h http.Header) bool {
	known := false
	for _, a := range r.accounts {
		known = channel.Authorized(h, a.secret) || known
	}
	return known
}

// choose finds whose callback it is: by the wcId, or where that is missing by
// the instance. named is the id it went by.
func (r *receiver) choose(b *body) (a *account, named string) {
	if b.WcID != "" {
		return r.bySelf[string(b.WcID)], string(b.WcID)
	}
	wID := string(b.Data.WID)
	if wID == "" {
		return nil, ""
	}
	return r.ofInstance(wID), wID
}

// ofInstance is the account that the instance was last known to be of: what was
// learned is newer than what was configured.
func (r *receiver) ofInstance(wID string) *account {
	for _, a := range r.accounts {
		if r.memory.Recall(a.name, noteWID) == wID {
			return a
		}
	}
	for _, a := range r.accounts {
		if a.wID == wID {
			return a
		}
	}
	return nil
}

// event reads a callback of the account; nil where it says nothing to anybody.
func (r *receiver) event(a *account, b *body, q *channel.Request) *engine.Event {
	read := readers[string(b.Type)]
	if read == nil {
		read = unknown
	}
	n := &notice{account: a, typ: string(b.Type), data: &b.Data, latest: r.memory.Recall(a.name, noteWID)}
	n.event = &engine.Event{Account: a.name, ID: b.identity(q.Body), Time: b.Data.at()}
	n.place()
	if n.isXML = wechat.IsDocument(string(b.Data.Content)); n.isXML {
		n.doc = wechat.Parse(string(b.Data.Content))
	}
	if !read(n) {
		return nil
	}
	e := n.event
	e.Conversation = cmp.Or(e.Conversation, e.ID) // it has no place: nobody sends to an event's id
	wID := string(b.Data.WID)
	// A body that names one account and another's instance is mixed up: sends
	// by that instance would speak as the other.
	if owner := r.ofInstance(wID); n.teaches(wID, q.Now) && (owner == nil || owner == a) {
		e.Learned = []engine.Note{{Key: noteWID, Value: wID}}
	}
	channel.Once(e)
	e.Raw = channel.Lean(q.Body, "data.img") // a thumbnail
	return e
}

// fresh is the age up to which a callback tells the current instance. The
// vendor pushes history again after interruptions, and such callbacks can carry
// an instance that has ended.
const fresh = 10 * time.Minute

// teaches tells whether the callback's instance is worth remembering: it is new
// to us, and not one that the callback says has ended.
func (n *notice) teaches(wID string, now time.Time) bool {
	if wID == "" || wID == n.latest || n.typ == offline {
		return false
	}
	at := n.event.Time
	return at.IsZero() || now.Sub(at) <= fresh
}
