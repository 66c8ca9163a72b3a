// Package wire is an HTTP/1.1 transport for small requests that must not be
// sent twice. A request is written and its answer read on the caller's
// goroutine: one connection serves one request at a time, and neither a
// connection in use nor an idle one has a goroutine of its own.
//
// Requests are written and answers parsed by net/http (Request.Write,
// ReadResponse). What its Transport does besides is left out on purpose: it
// repeats no request, follows no proxy of the environment's, decompresses nothing, does not wait for
// a 100 (Continue) and speaks no HTTP/2. An idle connection that its peer has
// closed is noticed before anything is written to it.
package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	dialTimeout      = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	// maxHeader bounds the head of an answer in bytes, with all informational
	// answers before it.
	maxHeader = 64 << 10
	// maxInterim is how many informational answers (1xx) may come before the
	// one that counts.
	maxInterim = 16
)

// Transport is an http.RoundTripper. Its zero value is ready; the fields must
// not change once it is in use. It is safe for concurrent use, but the body of
// an answer is for one goroutine at a time, and must be read to its end or
// closed.
//
// After a body was read to its end the connection is kept for the next request
// to that host: at most 64 per host, each for at most 30 s; one timer watches
// over them while there are any. A body closed before its end closes the
// connection.
//
// The deadline of a request's context bounds everything from dialling to the
// last byte of the body, and its cancellation interrupts what is under way.
// There is no other limit on waiting for an answer.
//
// An error is a *NotSentError as long as the server cannot have seen any of
// the request. If a server answers before it has read the whole request, and
// closes, that answer is returned where it has arrived.
type Transport struct {
	// DialContext opens a connection; nil = a net.Dialer with a limit of 5 s.
	DialContext func(ctx context.Context, network, address string) (net.Conn, error)
	// TLS is what https connections start from; nil = the system's roots. The
	// protocol is always HTTP/1.1, the version at least TLS 1.2, and the server
	// name that of the address unless one is given. A handshake has 5 s.
	TLS *tls.Config

	pool pool
}

// NotSentError is the error of a request of which no byte was handed to the
// network. After any other error nobody knows whether it arrived.
type NotSentError struct {
	Connected bool // false: no connection came about
	Err       error
}

func (e *NotSentError) Error() string { return e.Err.Error() }
func (e *NotSentError) Unwrap() error { return e.Err }

// RoundTrip sends the request, at most once, and returns when the head of the
// answer was read. Header names and values are the caller's care: those that
// Request.Write would leave out or mend are left out or mended.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		defer req.Body.Close()
	}
	ctx := req.Context()
	to, err := hostOf(req.URL)
	if err != nil {
		return nil, &NotSentError{Err: err}
	}
	c, err := t.connect(ctx, to)
	if err != nil {
		return nil, &NotSentError{Err: err}
	}
	c.begin(ctx)
	resp, err := c.exchange(req)
	if err != nil {
		c.abandon()
		return nil, c.because(ctx, err)
	}
	keep := !resp.Close && !req.Close && resp.StatusCode >= 200
	if resp.Body == http.NoBody {
		t.pool.giveBack(c, keep)
	} else {
		resp.Body = &body{src: resp.Body, conn: c, pool: &t.pool, ctx: ctx, keep: keep}
	}
	return resp, nil
}

// CloseIdleConnections closes the connections that serve no request.
func (t *Transport) CloseIdleConnections() { t.pool.close() }

// connect finds an idle connection that is still good, or dials.
func (t *Transport) connect(ctx context.Context, to host) (*conn, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for c := t.pool.take(to); c != nil; c = t.pool.take(to) {
		if c.quiet() {
			return c, nil
		}
		c.abandon()
	}
	return t.dial(ctx, to)
}

func (t *Transport) dial(ctx context.Context, to host) (*conn, error) {
	dial := t.DialContext
	if dial == nil {
		dial = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	socket, err := dial(ctx, "tcp", to.address())
	if err != nil {
		return nil, err
	}
	if to.scheme == "http" {
		return newConn(to, socket, nil), nil
	}
	secured := tls.Client(socket, t.tlsConfig(to))
	limit, cancel := context.WithTimeout(ctx, handshakeTimeout)
	defer cancel()
	if err := secured.HandshakeContext(limit); err != nil {
		socket.Close()
		return nil, fmt.Errorf("TLS handshake: %w", err)
	}
	return newConn(to, socket, secured), nil
}

func (t *Transport) tlsConfig(to host) *tls.Config {
	c := t.TLS.Clone()
	if c == nil {
		c = &tls.Config{}
	}
	c.NextProtos = []string{"http/1.1"}
	c.MinVersion = max(c.MinVersion, tls.VersionTLS12)
	if c.ServerName == "" {
		c.ServerName = to.hostname()
	}
	return c
}

// host is what connections have in common that can stand in for each other.
type host struct{ scheme, name string } // name may have a port

func hostOf(u *url.URL) (host, error) {
	switch {
	case u == nil || u.Host == "":
		return host{}, errors.New("no host to send to")
	case u.Scheme != "http" && u.Scheme != "https":
		return host{}, fmt.Errorf("cannot speak %q", u.Scheme)
	}
	return host{u.Scheme, u.Host}, nil
}

func (h host) hostname() string { return (&url.URL{Host: h.name}).Hostname() }

func (h host) address() string {
	port := (&url.URL{Host: h.name}).Port()
	switch {
	case port != "":
	case h.scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(h.hostname(), port)
}
