package console

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestWithoutALoginNothingIsSeenOrDone(t *testing.T) {
	r := newRig(t)
	for _, path := range []string{"/", "/dead", "/live", "/nowhere"} {
		resp := r.send(http.MethodGet, path, nil)
		if to := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || to != "/login?to="+url.QueryEscape(path) {
			t.Errorf("%s: %s, to %q", path, resp.Status, to)
		}
	}
	if resp := r.send(http.MethodPost, "/pause", url.Values{"account": {"shop"}}); resp.StatusCode != http.StatusUnauthorized || len(r.paused) > 0 {
		t.Errorf("pause: %s, %v", resp.Status, r.paused)
	}
	if resp := r.send(http.MethodGet, "/live", nil, func(q *http.Request) { q.Header.Set("X-Part", "1") }); resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("a part: %s", resp.Status)
	}
	for _, path := range []string{"/login", "/assets/style.css", "/assets/console.js", "/assets/icon.svg"} {
		if resp := r.send(http.MethodGet, path, nil); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}

func TestALoginLeadsToWhereOneWantedToGo(t *testing.T) {
	for to, want := range map[string]string{
		"/dead?after=3": "/dead?after=3", "": "/", "https://evil.example/": "/", "//evil.example": "/", `/\evil.example`: "/", "javascript:alert(1)": "/", "dead": "/",
	} {
		r := newRig(t)
		resp := r.send(http.MethodPost, "/login", url.Values{"token": {token}, "to": {to}})
		if got := resp.Header.Get("Location"); resp.StatusCode != http.StatusSeeOther || got != want {
			t.Errorf("%q leads to %q, %s; want %q", to, got, resp.Status, want)
		}
		r.page("/")
	}
}

func TestAWrongTokenIsToldAndTriesAreLimited(t *testing.T) {
	r := newRig(t)
	var got []int
	for range loginsPerMinute + 2 {
		resp := r.send(http.MethodPost, "/login", url.Values{"token": {"guess"}})
		got = append(got, resp.StatusCode)
		if page := text(t, resp); strings.Contains(page, "guess") || strings.Contains(page, token) {
			t.Error("the page shows what was tried, or what it should have been")
		}
	}
	if got[0] != http.StatusForbidden || got[loginsPerMinute] != http.StatusTooManyRequests {
		t.Errorf("answers %v", got)
	}
	if resp := r.send(http.MethodPost, "/login", url.Values{"token": {token}}); resp.StatusCode != http.StatusTooManyRequests {
		t.Errorf("the right one among too many: %s", resp.Status)
	}
	elsewhere := func(q *http.Request) { q.RemoteAddr = "10.0.0.9:1" }
	if resp := r.send(http.MethodPost, "/login", url.Values{"token": {token}}, elsewhere); resp.StatusCode != http.StatusSeeOther {
		t.Errorf("from another address: %s", resp.Status)
	}
	r.cookies = nil
	r.sleep(time.Minute)
	r.login()
}

func TestASessionEndsByItselfByLeavingAndWithTheToken(t *testing.T) {
	in := func(r *rig) bool { return r.send(http.MethodGet, "/dead", nil).StatusCode == http.StatusOK }
	r := newRig(t)
	r.login()
	r.build() // a restart
	if !in(r) {
		t.Error("a restart ended it")
	}
	r.sleep(sessionLasts - time.Second)
	if !in(r) {
		t.Error("it ended too early")
	}
	r.sleep(2 * time.Second)
	if in(r) {
		t.Error("it lives on")
	}
	r.login()
	cookie := r.cookies
	r.send(http.MethodPost, "/logout", url.Values{})
	if in(r) {
		t.Error("the browser is still in")
	}
	if r.cookies = cookie; in(r) {
		t.Error("whoever kept the cookie is still in")
	}
	r.login()
	r.options.Desk.Token = "another"
	r.build()
	if in(r) {
		t.Error("it outlived its token")
	}
}

func TestAForgedSessionIsNone(t *testing.T) {
	r := newRig(t)
	r.login()
	good := r.cookies[0].Value
	raw, err := base64.RawURLEncoding.DecodeString(good)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		bad := append([]byte(nil), raw...)
		bad[i] ^= 1
		r.cookies = []*http.Cookie{{Name: sessionCookie, Value: base64.RawURLEncoding.EncodeToString(bad)}}
		if resp := r.send(http.MethodGet, "/dead", nil); resp.StatusCode != http.StatusSeeOther {
			t.Fatalf("byte %d changed: %s", i, resp.Status)
		}
	}
	for _, bad := range []string{"", "x", good[:len(good)-4], good + "AAAA"} {
		r.cookies = []*http.Cookie{{Name: sessionCookie, Value: bad}}
		if resp := r.send(http.MethodGet, "/dead", nil); resp.StatusCode != http.StatusSeeOther {
			t.Errorf("%q: %s", bad, resp.Status)
		}
	}
}

func TestPagesOfOtherSitesPressNoButtons(t *testing.T) {
	for _, secret := range []string{token, ""} {
		r := newRig(t)
		r.options.Desk.Token = secret
		r.build()
		if secret != "" {
			r.login()
		}
		cross := func(q *http.Request) { q.Header.Set("Sec-Fetch-Site", "cross-site") }
		if resp := r.send(http.MethodPost, "/pause", url.Values{"account": {"shop"}}, cross); resp.StatusCode != http.StatusForbidden || len(r.paused) > 0 {
			t.Errorf("with token %q: %s, %v", secret, resp.Status, r.paused)
		}
		old := func(q *http.Request) { q.Header.Set("Origin", "https://evil.example") } // of a browser that says no more
		if resp := r.send(http.MethodPost, "/pause", url.Values{"account": {"shop"}}, old); resp.StatusCode != http.StatusForbidden {
			t.Errorf("with token %q and an old browser: %s", secret, resp.Status)
		}
	}
}

func TestWithoutATokenOnlyALoopbackNameIsAnswered(t *testing.T) {
	r := newRig(t)
	r.options.Desk.Token = ""
	r.build()
	r.page("/")
	rebound := func(q *http.Request) { q.Host = "evil.example" }
	if resp := r.send(http.MethodGet, "/", nil, rebound); resp.StatusCode != http.StatusForbidden {
		t.Errorf("a name that was made to point here: %s", resp.Status)
	}
}

func TestBrowsersAreToldWhatPagesMayDo(t *testing.T) {
	r := newRig(t)
	resp := r.send(http.MethodGet, "/login", nil)
	csp := resp.Header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'self'"} {
		if !strings.Contains(csp, want) {
			t.Errorf("the policy %q lacks %q", csp, want)
		}
	}
	if strings.Contains(csp, "unsafe") || resp.Header.Get("X-Content-Type-Options") != "nosniff" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("headers %v", resp.Header)
	}
	r.login()
	for _, c := range r.cookies {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
			t.Errorf("cookie %+v", c)
		}
	}
	behindTLS := func(q *http.Request) { q.Header.Set("X-Forwarded-Proto", "https") }
	resp = r.send(http.MethodPost, "/login", url.Values{"token": {token}}, behindTLS)
	if c := resp.Cookies()[0]; !c.Secure {
		t.Errorf("cookie %+v", c)
	}
}
