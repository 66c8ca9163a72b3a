package api

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
)

func TestTokenOpensEverythingButTheHealthChecks(t *testing.T) {
	const token = "correct-horse"
	for _, tt := range []struct {
		name, path, header string
		want               int
	}{
		{"health needs none", "/healthz", "", 200},
		{"readiness needs none", "/readyz", "", 200},
		{"the right one", "/api/v1/status", "Bearer correct-horse", 200},
		{"the right one, for metrics", "/metrics", "Bearer correct-horse", 200},
		{"none", "/api/v1/status", "", 401},
		{"none, for metrics", "/metrics", "", 401},
		{"none, for dead letters", "/api/v1/dead", "", 401},
		{"an empty one", "/api/v1/status", "Bearer ", 401},
		{"only its beginning", "/api/v1/status", "Bearer correct", 401},
		{"more than it", "/api/v1/status", "Bearer correct-horse-", 401},
		{"another one of its length", "/api/v1/status", "Bearer correct-horsf", 401},
		{"another scheme", "/api/v1/status", "Basic correct-horse", 401},
		{"without a scheme", "/api/v1/status", "correct-horse", 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			r.o.Token = token
			req := request("GET", tt.path, "")
			if tt.header != "" {
				req.Header.Set("Authorization", tt.header)
			}
			a := r.serve(req)
			if a.code != tt.want {
				t.Errorf("answers %d %s, want %d", a.code, a.text, tt.want)
			}
			if a.code == 401 && (a.failure() != "unauthorized" || a.header.Get("WWW-Authenticate") != "Bearer") {
				t.Errorf("answers %s with WWW-Authenticate %q", a.text, a.header.Get("WWW-Authenticate"))
			}
			if strings.Contains(a.text, token) || strings.Contains(r.log.String(), token) {
				t.Error("the token shows")
			}
		})
	}
}

func TestTokenIsAskedForBeforeAnythingIsDone(t *testing.T) {
	r := newRig(t)
	r.o.Token = "t"
	for _, c := range [][2]string{
		{"POST", "/api/v1/commands"}, {"GET", "/api/v1/commands/x"}, {"DELETE", "/api/v1/commands/x"},
		{"POST", "/api/v1/reload"}, {"GET", "/api/v1/dead/1"}, {"DELETE", "/api/v1/dead/1"}, {"POST", "/api/v1/dead/1/replay"},
	} {
		r.call(c[0], c[1], envelopeOf("x")).wants(t, http.StatusUnauthorized, "unauthorized")
	}
	if len(r.submitted) > 0 {
		t.Error("a command was stored")
	}
}

func TestWithATokenAnyHostNameIsGood(t *testing.T) {
	r := newRig(t)
	r.o.Token = "t"
	req := request("GET", "/api/v1/status", "")
	req.Host = "bot.internal:8081"
	req.Header.Set("Authorization", "Bearer t")
	r.serve(req).wants(t, http.StatusOK, "")
}

func TestWithoutATokenOnlyLoopbackNamesAreAnswered(t *testing.T) {
	for host, want := range map[string]int{
		"127.0.0.1:8081": 200, "127.0.0.1": 200, "127.8.8.8:1": 200, "localhost:8081": 200, "localhost": 200, "[::1]:8081": 200, "[::1]": 200,
		"evil.example:8081": 403, "localhost.evil.example": 403, "127.0.0.1.evil.example": 403, "192.168.1.5:8081": 403, "0.0.0.0:8081": 403, "": 403,
	} {
		t.Run(host, func(t *testing.T) {
			r := newRig(t)
			req := request("GET", "/api/v1/status", "")
			req.Host = host
			if a := r.serve(req); a.code != want || want == 403 && a.failure() != "host" {
				t.Errorf("answers %d %s, want %d", a.code, a.text, want)
			}
		})
	}
}

func TestPagesOfOtherSitesCannotChangeAnything(t *testing.T) {
	for _, tt := range []struct {
		name, method, header, value string
		want                        int
	}{
		{"a browser says that another site asks", "POST", "Sec-Fetch-Site", "cross-site", 403},
		{"a sibling site is another one", "POST", "Sec-Fetch-Site", "same-site", 403},
		{"an old browser names the origin only", "POST", "Origin", "https://evil.example", 403},
		{"deleting is changing", "DELETE", "Sec-Fetch-Site", "cross-site", 403},
		{"its own page", "POST", "Sec-Fetch-Site", "same-origin", 202},
		{"its own page in an old browser", "POST", "Origin", "http://127.0.0.1:8081", 202},
		{"typed into the address bar", "POST", "Sec-Fetch-Site", "none", 202},
		{"no browser", "POST", "User-Agent", "curl", 202},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			path := "/api/v1/commands"
			if tt.method == "DELETE" {
				path += "/x"
			}
			req := request(tt.method, path, envelopeOf("x"))
			req.Header.Set(tt.header, tt.value)
			a := r.serve(req)
			if a.code != tt.want || tt.want == 403 && a.failure() != "cross_site" {
				t.Errorf("answers %d %s, want %d", a.code, a.text, tt.want)
			}
			if stored := len(r.submitted) > 0; stored != (tt.want == 202) {
				t.Errorf("stored a command: %v", stored)
			}
		})
	}
}

func TestReadinessTellsTheReason(t *testing.T) {
	r := newRig(t)
	r.call("GET", "/readyz", "").wants(t, http.StatusOK, "")
	r.o.Ready = func() error { return errors.New("the engine is stopping") }
	a := r.call("GET", "/readyz", "")
	a.wants(t, http.StatusServiceUnavailable, "not_ready")
	if !strings.Contains(a.text, "the engine is stopping") {
		t.Errorf("does not say why: %s", a.text)
	}
	r.call("GET", "/healthz", "").wants(t, http.StatusOK, "")
}

func TestHealthChecksAnswerHEADAsGETWithoutABody(t *testing.T) {
	r := newRig(t)
	ready := true
	r.o.Ready = func() error {
		if !ready {
			return errors.New("the engine is stopping")
		}
		return nil
	}
	server := httptest.NewServer(New(r.o))
	defer server.Close()
	ask := func(method, path string) (status int, header http.Header, body string) {
		t.Helper()
		req, err := http.NewRequest(method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		resp.Header.Del("Date")
		return resp.StatusCode, resp.Header, string(b)
	}
	for _, ready = range []bool{true, false} {
		for _, path := range []string{"/healthz", "/readyz"} {
			status, header, _ := ask(http.MethodGet, path)
			gotStatus, gotHeader, body := ask(http.MethodHead, path)
			if gotStatus != status || !reflect.DeepEqual(gotHeader, header) || body != "" {
				t.Errorf("HEAD %s: %d %v %q, want %d %v and no body", path, gotStatus, gotHeader, body, status, header)
			}
		}
	}
}

func TestUnknownPathsAndMethodsAreAnsweredInJSON(t *testing.T) {
	for _, tt := range []struct {
		method, path string
		status       int
		code         string
	}{
		{"GET", "/api/v1/nothing", 404, "not_found"},
		{"GET", "/api/v2/status", 404, "not_found"},
		{"PUT", "/api/v1/status", 405, "method"},
		{"GET", "/api/v1/reload", 405, "method"},
		{"POST", "/healthz", 405, "method"},
		{"PATCH", "/api/v1/commands/x", 405, "method"},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			r := newRig(t)
			a := r.call(tt.method, tt.path, "")
			a.wants(t, tt.status, tt.code)
			if tt.status == 405 && a.header.Get("Allow") == "" {
				t.Error("does not name the methods it takes")
			}
		})
	}
}

func TestAPanicIsAnAnswerAndALogLine(t *testing.T) {
	r := newRig(t)
	r.o.Status = func() (any, error) { panic("boom") }
	r.call("GET", "/api/v1/status", "").wants(t, http.StatusInternalServerError, "internal")
	if !strings.Contains(r.log.String(), "boom") {
		t.Errorf("the log does not have the reason: %s", r.log.String())
	}
}
