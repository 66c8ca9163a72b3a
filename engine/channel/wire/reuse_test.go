package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// What a server does to an idle connection is noticed before anything is
// written to it: the next request goes over a new one, and arrives once.
func TestIdleConnectionsThatAreNoGoodAreNotUsed(t *testing.T) {
	tests := []struct {
		name string
		act  func(p *peer)
	}{
		{"closed", func(p *peer) { p.Close() }},
		{"closed for writing", func(p *peer) { p.Conn.(*net.TCPConn).CloseWrite() }},
		{"reset", (*peer).reset},
		{"something said", func(p *peer) { p.say("stray bytes") }},
		{"an answer nobody asked for", func(p *peer) { p.say(good) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			act := make(chan struct{})
			s := serve(t, func(p *peer) {
				for p.request() {
					p.say(good)
					if p.nth == 1 {
						<-act
						tt.act(p)
					}
				}
			})
			tr := transport(t)
			wantGood(t, post(t, tr, s.url))
			if tr.idle() != 1 {
				t.Fatal("the connection was not kept")
			}
			close(act)
			tr.untilHeard(t, s.url)
			wantGood(t, post(t, tr, s.url))
			if s.conns.Load() != 2 || s.requests.Load() != 2 {
				t.Errorf("%d connections, %d requests", s.conns.Load(), s.requests.Load())
			}
		})
	}
}

// A connection without a socket cannot be looked at; it is listened to.
func TestIdleConnectionsWithoutASocket(t *testing.T) {
	for _, hangUp := range []bool{false, true} {
		t.Run(fmt.Sprint("hang up ", hangUp), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dials := 0
				tr := &Transport{DialContext: piped(&dials, func(c net.Conn, req *http.Request) bool {
					io.WriteString(c, good)
					return !hangUp
				})}
				for range 2 {
					wantGood(t, send(t.Context(), tr, "POST", "http://x", "{}"))
					synctest.Wait()
				}
				if want := map[bool]int{false: 1, true: 2}[hangUp]; dials != want {
					t.Errorf("%d dials, want %d", dials, want)
				}
				tr.CloseIdleConnections()
			})
		})
	}
}

// piped dials in memory, to a server that answers until it returns false.
func piped(dials *int, answer func(c net.Conn, req *http.Request) bool) func(context.Context, string, string) (net.Conn, error) {
	return func(context.Context, string, string) (net.Conn, error) {
		*dials++
		near, far := net.Pipe()
		go func() {
			p := newPeer(far)
			defer far.Close()
			for {
				req, err := http.ReadRequest(p.r)
				if err != nil {
					return
				}
				io.Copy(io.Discard, req.Body)
				if !answer(far, req) {
					return
				}
			}
		}()
		return near, nil
	}
}

// 30 s after its last use an idle connection is closed, with nobody asking.
func TestIdleConnectionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		tr := &Transport{DialContext: piped(&dials, func(c net.Conn, _ *http.Request) bool {
			io.WriteString(c, good)
			return true
		})}
		begin := time.Now()
		wantGood(t, send(t.Context(), tr, "POST", "http://x", ""))
		wantGood(t, send(t.Context(), tr, "POST", "http://y", ""))
		time.Sleep(29 * time.Second)
		wantGood(t, send(t.Context(), tr, "POST", "http://x", ""))
		if dials != 2 {
			t.Fatalf("%d dials, want 2", dials)
		}
		for _, want := range []struct {
			at   time.Duration
			idle int
		}{{29 * time.Second, 2}, {31 * time.Second, 1}, {58 * time.Second, 1}, {60 * time.Second, 0}} {
			time.Sleep(time.Until(begin.Add(want.at)))
			synctest.Wait()
			if got := tr.idle(); got != want.idle {
				t.Errorf("after %v %d are idle, want %d", want.at, got, want.idle)
			}
		}
		tr.pool.mu.Lock()
		watched := tr.pool.sweep != nil
		tr.pool.mu.Unlock()
		if watched {
			t.Error("a timer watches over nothing")
		}
		wantGood(t, send(t.Context(), tr, "POST", "http://x", ""))
		if dials != 3 {
			t.Errorf("%d dials, want 3", dials)
		}
		tr.CloseIdleConnections()
	})
}

// Of more than 64 connections that become idle the others are closed, the
// longest idle first.
func TestIdleConnectionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		dials := 0
		tr := &Transport{DialContext: piped(&dials, func(c net.Conn, _ *http.Request) bool {
			<-answer
			io.WriteString(c, good)
			return true
		})}
		var all sync.WaitGroup
		for range maxIdle + 6 {
			all.Go(func() { wantGood(t, send(t.Context(), tr, "POST", "http://x", "")) })
			synctest.Wait() // dials is not for two at a time
		}
		close(answer)
		all.Wait()
		if dials != maxIdle+6 || tr.idle() != maxIdle {
			t.Errorf("%d dials, %d idle", dials, tr.idle())
		}
		tr.CloseIdleConnections()
		if tr.idle() != 0 {
			t.Error("closed, and still idle")
		}
	})
}

// The connection that was used last is used next.
func TestTheYoungestIdleConnectionIsUsed(t *testing.T) {
	var p pool
	a, b := &conn{}, &conn{}
	p.put(a)
	p.put(b)
	if p.take(host{}) != b || p.take(host{}) != a || p.take(host{}) != nil {
		t.Error("not last in, first out")
	}
	p.close()
}

func TestClosingIdleConnectionsLeavesTheOthers(t *testing.T) {
	answer := make(chan struct{})
	s := serve(t, func(p *peer) {
		for p.request() {
			<-answer
			p.say(good)
		}
	})
	tr := transport(t)
	var all sync.WaitGroup
	all.Go(func() { wantGood(t, post(t, tr, s.url)) })
	until(t, "the request arrives", func() bool { return s.requests.Load() == 1 })
	tr.CloseIdleConnections()
	close(answer)
	all.Wait()
}

// A body that is closed before its end costs the connection, but no waiting.
func TestABodyClosedEarly(t *testing.T) {
	s := serve(t, func(p *peer) {
		for p.request() {
			if p.nth == 1 {
				p.say("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf")
			} else {
				p.say(good)
			}
		}
	})
	tr := transport(t)
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.url, http.NoBody)
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	resp.Body.Close()
	if _, err := resp.Body.Read(make([]byte, 1)); err != http.ErrBodyReadAfterClose {
		t.Errorf("reading after it: %v", err)
	}
	if tr.idle() != 0 {
		t.Error("the connection was kept")
	}
	wantGood(t, post(t, tr, s.url))
}

func TestARequestThatIsToBeTheLast(t *testing.T) {
	s, tr := serve(t, answers(good)), transport(t)
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.url, http.NoBody)
	req.Close = true
	resp, err := tr.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if tr.idle() != 0 {
		t.Error("the connection was kept")
	}
}

// Many senders at once get each the answer to their own request, over no more
// connections than there are senders.
func TestConcurrentUse(t *testing.T) {
	const senders, each = 16, 25
	s := serve(t, func(p *peer) {
		for p.request() {
			p.say(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(p.body), p.body))
		}
	})
	tr := transport(t)
	var all sync.WaitGroup
	for i := range senders {
		all.Go(func() {
			for j := range each {
				body := fmt.Sprint("request ", i, " ", j)
				if o := send(t.Context(), tr, "POST", s.url, body); o.err != nil || o.body != body {
					t.Errorf("sent %q, got %q %v", body, o.body, o.err)
				}
			}
		})
	}
	all.Wait()
	if s.requests.Load() != senders*each || s.conns.Load() > senders {
		t.Errorf("%d requests over %d connections", s.requests.Load(), s.conns.Load())
	}
}
