package api

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"bot/engine/risk"
	"bot/store"
)

// mutes notes what is asked of it.
type mutes struct {
	asked []string
	err   error
}

func (m *mutes) Mute(_ context.Context, account, id string, lasts time.Duration) error {
	m.asked = append(m.asked, "mute "+account+" "+id+" "+lasts.String())
	return m.err
}

func (m *mutes) Unmute(_ context.Context, account, id string) error {
	m.asked = append(m.asked, "unmute "+account+" "+id)
	return m.err
}

func (m *mutes) Status(account string, _ int) risk.Status {
	return risk.Status{Muted: []risk.Muted{{Account: account, User: "u1", Action: "mute"}}, Total: 7}
}

func TestMutingIsAskedForByPath(t *testing.T) {
	for _, tt := range []struct {
		name, method, path string
		status             int
		code, asked        string
	}{
		{"ten minutes by default", "PUT", "/shop/u1", 200, "", "mute shop u1 10m0s"},
		{"for as long as is said", "PUT", "/shop/u1?for=2h", 200, "", "mute shop u1 2h0m0s"},
		{"an id with a slash", "PUT", "/shop/a%2Fb?for=1d", 200, "", "mute shop a/b 24h0m0s"},
		{"unmuting", "DELETE", "/shop/u1", 200, "", "unmute shop u1"},
		{"no time", "PUT", "/shop/u1?for=0s", 400, "for", ""},
		{"longer than a year", "PUT", "/shop/u1?for=400d", 400, "for", ""},
		{"no duration", "PUT", "/shop/u1?for=long", 400, "for", ""},
		{"no such account", "PUT", "/shoop/u1", 404, "account", ""},
		{"the whole account", "PUT", "/shop/", 200, "", "mute shop  10m0s"},
		{"the whole account, again heard", "DELETE", "/shop/", 200, "", "unmute shop "},
		{"the whole of no account", "PUT", "/shoop/", 404, "account", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, m := newRig(t), &mutes{}
			r.o.Mutes = m
			r.call(tt.method, "/api/v1/muted"+tt.path, "").wants(t, tt.status, tt.code)
			if asked := append(m.asked, "")[0]; asked != tt.asked {
				t.Errorf("asked %q, want %q", asked, tt.asked)
			}
		})
	}
}

func TestAMuteThatTheStoreDidNotTakeIsNoSuccess(t *testing.T) {
	r := newRig(t)
	r.o.Mutes = &mutes{err: store.ErrFull}
	r.call("PUT", "/api/v1/muted/shop/u1", "").wants(t, http.StatusServiceUnavailable, "full")
	r.o.Mutes = &mutes{err: errors.New("odd")}
	r.call("DELETE", "/api/v1/muted/shop/u1", "").wants(t, http.StatusInternalServerError, "internal")
}

func TestWhoIsMutedIsListed(t *testing.T) {
	r := newRig(t)
	r.o.Mutes = &mutes{}
	a := r.call("GET", "/api/v1/muted?account=shop", "")
	a.wants(t, http.StatusOK, "")
	if list, _ := a.body["muted"].([]any); len(list) != 1 || a.body["total"] != 7.0 {
		t.Errorf("%s", a.text)
	}
	r.call("GET", "/api/v1/muted?account=shoop", "").wants(t, http.StatusNotFound, "account")
}
