package wire

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync/atomic"
	"testing"
	"time"
)

// certificate makes a server's side with a certificate for 127.0.0.1 and
// example.com, and the client's side that trusts it.
func certificate(t *testing.T) (server, client *tls.Config) {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, &tls.Config{RootCAs: roots}
}

func TestTLSConnectionsAreKept(t *testing.T) {
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		t.Run(tls.VersionName(version), func(t *testing.T) {
			ours, theirs := certificate(t)
			ours.MaxVersion = version
			var hello atomic.Pointer[tls.ClientHelloInfo]
			ours.GetConfigForClient = func(h *tls.ClientHelloInfo) (*tls.Config, error) {
				hello.Store(h)
				return nil, nil
			}
			s, tr := serveTLS(t, ours, answers(good)), transport(t)
			tr.TLS = theirs
			for range 3 {
				wantGood(t, post(t, tr, s.url))
			}
			if s.conns.Load() != 1 || s.requests.Load() != 3 {
				t.Errorf("%d requests over %d connections", s.requests.Load(), s.conns.Load())
			}
			h := hello.Load()
			if !slices.Equal(h.SupportedProtos, []string{"http/1.1"}) {
				t.Errorf("offered %q", h.SupportedProtos)
			}
			if slices.Min(h.SupportedVersions) != tls.VersionTLS12 {
				t.Errorf("offered versions %x", h.SupportedVersions)
			}
		})
	}
}

func TestTLSIsStrict(t *testing.T) {
	tests := []struct {
		name   string
		change func(server, client *tls.Config)
		good   bool
	}{
		{"a name it has", func(_, client *tls.Config) { client.ServerName = "example.com" }, true},
		{"a name it has not", func(_, client *tls.Config) { client.ServerName = "example.org" }, false},
		{"a root nobody knows", func(_, client *tls.Config) { client.RootCAs = x509.NewCertPool() }, false},
		{"an old version", func(server, client *tls.Config) {
			server.MinVersion, server.MaxVersion, client.MinVersion = tls.VersionTLS10, tls.VersionTLS11, tls.VersionTLS10
		}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ours, theirs := certificate(t)
			tt.change(ours, theirs)
			s, tr := serveTLS(t, ours, answers(good)), transport(t)
			tr.TLS = theirs
			var socket net.Conn
			tr.DialContext = func(ctx context.Context, network, address string) (c net.Conn, err error) {
				socket, err = new(net.Dialer).DialContext(ctx, network, address)
				return socket, err
			}
			o := post(t, tr, s.url)
			if tt.good {
				wantGood(t, o)
				return
			}
			wantNotSent(t, o.err, false)
			if err := socket.SetDeadline(time.Time{}); !errors.Is(err, net.ErrClosed) {
				t.Error("the socket was left open")
			}
		})
	}
}

// cork holds back what is written until it is let go, in one piece.
type cork struct {
	net.Conn
	held *bytes.Buffer // nil = nothing is held back
}

func (c *cork) Write(p []byte) (int, error) {
	if c.held != nil {
		return c.held.Write(p)
	}
	return c.Conn.Write(p)
}

func (c *cork) letGo() {
	c.Conn.SetWriteDeadline(time.Time{}) // a farewell forbids whatever is written after it
	if c.held != nil {
		c.Conn.Write(c.held.Bytes())
		c.held = nil
	}
}

// TLS is no veil: the end of a connection and stray bytes are noticed, whether
// they come later or together with the answer, where they have left the socket
// before anybody looks at it.
func TestIdleTLSConnectionsThatAreNoGoodAreNotUsed(t *testing.T) {
	acts := []struct {
		name string
		act  func(c *tls.Conn)
	}{
		{"a farewell", func(c *tls.Conn) { c.CloseWrite() }},
		{"stray bytes", func(c *tls.Conn) { c.Write([]byte("stray bytes")) }},
		{"the socket closed", func(c *tls.Conn) {
			hold := c.NetConn().(*cork)
			hold.letGo()
			hold.Conn.(*net.TCPConn).CloseWrite()
		}},
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		for _, tt := range acts {
			for _, when := range []string{"together", "later"} {
				t.Run(tls.VersionName(version)+", "+tt.name+" "+when, func(t *testing.T) {
					ours, theirs := certificate(t)
					ours.MaxVersion = version
					later := make(chan struct{})
					s := serveOver(t, "https", func(c net.Conn) net.Conn {
						return tls.Server(&cork{Conn: c}, ours)
					}, func(p *peer) {
						secured := p.Conn.(*tls.Conn)
						hold := secured.NetConn().(*cork)
						for p.request() {
							switch {
							case p.nth > 1:
								p.say(good)
							case when == "together":
								hold.held = new(bytes.Buffer)
								p.say(good)
								tt.act(secured)
								hold.letGo()
							default:
								p.say(good)
								<-later
								tt.act(secured)
							}
						}
					})
					tr := transport(t)
					tr.TLS = theirs
					wantGood(t, post(t, tr, s.url))
					close(later)
					if tr.idle() > 0 {
						tr.untilHeard(t, s.url)
					}
					wantGood(t, post(t, tr, s.url))
					if s.conns.Load() != 2 || s.requests.Load() != 2 {
						t.Errorf("%d connections, %d requests", s.conns.Load(), s.requests.Load())
					}
				})
			}
		}
	}
}
