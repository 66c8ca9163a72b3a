package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// proxy tunnels, and notes what it was asked.
type proxy struct {
	address *url.URL
	mu      sync.Mutex
	asked   []string // "CONNECT address authorization"
}

// newProxy starts a proxy that knows one address, example.com:443 or :80, which
// leads to target. Its answer is another than yes where one is given.
func newProxy(t *testing.T, target, answer string) *proxy {
	t.Helper()
	p := new(proxy)
	s := serve(t, func(c *peer) {
		req, err := http.ReadRequest(c.r)
		if err != nil {
			return
		}
		p.mu.Lock()
		p.asked = append(p.asked, strings.TrimSpace(req.Method+" "+req.RequestURI+" "+req.Header.Get("Proxy-Authorization")))
		p.mu.Unlock()
		if answer != "" {
			c.say(answer)
			return
		}
		to, err := net.Dial("tcp", target)
		if err != nil {
			c.say("HTTP/1.1 502 Bad Gateway\r\n\r\n")
			return
		}
		defer to.Close()
		c.say("HTTP/1.1 200 Connection established\r\nVia: a\r\n\r\n")
		go func() {
			io.Copy(to, c.r)
			to.Close() // or nobody hangs up on the other side
		}()
		io.Copy(c, to)
	})
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	p.address = address
	return p
}

func (p *proxy) wantAsked(t *testing.T, want ...string) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if got := strings.Join(p.asked, "\n"); got != strings.Join(want, "\n") {
		t.Errorf("the proxy was asked\n%s\nwant\n%s", got, strings.Join(want, "\n"))
	}
}

func hostPort(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// One tunnel serves many requests, and names are the proxy's to look up.
func TestRequestsGoThroughAProxy(t *testing.T) {
	t.Run("http", func(t *testing.T) {
		s, tr := serve(t, answers(good)), transport(t)
		p := newProxy(t, hostPort(t, s.url), "")
		tr.DialContext = Through(p.address)
		for range 2 {
			wantGood(t, post(t, tr, "http://example.com/a"))
		}
		p.wantAsked(t, "CONNECT example.com:80")
	})
	t.Run("https, with a password", func(t *testing.T) {
		ours, theirs := certificate(t)
		s, tr := serveTLS(t, ours, answers(good)), transport(t)
		p := newProxy(t, hostPort(t, s.url), "")
		p.address.User = url.UserPassword("bot", "s3cret")
		tr.TLS, tr.DialContext = theirs, Through(p.address)
		wantGood(t, post(t, tr, "https://example.com/a"))
		p.wantAsked(t, "CONNECT example.com:443 Basic Ym90OnMzY3JldA==")
	})
}

// Of what a proxy does not let through the platform has seen nothing.
func TestWhatAProxyRefusesWasNotSent(t *testing.T) {
	for name, tt := range map[string]struct{ answer, want string }{
		"the password":        {"HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic\r\n\r\n", "user and password"},
		"the address":         {"HTTP/1.1 403 Forbidden\r\n\r\nno s3cret for you", "(403)"},
		"a redirect":          {"HTTP/1.1 302 Found\r\nLocation: http://example.org\r\n\r\n", "(302)"},
		"no HTTP":             {"SSH-2.0-OpenSSH\r\n", "no answer to CONNECT"},
		"an endless head":     {"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("y", maxHeader+1), "no answer to CONNECT"},
		"words of its own":    {"HTTP/1.1 200 OK\r\n\r\nhello", "before it was asked"},
		"nothing, hanging up": {"\r\n", "no answer to CONNECT"},
	} {
		t.Run(name, func(t *testing.T) {
			p, tr := newProxy(t, "", tt.answer), transport(t)
			p.address.User = url.UserPassword("bot", "s3cret")
			tr.DialContext = Through(p.address)
			err := post(t, tr, "http://example.com/a").err
			wantNotSent(t, err, false)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if err != nil && (strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "Ym90")) {
				t.Errorf("%v tells the password", err)
			}
		})
	}
}

// A proxy that says nothing holds nobody longer than the request may take.
func TestASilentProxyIsLeft(t *testing.T) {
	s := serve(t, func(p *peer) { io.Copy(io.Discard, p) })
	address, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Through(address)(ctx, "tcp", "example.com:80")
		done <- err
	}()
	until(t, "the proxy is asked", func() bool { return s.conns.Load() > 0 })
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	case <-time.After(patience):
		t.Error("still waiting")
	}
}
