package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// Wherever an answer breaks off, the request has arrived once and is not sent
// again, neither over a new connection nor over one that was kept.
func TestNoRequestIsSentTwice(t *testing.T) {
	endings := map[string]func(*peer){"closed": func(p *peer) { p.Close() }, "reset": (*peer).reset}
	for name, end := range endings {
		for _, kept := range []bool{false, true} {
			t.Run(name+", kept "+strconv.FormatBool(kept), func(t *testing.T) {
				for n := range len(good) + 1 {
					s := serve(t, func(p *peer) {
						if kept && p.request() {
							p.say(good)
						}
						if p.request() {
							p.say(good[:n])
							end(p)
						}
					})
					tr := transport(t)
					want := int32(1)
					if kept {
						wantGood(t, post(t, tr, s.url))
						want = 2
					}
					if o := post(t, tr, s.url); o.status == 0 {
						wantSent(t, o.err)
					} else if o.status != 200 || o.whole != (o.body == "good") {
						t.Errorf("%d bytes: got %d %q %v", n, o.status, o.body, o.err)
					}
					if s.requests.Load() != want || s.conns.Load() != 1 {
						t.Errorf("%d bytes: %d requests, want %d; %d connections", n, s.requests.Load(), want, s.conns.Load())
					}
				}
			})
		}
	}
}

// However much of a request was taken when the connection broke, it may have
// been all the server needed.
func TestARequestThatBreaksOffIsSent(t *testing.T) {
	whole := int64(len(requestBytes(t)))
	for n := range whole + 1 {
		dials := 0
		tr := &Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			dials++
			near, far := net.Pipe()
			go func() {
				io.CopyN(io.Discard, far, n)
				far.Close()
			}()
			return near, nil
		}}
		o := send(t.Context(), tr, "POST", "http://x", "{}")
		wantSent(t, o.err)
		if dials != 1 {
			t.Errorf("%d bytes taken: %d dials", n, dials)
		}
	}
}

// requestBytes is what a request looks like.
func requestBytes(t *testing.T) string {
	req, err := http.NewRequest("POST", "http://x", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := req.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

type brokenBody struct{ closed atomic.Bool }

func (b *brokenBody) Read([]byte) (int, error) { return 0, errors.New("broken body") }
func (b *brokenBody) Close() error             { b.closed.Store(true); return nil }

// A request that cannot be written whole leaves nothing behind on a connection
// that others use.
func TestARequestThatFailsByItself(t *testing.T) {
	tests := []struct {
		name string
		body func() io.Reader
		sent bool
	}{
		{"a body shorter than its length", func() io.Reader { return strings.NewReader("short") }, false},
		{"a body that cannot be read", func() io.Reader { return &brokenBody{} }, true}, // its head goes ahead of it
	}
	s := serve(t, answers(good))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tr := transport(t)
			wantGood(t, post(t, tr, s.url))
			req, err := http.NewRequestWithContext(t.Context(), "POST", s.url, tt.body())
			if err != nil {
				t.Fatal(err)
			}
			req.ContentLength = 10
			_, err = tr.RoundTrip(req)
			if tt.sent {
				wantSent(t, err)
			} else {
				wantNotSent(t, err, true)
			}
			if b, ok := req.Body.(*brokenBody); ok && !b.closed.Load() {
				t.Error("the body was not closed")
			}
			wantGood(t, post(t, tr, s.url))
		})
	}
}

// deaf is a connection that takes nothing and still waits for an answer.
type deaf struct{ net.Conn }

func (deaf) Write([]byte) (int, error) { return 0, errDeaf }

var errDeaf = errors.New("deaf")

func TestAConnectionThatTakesNothingIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		defer far.Close()
		tr := &Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return deaf{near}, nil }}
		begin := time.Now()
		o := send(t.Context(), tr, "POST", "http://x", "{}")
		wantSent(t, o.err)
		if !errors.Is(o.err, errDeaf) || time.Since(begin) > time.Second {
			t.Errorf("got %v after %v", o.err, time.Since(begin))
		}
	})
}

func TestTheBodyIsClosedWithoutAConnection(t *testing.T) {
	tr := &Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, errDeaf }}
	body := &brokenBody{}
	req, _ := http.NewRequest("POST", "http://x", body)
	_, err := tr.RoundTrip(req)
	wantNotSent(t, err, false)
	if !body.closed.Load() {
		t.Error("the body was not closed")
	}
}

// A server may refuse a long request from its head alone. Its answer is heard,
// although writing the rest fails.
func TestAnEarlyAnswer(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems drop what has arrived when the connection is reset")
	}
	const refusal = "HTTP/1.1 413 Too Large\r\nContent-Length: 3\r\n\r\nbig"
	s := serve(t, func(p *peer) {
		if _, err := http.ReadRequest(p.r); err == nil {
			p.say(refusal)
		}
	})
	tr := transport(t)
	o := send(t.Context(), tr, "POST", s.url, strings.Repeat("x", 32<<20))
	if o.status != 413 || o.body != "big" {
		t.Errorf("got %d %q %v", o.status, o.body, o.err)
	}
	if tr.idle() != 0 || s.conns.Load() != 1 {
		t.Errorf("%d idle, %d connections", tr.idle(), s.conns.Load())
	}
}
