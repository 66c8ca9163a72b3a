package loadtest

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// seen is what a server under test got.
type seen struct {
	mu     sync.Mutex
	ids    map[string]int
	orders map[string][]string // contents by sender
}

// newTarget is a server that notes callbacks and answers the n-th (from 0) with status(n).
func newTarget(t *testing.T, status func(n int) int) (*seen, string) {
	t.Helper()
	s := &seen{ids: make(map[string]int), orders: make(map[string][]string)}
	n := 0
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct{ Msg_id, Sender, Content string }
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			t.Errorf("a callback is no JSON: %v", err)
		}
		s.mu.Lock()
		s.ids[m.Msg_id]++
		s.orders[m.Sender] = append(s.orders[m.Sender], m.Content[:11])
		code := status(n)
		n++
		s.mu.Unlock()
		w.WriteHeader(code)
		io.WriteString(w, "success")
	}))
	t.Cleanup(srv.Close)
	return s, strings.TrimPrefix(srv.URL, "http://")
}

func always(status int) func(int) int { return func(int) int { return status } }

func TestClosedLoopSendsEachEventOnceAndInOrder(t *testing.T) {
	target, addr := newTarget(t, always(200))
	led := newLedger()
	g := newGenerator(load{addr: addr, connections: 4, conversations: 10, events: 200}, led, noon)
	g.measure()
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sent.ok != 200 || sent.statuses[200] != 200 || sent.failed != 0 || sent.answered.n != 200 {
		t.Errorf("counted %+v", sent.statuses)
	}
	if got := led.sum(); got.Acked != 200 {
		t.Errorf("the ledger has %+v", got)
	}
	if len(target.ids) != 200 {
		t.Errorf("%d different events arrived", len(target.ids))
	}
	if len(target.orders) != 12 { // 10, rounded up to a multiple of 4
		t.Errorf("%d conversations", len(target.orders))
	}
	for sender, got := range target.orders {
		for i := 1; i < len(got); i++ {
			if got[i] <= got[i-1] {
				t.Errorf("%s wrote %v", sender, got)
			}
		}
	}
}

func TestShareOfDuplicates(t *testing.T) {
	target, addr := newTarget(t, always(200))
	g := newGenerator(load{addr: addr, connections: 2, conversations: 10, events: 400, duplicates: 0.5}, newLedger(), noon)
	g.measure()
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(target.ids) != 400 {
		t.Errorf("%d different events arrived, want 400", len(target.ids))
	}
	if sent.ok < 650 || sent.ok > 950 {
		t.Errorf("%d requests for 400 events, want about 800", sent.ok)
	}
}

func TestRefusedEventsAreCountedAndNotAcked(t *testing.T) {
	_, addr := newTarget(t, func(n int) int {
		if n%4 == 3 {
			return http.StatusServiceUnavailable
		}
		return 200
	})
	led := newLedger()
	g := newGenerator(load{addr: addr, connections: 1, conversations: 10, events: 100}, led, noon)
	g.measure()
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sent.statuses[503] != 25 || sent.ok != 75 || led.sum().Acked != 75 || sent.answered.n != 75 {
		t.Errorf("statuses %v, ledger %+v", sent.statuses, led.sum())
	}
}

func TestNothingCountsBeforeMeasuring(t *testing.T) {
	_, addr := newTarget(t, always(200))
	led := newLedger()
	g := newGenerator(load{addr: addr, connections: 1, conversations: 1, events: 10}, led, noon)
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if sent.ok != 0 || sent.answered.n != 0 || led.sum().Acked != 10 {
		t.Errorf("%d answers are counted, %d events acked", sent.ok, led.sum().Acked)
	}
}

func TestOpenLoopKeepsItsRate(t *testing.T) {
	_, addr := newTarget(t, always(200))
	g := newGenerator(load{addr: addr, connections: 4, conversations: 10, rate: 500, events: 100}, newLedger(), noon)
	g.measure()
	begin := time.Now()
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begin); took < 190*time.Millisecond {
		t.Errorf("100 callbacks at 500/s took %v", took)
	}
	if sent.ok != 100 {
		t.Errorf("%d answers", sent.ok)
	}
}

// A server that stalls once is charged for every callback that was due
// meanwhile, not only for the one that it answered late.
func TestOpenLoopChargesAStallToAllThatItHeldUp(t *testing.T) {
	const stall = 200 * time.Millisecond
	_, addr := newTarget(t, func(n int) int {
		if n == 10 {
			<-time.After(stall) // fake time does not move while sockets are in use
		}
		return 200
	})
	g := newGenerator(load{addr: addr, connections: 1, conversations: 1, rate: 500, events: 120}, newLedger(), noon)
	g.measure()
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	late := 0
	for i, c := range sent.answered.counts {
		if border(i) > stall/4 {
			late += int(c)
		}
	}
	if late < 50 { // three quarters of the 100 that were due
		t.Errorf("%d callbacks count as late", late)
	}
}

func TestBrokenConnectionIsOpenedAgain(t *testing.T) {
	answers := newBroken(t, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok", 3)
	led := newLedger()
	g := newGenerator(load{addr: answers, connections: 1, conversations: 1, events: 9}, led, noon)
	g.measure()
	sent, err := g.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// Of every four requests on a connection the last gets no answer.
	if led.sum().Acked != 7 || sent.failed != 2 || sent.lastError == nil {
		t.Errorf("%d acked, %d without answer (%v)", led.sum().Acked, sent.failed, sent.lastError)
	}
}

func TestNonsenseIsNoAnswer(t *testing.T) {
	for _, answer := range []string{
		"SSH-2.0-OpenSSH\r\n", "HTTP/1.1 OK 200\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
	} {
		led := newLedger()
		g := newGenerator(load{addr: newBroken(t, answer, 1), connections: 1, conversations: 1, events: 1}, led, noon)
		g.measure()
		sent, err := g.run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if led.sum().Acked != 0 || sent.failed != 1 {
			t.Errorf("%q passes for an answer", answer)
		}
	}
}

// newBroken is a server that gives each connection so many answers and closes
// it at the next request.
func newBroken(t *testing.T, answer string, each int) (addr string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	size := len(newRequest(l.Addr().String(), 1, noon).bytes)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, size)
			for range each {
				if _, err := io.ReadFull(conn, buf); err != nil {
					break
				}
				io.WriteString(conn, answer)
			}
			io.ReadFull(conn, buf)
			conn.Close()
		}
	}()
	return l.Addr().String()
}

func TestServerThatIsGoneEndsTheRun(t *testing.T) {
	g := newGenerator(load{addr: "127.0.0.1:1", connections: 3, conversations: 1, events: 9}, newLedger(), noon)
	if _, err := g.run(t.Context()); err == nil {
		t.Error("no error from an address that nobody listens on")
	}
}

func TestEndOfTheRunCutsOffWhatIsWaitedFor(t *testing.T) {
	release := make(chan struct{})
	_, addr := newTarget(t, func(int) int { <-release; return 200 })
	defer close(release)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	g := newGenerator(load{addr: addr, connections: 3, conversations: 1, events: 9}, newLedger(), noon)
	sent, err := g.run(ctx)
	if err != nil || sent.failed != 0 {
		t.Errorf("%d failures, %v: an end is no failure", sent.failed, err)
	}
}

func TestSpread(t *testing.T) {
	for _, tt := range []struct{ conversations, connections, want int }{
		{10, 4, 12}, {12, 4, 12}, {0, 4, 4}, {1, 64, 64}, {10_000, 64, 10_048},
	} {
		if got := spread(tt.conversations, tt.connections); got != tt.want {
			t.Errorf("%d over %d connections are %d, want %d", tt.conversations, tt.connections, got, tt.want)
		}
	}
}
