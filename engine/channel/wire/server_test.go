package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// patience is how long a test waits for what must happen.
const patience = 20 * time.Second

// server speaks exact bytes and counts what reaches it.
type server struct {
	url      string
	conns    atomic.Int32
	requests atomic.Int32 // complete ones
}

// peer is the server's end of one connection.
type peer struct {
	net.Conn
	r      *bufio.Reader
	server *server
	nth    int32 // of the server's connections, from 1
	body   string
}

func newPeer(c net.Conn) *peer { return &peer{Conn: c, r: bufio.NewReader(c)} }

// request reads a complete request; false at the end of the connection.
func (p *peer) request() bool {
	req, err := http.ReadRequest(p.r)
	if err != nil {
		return false
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return false
	}
	p.body = string(body)
	p.server.requests.Add(1)
	return true
}

func (p *peer) say(s string) { io.WriteString(p, s) }

// reset closes the connection so that the client gets a reset.
func (p *peer) reset() {
	p.Conn.(*net.TCPConn).SetLinger(0)
	p.Close()
}

const good = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood"

// answers serves any number of requests, each with the given bytes.
func answers(s string) func(*peer) {
	return func(p *peer) {
		for p.request() {
			p.say(s)
		}
	}
}

// serve runs a server whose connections behave as told. They are closed when
// that returns.
func serve(t testing.TB, behave func(*peer)) *server {
	return serveOver(t, "http", func(c net.Conn) net.Conn { return c }, behave)
}

func serveTLS(t testing.TB, config *tls.Config, behave func(*peer)) *server {
	return serveOver(t, "https", func(c net.Conn) net.Conn { return tls.Server(c, config) }, behave)
}

func serveOver(t testing.TB, scheme string, wrap func(net.Conn) net.Conn, behave func(*peer)) *server {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{url: scheme + "://" + l.Addr().String()}
	over, end := context.WithCancel(context.Background())
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); end(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			stop := context.AfterFunc(over, func() { c.Close() })
			conn := wrap(c)
			p := newPeer(conn)
			p.server, p.nth = s, s.conns.Add(1)
			all.Go(func() {
				defer stop()
				defer conn.Close()
				behave(p)
			})
		}
	})
	return s
}

// transport is one that leaves nothing behind.
func transport(t testing.TB) *Transport {
	tr := &Transport{}
	t.Cleanup(tr.CloseIdleConnections)
	return tr
}

// outcome is all that a caller learns from one request.
type outcome struct {
	status int
	header http.Header
	body   string
	err    error
	whole  bool // the body was read to its end
}

func send(ctx context.Context, rt http.RoundTripper, method, url, body string) (o outcome) {
	var r io.Reader
	if body != "" {
		r = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(ctx, method, url, r)
	if err != nil {
		return outcome{err: err}
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return outcome{err: err}
	}
	defer resp.Body.Close()
	var b bytes.Buffer
	_, err = b.ReadFrom(resp.Body)
	return outcome{status: resp.StatusCode, header: resp.Header, body: b.String(), err: err, whole: err == nil}
}

// post sends a request that must not take for ever.
func post(t *testing.T, rt http.RoundTripper, url string) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return send(ctx, rt, http.MethodPost, url, "{}")
}

func wantGood(t *testing.T, o outcome) {
	t.Helper()
	if o.err != nil || o.status != 200 || o.body != "good" {
		t.Errorf("got %d %q %v, want the good answer", o.status, o.body, o.err)
	}
}

func wantSent(t *testing.T, err error) {
	t.Helper()
	if unsent, ok := errors.AsType[*NotSentError](err); ok || err == nil {
		t.Errorf("got %v (%+v), want an error that leaves it open", err, unsent)
	}
}

func wantNotSent(t *testing.T, err error, connected bool) {
	t.Helper()
	unsent, ok := errors.AsType[*NotSentError](err)
	if !ok || unsent.Connected != connected {
		t.Errorf("got %v (%+v), want it not sent, connected %v", err, unsent, connected)
	}
}

// until waits for something that the kernel or another goroutine is about to do.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// idle counts the connections in the pool.
func (t *Transport) idle() (n int) {
	t.pool.mu.Lock()
	defer t.pool.mu.Unlock()
	for _, all := range t.pool.idle {
		n += len(all)
	}
	return n
}

// untilHeard waits for what the server did to the one idle connection to get
// here. It leaves the connection in the pool.
func (t *Transport) untilHeard(tt *testing.T, url string) {
	tt.Helper()
	scheme, name, _ := strings.Cut(url, "://")
	until(tt, "the server's last act on the idle connection", func() bool {
		c := t.pool.take(host{scheme, name})
		if c == nil {
			tt.Fatal("no connection is idle")
		}
		defer t.pool.put(c)
		return !c.quiet()
	})
}
