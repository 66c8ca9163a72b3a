package api

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"bot/store"
	"bot/store/storetest"
)

// brokenBody is a connection that ends in the middle.
type brokenBody struct{}

func (brokenBody) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }
func (brokenBody) Close() error             { return nil }

func TestWhatTheStoreRefusesIsTranslated(t *testing.T) {
	calls := []struct{ fails, method, path string }{
		{"Submit", "POST", "/api/v1/commands"},
		{"Find", "GET", "/api/v1/commands/t1"},
		{"Cancel", "DELETE", "/api/v1/commands/t1"},
		{"Letters", "GET", "/api/v1/dead"},
		{"Letter", "GET", "/api/v1/dead/1"},
		{"Drop", "DELETE", "/api/v1/dead/1"},
		{"Letter", "POST", "/api/v1/dead/1/replay"},
	}
	for _, tt := range []struct {
		err    error
		status int
		code   string
	}{
		{fmt.Errorf("act: %w", store.ErrFull), http.StatusServiceUnavailable, "full"},
		{fmt.Errorf("act: %w: sync /var/bot.db", store.ErrFailed), http.StatusInternalServerError, "internal"},
		{store.ErrClosed, http.StatusInternalServerError, "internal"},
	} {
		for _, c := range calls {
			t.Run(tt.code+" "+c.method+" "+c.path, func(t *testing.T) {
				r := newRig(t)
				st := storetest.Faulty(r.st, func(method string, _ int) storetest.Fault {
					if method == c.fails {
						return storetest.Fault{Err: tt.err}
					}
					return storetest.Fault{}
				})
				if c.fails == "Cancel" {
					r.submit("t1")
					r.submitted = nil
				}
				r.o.Letters, r.o.Outbox = st, st
				a := r.call(c.method, c.path, envelopeOf("t1"))
				a.wants(t, tt.status, tt.code)
				if full := tt.code == "full"; full != (a.header.Get("Retry-After") != "") {
					t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
				}
				if strings.Contains(a.text, "/var") {
					t.Errorf("tells the client what is for the log: %s", a.text)
				}
				if tt.status == 500 && !strings.Contains(r.log.String(), tt.err.Error()) {
					t.Errorf("the log has %q, not the reason", r.log.String())
				}
				if len(r.submitted)+len(r.replayed)+len(r.cancelled) > 0 {
					t.Error("the engine was told of something that did not happen")
				}
			})
		}
	}
}

func TestAReplayThatFindsNoRoomTellsNobody(t *testing.T) {
	r := newRig(t)
	id := r.buryEvent("m1")
	r.o.Letters = storetest.Faulty(r.st, storetest.FailOn("Replay", 1, store.ErrFull))
	r.call("POST", fmt.Sprintf("/api/v1/dead/%d/replay", id), "").wants(t, http.StatusServiceUnavailable, "full")
	if len(r.replayed) > 0 {
		t.Error("the engine was told")
	}
}

func TestStatusShowsWhatTheEngineSays(t *testing.T) {
	r := newRig(t)
	if a := r.call("GET", "/api/v1/status", ""); a.code != 200 || a.body["generation"] != 1.0 {
		t.Errorf("answers %d %s", a.code, a.text)
	}
	r.o.Status = func() (any, error) { return nil, errors.New("disk gone") }
	r.call("GET", "/api/v1/status", "").wants(t, http.StatusInternalServerError, "internal")
}

func TestReloadTellsWhatCameOfIt(t *testing.T) {
	r := newRig(t)
	asked := 0
	r.o.Reload = func(context.Context) error { asked++; return nil }
	if a := r.call("POST", "/api/v1/reload", ""); a.code != 200 || a.body["status"] != "reloaded" || asked != 1 {
		t.Errorf("answers %d %s, asked %d times", a.code, a.text, asked)
	}
	r.o.Reload = func(context.Context) error {
		return errors.New("bot.toml:3:1: unknown key \"recply\" (did you mean \"reply\"?)\nbot.toml:9:1: a skill needs a name")
	}
	a := r.call("POST", "/api/v1/reload", "")
	a.wants(t, http.StatusUnprocessableEntity, "refused")
	want := []any{`bot.toml:3:1: unknown key "recply" (did you mean "reply"?)`, "bot.toml:9:1: a skill needs a name"}
	if !reflect.DeepEqual(a.body["problems"], want) {
		t.Errorf("the problems are %v", a.body["problems"])
	}
}

func TestAnswersAreNeitherCachedNorSniffed(t *testing.T) {
	a := newRig(t).call("GET", "/api/v1/status", "")
	if a.header.Get("Cache-Control") != "no-store" || a.header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("the headers are %v", a.header)
	}
}

func TestTheServerHoldsNoSilentClientForEver(t *testing.T) {
	r := newRig(t)
	s := NewServer(New(r.o), r.o.Log)
	if s.ReadHeaderTimeout <= 0 || s.ReadTimeout <= 0 || s.IdleTimeout <= 0 || s.MaxHeaderBytes <= 0 {
		t.Errorf("a limit is missing: %+v", s)
	}
}
