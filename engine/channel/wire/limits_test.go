package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// stalls are the places in which a server can keep a request waiting. Each
// calls reached when it gets there.
var stalls = []struct {
	name   string
	body   string
	behave func(p *peer, reached func())
	status int
}{
	{"before the answer", "{}", func(p *peer, reached func()) { p.request(); reached() }, 0},
	{"in the head", "{}", func(p *peer, reached func()) { p.request(); p.say(good[:20]); reached() }, 0},
	{"after an interim answer", "{}", func(p *peer, reached func()) { p.request(); p.say("HTTP/1.1 100 Continue\r\n\r\n"); reached() }, 0},
	{"in the body", "{}", func(p *peer, reached func()) { p.request(); p.say(good[:len(good)-1]); reached() }, 200},
	{"in the request", strings.Repeat("x", 32<<20), func(p *peer, reached func()) { p.r.ReadByte(); reached() }, 0},
}

func TestCancellationInterrupts(t *testing.T) {
	for _, tt := range stalls {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			s := serve(t, func(p *peer) {
				tt.behave(p, cancel)
				<-t.Context().Done() // which is before the servers are stopped
			})
			tr := transport(t)
			o := send(ctx, tr, "POST", s.url, tt.body)
			if !errors.Is(o.err, context.Canceled) {
				t.Errorf("got %d %v", o.status, o.err)
			}
			wantSent(t, o.err)
			if tr.idle() != 0 {
				t.Error("the connection was kept")
			}
		})
	}
}

// A deadline is kept to the moment.
func TestDeadlines(t *testing.T) {
	for _, tt := range stalls {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
				defer cancel()
				over := make(chan struct{})
				defer close(over)
				tr := &Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
					near, far := net.Pipe()
					go func() {
						defer far.Close()
						p := newPeer(far)
						p.server = &server{}
						tt.behave(p, func() {})
						<-over
					}()
					return near, nil
				}}
				begin := time.Now()
				o := send(ctx, tr, "POST", "http://x", tt.body)
				if !errors.Is(o.err, context.DeadlineExceeded) || o.status != tt.status || time.Since(begin) != 5*time.Second {
					t.Errorf("got %d %v after %v", o.status, o.err, time.Since(begin))
				}
				wantSent(t, o.err)
			})
		})
	}
}

// The limits of one request do not reach into the next on the same connection.
func TestADeadlineEndsWithItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		tr := &Transport{DialContext: piped(&dials, func(c net.Conn, _ *http.Request) bool {
			time.Sleep(3 * time.Second)
			io.WriteString(c, good)
			return true
		})}
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		wantGood(t, send(ctx, tr, "POST", "http://x", ""))
		cancel()
		wantGood(t, send(t.Context(), tr, "POST", "http://x", ""))
		if dials != 1 {
			t.Errorf("%d dials", dials)
		}
		tr.CloseIdleConnections()
	})
}

// A cancellation that comes as a request ends never strikes the next one.
func TestALateCancellationHurtsNobodyElse(t *testing.T) {
	s, tr := serve(t, answers(good)), transport(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 200 {
				ctx, cancel := context.WithCancel(t.Context())
				struck := make(chan struct{})
				go func() { cancel(); close(struck) }()
				send(ctx, tr, "POST", s.url, "{}")
				wantGood(t, post(t, tr, s.url))
				<-struck
			}
		})
	}
	all.Wait()
	if n, m := s.conns.Load(), s.requests.Load(); n >= m {
		t.Errorf("%d connections for %d requests: none was ever kept", n, m)
	}
}

func TestNoConnectionNothingSent(t *testing.T) {
	refused := errors.New("refused")
	var dialled string
	dial := func(err error) func(context.Context, string, string) (net.Conn, error) {
		return func(ctx context.Context, _, address string) (net.Conn, error) {
			if dialled = address; err == nil {
				<-ctx.Done()
				err = ctx.Err()
			}
			return nil, err
		}
	}
	silent := func(ctx context.Context, _, address string) (net.Conn, error) {
		near, far := net.Pipe()
		context.AfterFunc(ctx, func() { far.Close() })
		go io.Copy(io.Discard, far)
		dialled = address
		return near, nil
	}
	tests := []struct {
		name, url string
		dial      func(context.Context, string, string) (net.Conn, error)
		address   string
		want      error
		after     time.Duration
	}{
		{"refused", "http://x", dial(refused), "x:80", refused, 0},
		{"refused with TLS", "https://x", dial(refused), "x:443", refused, 0},
		{"an IPv6 address", "http://[::1]/", dial(refused), "[::1]:80", refused, 0},
		{"an IPv6 address and a port", "https://[::1]:8443/", dial(refused), "[::1]:8443", refused, 0},
		{"an IPv6 address with a zone", "http://[fe80::1%25eth0]/", dial(refused), "[fe80::1%eth0]:80", refused, 0},
		{"a port left empty", "http://x:/", dial(refused), "x:80", refused, 0},
		{"the deadline passes while dialling", "http://x", dial(nil), "x:80", context.DeadlineExceeded, 8 * time.Second},
		{"the handshake hangs", "https://x", silent, "x:443", context.DeadlineExceeded, 5 * time.Second},
		{"no host", "http:///x", nil, "", nil, 0},
		{"another kind of address", "ftp://x/", nil, "", nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dialled = ""
				ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
				defer cancel()
				begin := time.Now()
				o := send(ctx, &Transport{DialContext: tt.dial}, "POST", tt.url, "{}")
				wantNotSent(t, o.err, false)
				if tt.want != nil && !errors.Is(o.err, tt.want) || dialled != tt.address || time.Since(begin) != tt.after {
					t.Errorf("dialled %q, got %v after %v", dialled, o.err, time.Since(begin))
				}
			})
		})
	}
}

func TestARequestWhoseTimeIsUpIsNotSent(t *testing.T) {
	s, tr := serve(t, answers(good)), transport(t)
	wantGood(t, post(t, tr, s.url))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := send(ctx, tr, "POST", s.url, "{}")
	wantNotSent(t, o.err, false)
	if !errors.Is(o.err, context.Canceled) || s.requests.Load() != 1 {
		t.Errorf("got %v, %d requests", o.err, s.requests.Load())
	}
	wantGood(t, post(t, tr, s.url))
	if s.conns.Load() != 1 {
		t.Errorf("%d connections", s.conns.Load())
	}
}

func TestARequestCancelledOnceConnectedIsNotSent(t *testing.T) {
	s := serve(t, answers(good))
	ctx, cancel := context.WithCancel(t.Context())
	tr := transport(t)
	tr.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		cancel()
		return c, err
	}
	o := send(ctx, tr, "POST", s.url, "{}")
	wantNotSent(t, o.err, true)
	if tr.idle() != 0 {
		t.Error("the connection was kept")
	}
}
