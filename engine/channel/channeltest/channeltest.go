// Package channeltest holds the promises that every channel keeps, as a suite
// that its own tests run: recorded callbacks read as expected, tampered ones
// are refused, sends that fail are sorted alike, an event that waited over a
// restart is the same, and no secret gets into any text on the way.
package channeltest

import (
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/store"
)

// Harness is an adapter and what is known about its platform.
type Harness struct {
	Adapter channel.Adapter
	// Accounts share one path and are used for the callbacks; the first one
	// sends. Give each every secret it can have: the suite searches for them.
	Accounts  []channel.Account
	Callbacks []Callback
	// Now is when the callbacks arrive, so that recorded signatures stay true.
	Now time.Time
	// Command is one that the platform carries out.
	Command engine.Command
	// Remembers is what the memory of the first account holds when a test begins,
	// such as a token that saves the sender from fetching one.
	Remembers []engine.Note
	Answers   []Answer
	// Success is the platform's answer to what it carried out, and Note what is
	// to be noted of it.
	Success string
	Note    string
	// Repeats: the platform recognises a command that it is given twice, so that a
	// failure of its server leaves nothing in doubt.
	Repeats bool
}

// Callback is a recorded request beside what it reads as.
type Callback struct {
	Name   string
	Header http.Header
	Method string // "" = POST
	Query  string
	Body   string
	// Sign makes the request genuine at the given time, where the platform
	// signs; the callback is then also tried tampered.
	Sign func(q *channel.Request)

	Events  []engine.Event // compared in all fields but Raw and Received
	Rings   []channel.Doorbell
	Foreign string
	Answer  channel.Answer
	Refused string // the refusal's reason; Answer is then its answer
}

// Answer is what the platform says to the harness's command, and what that means.
type Answer struct {
	Name        string
	Status      int // 0 = 200
	ContentType string
	Header      map[string]string
	Body        string
	Want        channel.Class // "" = sent
}

// Run runs the suite.
func Run(t *testing.T, h Harness) {
	t.Run("callbacks", h.callbacks)
	t.Run("tampered callbacks", h.tampered)
	t.Run("sends", h.sends)
	t.Run("actions", h.actions)
}

// host is what an engine would lend.
func (h *Harness) host(t *testing.T) channel.Host {
	t.Helper()
	host := Host(t)
	if err := host.Memory.Remember(t.Context(), h.Accounts[0].Name, h.Remembers...); err != nil {
		t.Fatal(err)
	}
	return host
}

func (h *Harness) receiver(t *testing.T) channel.Receiver {
	t.Helper()
	r, err := h.Adapter.Receiver(h.Accounts, h.host(t))
	if err != nil {
		t.Fatalf("make receiver: %v", err)
	}
	return r
}

func (h *Harness) request(t *testing.T, c *Callback) *channel.Request {
	t.Helper()
	q := &channel.Request{
		Method: c.Method, Path: "/callback", Header: c.Header.Clone(), Body: []byte(c.Body), Now: h.Now,
	}
	if q.Method == "" {
		q.Method = http.MethodPost
	}
	if q.Header == nil {
		q.Header = make(http.Header)
	}
	query := http.Request{}
	query.URL = mustURL(t, c.Query)
	q.Query = query.URL.Query()
	if c.Sign != nil {
		c.Sign(q)
	}
	return q
}

func (h *Harness) callbacks(t *testing.T) {
	r := h.receiver(t)
	for _, c := range h.Callbacks {
		t.Run(c.Name, func(t *testing.T) {
			q := h.request(t, &c)
			receipt, err := r.Receive(q)
			h.noSecret(t, receipt, err)
			if c.Refused != "" {
				wantRefused(t, &c, receipt, err)
				return
			}
			if err != nil {
				t.Fatalf("got %v, want it taken", err)
			}
			// The body is lent: whoever keeps a piece of it sees this.
			for i := range q.Body {
				q.Body[i] = '#'
			}
			if receipt.Foreign != c.Foreign {
				t.Errorf("foreign %q, want %q", receipt.Foreign, c.Foreign)
			}
			wantAnswer(t, receipt.Answer, c.Answer)
			if !slices.Equal(receipt.Doorbells, c.Rings) {
				t.Errorf("doorbells %+v, want %+v", receipt.Doorbells, c.Rings)
			}
			h.wantEvents(t, receipt.Events, &c)
		})
	}
}

func (h *Harness) wantEvents(t *testing.T, got []*engine.Event, c *Callback) {
	t.Helper()
	if len(got) != len(c.Events) {
		t.Fatalf("%d events, want %d", len(got), len(c.Events))
	}
	for i, e := range got {
		if len(e.ID) == 0 || len(e.ID) > 512 {
			t.Errorf("event %d: an id of %d bytes, want 1 to 512", i, len(e.ID))
		}
		if !slices.ContainsFunc(h.Accounts, func(a channel.Account) bool { return a.Name == e.Account }) {
			t.Errorf("event %d: account %q is not on this path", i, e.Account)
		}
		if string(e.Raw) != c.Body && c.Sign == nil {
			t.Errorf("event %d: raw %q, want the body", i, e.Raw)
		}
		survives(t, i, e)
		plain, want := *e, c.Events[i]
		plain.Raw, plain.Received, want.Raw = nil, want.Received, nil
		if !plain.Time.Equal(want.Time) {
			t.Errorf("event %d: time %v, want %v", i, plain.Time, want.Time)
		}
		plain.Time, want.Time = time.Time{}, time.Time{}
		if !reflect.DeepEqual(plain, want) {
			t.Errorf("event %d:\n got %+v\nwant %+v", i, plain, want)
		}
	}
}

// survives checks that a restart between the callback and its answer changes
// nothing: what is answered then was read back from its record.
func survives(t *testing.T, i int, e *engine.Event) {
	t.Helper()
	back, err := store.DecodeEvent(store.EncodeEvent(e))
	if err != nil {
		t.Errorf("event %d does not survive its record: %v", i, err)
		return
	}
	was, is := *e, *back
	if !was.Time.Equal(is.Time) || !was.Ticket.Expires.Equal(is.Ticket.Expires) || was.Key() != is.Key() {
		t.Errorf("event %d is another one after a restart:\n was %+v\n is %+v", i, was, is)
	}
	was.Time, was.Ticket.Expires, was.Received = is.Time, is.Ticket.Expires, is.Received
	for n := range was.Learned {
		if n < len(is.Learned) && was.Learned[n].Expires.Equal(is.Learned[n].Expires) {
			is.Learned[n].Expires = was.Learned[n].Expires
		}
	}
	if !reflect.DeepEqual(was, is) {
		t.Errorf("event %d is another one after a restart:\n was %+v\n is %+v", i, was, is)
	}
}

// tampered changes signed callbacks, one thing at a time; none may be taken.
func (h *Harness) tampered(t *testing.T) {
	r := h.receiver(t)
	for _, c := range h.Callbacks {
		if c.Sign == nil || c.Refused != "" {
			continue
		}
		for name, tamper := range tamperings {
			t.Run(c.Name+", "+name, func(t *testing.T) {
				q := h.request(t, &c)
				tamper(q)
				receipt, err := r.Receive(q)
				h.noSecret(t, receipt, err)
				if err == nil {
					t.Fatalf("taken: %d events", len(receipt.Events))
				}
				refusal, ok := err.(*channel.Refusal)
				if !ok || refusal.Answer.Status/100 != 4 {
					t.Errorf("got %v, want a *Refusal with a 4xx answer", err)
				}
			})
		}
	}
}

var tamperings = map[string]func(q *channel.Request){
	"the first byte changed": func(q *channel.Request) { q.Body[0] ^= 1 },
	"a middle byte changed":  func(q *channel.Request) { q.Body[len(q.Body)/2] ^= 1 },
	"the last byte changed":  func(q *channel.Request) { q.Body[len(q.Body)-1] ^= 1 },
	"a space more":           func(q *channel.Request) { q.Body = append(q.Body, ' ') },
	"a byte less":            func(q *channel.Request) { q.Body = q.Body[:len(q.Body)-1] },
	"an hour late":           func(q *channel.Request) { q.Now = q.Now.Add(time.Hour) },
	"an hour early":          func(q *channel.Request) { q.Now = q.Now.Add(-time.Hour) },
	"without signature": func(q *channel.Request) {
		clear(q.Header)
		clear(q.Query)
	},
}

func wantRefused(t *testing.T, c *Callback, got channel.Receipt, err error) {
	t.Helper()
	refusal, ok := err.(*channel.Refusal)
	if !ok {
		t.Fatalf("got %d events and %v, want a *Refusal for %q", len(got.Events), err, c.Refused)
	}
	if refusal.Reason != c.Refused {
		t.Errorf("refused for %q, want %q", refusal.Reason, c.Refused)
	}
	wantAnswer(t, refusal.Answer, c.Answer)
	if len(c.Body) > 8 && strings.Contains(refusal.Error(), c.Body) {
		t.Error("the refusal quotes the body")
	}
}

func wantAnswer(t *testing.T, got, want channel.Answer) {
	t.Helper()
	if got.Status != want.Status || got.ContentType != want.ContentType || string(got.Body) != string(want.Body) {
		t.Errorf("answer %d %s %q, want %d %s %q",
			got.Status, got.ContentType, got.Body, want.Status, want.ContentType, want.Body)
	}
}
