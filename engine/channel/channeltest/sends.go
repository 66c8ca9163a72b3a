package channeltest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// platform is a server that counts what reaches it.
type platform struct {
	*httptest.Server
	calls  atomic.Int32
	answer http.HandlerFunc
}

func newPlatform(t *testing.T, answer http.HandlerFunc) *platform {
	p := &platform{answer: answer}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.calls.Add(1)
		p.answer(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (h *Harness) sender(t *testing.T, baseURL string) channel.Sender {
	t.Helper()
	a := h.Accounts[0]
	a.BaseURL = baseURL
	s, err := h.Adapter.Sender(a, h.host(t))
	if err != nil {
		t.Fatalf("make sender: %v", err)
	}
	return s
}

// sends tries the platform's own answers and what can happen to any request.
func (h *Harness) sends(t *testing.T) {
	for _, a := range append(slices.Clone(h.Answers), h.common()...) {
		t.Run(a.Name, func(t *testing.T) { h.send(t, a.serve, a.Want) })
	}
	t.Run("a redirect is not followed", func(t *testing.T) {
		h.send(t, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, channel.Permanent)
	})
	t.Run("hung up on after reading", func(t *testing.T) {
		h.send(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			panic(http.ErrAbortHandler)
		}, channel.Unsure)
	})
	t.Run("given up on while the platform works", func(t *testing.T) {
		ctx, giveUp := context.WithCancel(t.Context())
		defer giveUp()
		p := newPlatform(t, func(w http.ResponseWriter, r *http.Request) {
			io.Copy(io.Discard, r.Body)
			giveUp()
			<-r.Context().Done()
		})
		h.wantSent(t, h.sender(t, p.URL), ctx, channel.Unsure)
	})
	t.Run("our own secrets come back", func(t *testing.T) {
		h.send(t, func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "%s %v", r.URL, r.Header)
			io.Copy(w, r.Body)
		}, channel.Permanent)
	})
	t.Run("connection refused", func(t *testing.T) {
		p := newPlatform(t, http.NotFound)
		s := h.sender(t, p.URL)
		p.Close()
		h.wantSent(t, s, t.Context(), channel.Unreachable)
	})
	t.Run("cancelled before it began", func(t *testing.T) {
		p := newPlatform(t, http.NotFound)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		h.wantSent(t, h.sender(t, p.URL), ctx, channel.Transient)
	})
	t.Run("a kept connection that died is not used twice", h.stale)
}

// common is what every HTTP platform may answer.
func (h *Harness) common() []Answer {
	after := map[string]string{"Retry-After": "7"}
	broken := channel.Unsure
	if h.Repeats {
		broken = channel.Transient
	}
	return []Answer{
		{Name: "success", Body: h.Success},
		{Name: "an HTML page with 200", ContentType: "text/html", Body: "<html>Welcome</html>", Want: channel.Unsure},
		{Name: "broken JSON with 200", ContentType: "application/json", Body: `{"status":`, Want: channel.Unsure},
		{Name: "400", Status: 400, Want: channel.Permanent},
		{Name: "404", Status: 404, Want: channel.Permanent},
		{Name: "401", Status: 401, Want: channel.Credential},
		{Name: "403", Status: 403, Want: channel.Credential},
		{Name: "429", Status: 429, Want: channel.Throttled},
		{Name: "429 with a time", Status: 429, Header: after, Want: channel.Throttled},
		{Name: "503 with a time", Status: 503, Header: after, Want: channel.Throttled},
		{Name: "503", Status: 503, Want: channel.Transient},
		{Name: "500", Status: 500, Want: broken},
		{Name: "502 with a page", Status: 502, ContentType: "text/html", Body: "<html>Bad Gateway</html>", Want: broken},
	}
}

func (a *Answer) serve(w http.ResponseWriter, r *http.Request) {
	for k, v := range a.Header {
		w.Header().Set(k, v)
	}
	if a.ContentType != "" {
		w.Header().Set("Content-Type", a.ContentType)
	} else if len(a.Body) > 0 && a.Body[0] == '{' {
		w.Header().Set("Content-Type", "application/json")
	}
	if a.Status != 0 {
		w.WriteHeader(a.Status)
	}
	io.WriteString(w, a.Body)
}

// send makes one attempt against a platform that answers so.
func (h *Harness) send(t *testing.T, answer http.HandlerFunc, want channel.Class) {
	t.Helper()
	p := newPlatform(t, answer)
	before := time.Now()
	note, err := h.sender(t, p.URL).Send(t.Context(), &h.Command)
	h.wantClass(t, err, want)
	if err == nil && note != h.Note {
		t.Errorf("noted %q, want %q", note, h.Note)
	}
	if n := p.calls.Load(); n != 1 {
		t.Errorf("the platform saw %d requests, want 1", n)
	}
	if e, ok := err.(*channel.SendError); ok && !e.Until.IsZero() && e.Until.Before(before) {
		t.Errorf("until %v lies in the past", e.Until)
	}
}

// stale lets the server close the connection between two sends. Whatever is
// reported of the second, it must not arrive twice.
func (h *Harness) stale(t *testing.T) {
	p := newPlatform(t, (&Answer{Body: h.Success}).serve)
	s := h.sender(t, p.URL)
	h.wantSent(t, s, t.Context(), "")
	p.CloseClientConnections()
	before := p.calls.Load()
	_, err := s.Send(t.Context(), &h.Command)
	if n := p.calls.Load() - before; n > 1 || err == nil && n != 1 {
		t.Errorf("the second send (%v) arrived %d times", err, n)
	}
}

func (h *Harness) wantSent(t *testing.T, s channel.Sender, ctx context.Context, want channel.Class) {
	t.Helper()
	_, err := s.Send(ctx, &h.Command)
	h.wantClass(t, err, want)
}

func (h *Harness) wantClass(t *testing.T, err error, want channel.Class) {
	t.Helper()
	h.noSecret(t, channel.Receipt{}, err)
	if err == nil {
		if want != "" {
			t.Errorf("sent, want %q", want)
		}
		return
	}
	e, ok := err.(*channel.SendError)
	if !ok {
		t.Fatalf("got a %T, want a *SendError", err)
	}
	if e.Class != want {
		t.Errorf("got %v, want class %q", err, want)
	}
	if n := len([]rune(e.Note)); n > 200 {
		t.Errorf("a note of %d characters, want at most 200", n)
	}
}

// actions checks that Needs tells the truth: what it denies fails for good and
// without a request, and so does what lacks a param that it names.
func (h *Harness) actions(t *testing.T) {
	p := newPlatform(t, (&Answer{Body: h.Success}).serve)
	s := h.sender(t, p.URL)
	if _, can := s.Needs(h.Command.Action); !can {
		t.Errorf("Needs(%q) denies the harness's command", h.Command.Action)
	}
	if _, can := s.Needs("no_such_action"); can {
		t.Error("Needs knows any action")
	}
	for _, a := range append(engine.Actions(), "no_such_action") {
		if needs, can := s.Needs(a); can && len(needs) == 0 {
			continue
		}
		c := engine.Command{
			TaskID: h.Command.TaskID, Account: h.Command.Account, Conversation: h.Command.Conversation, Action: a, Text: "x",
		}
		before := p.calls.Load()
		_, err := s.Send(t.Context(), &c)
		h.wantClass(t, err, channel.Permanent)
		if p.calls.Load() != before {
			t.Errorf("%s: a request was made", a)
		}
	}
}
