package ingress

import (
	"bufio"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are pipes, so that time in a bubble
// can pass while they are silent.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (l *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipes) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipes) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

func (l *pipes) dial() net.Conn {
	ours, theirs := net.Pipe()
	l.conns <- theirs
	return ours
}

// served runs f against the callback server, in fake time.
func served(t *testing.T, f func(t *testing.T, d *door, l *pipes)) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, Options{}, words{})
		l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		srv := NewServer(d, slog.New(slog.DiscardHandler))
		ended := make(chan error)
		go func() { ended <- srv.Serve(l) }()
		f(t, d, l)
		srv.Close()
		<-ended
		time.Sleep(time.Second) // net/http lingers on connections it has refused
	})
}

// drip writes s every second until it is stopped or nobody listens.
func drip(c net.Conn, s string) (stop func()) {
	var dripping sync.WaitGroup
	dripping.Go(func() {
		for {
			if _, err := io.WriteString(c, s); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	})
	return func() {
		c.Close()
		dripping.Wait()
	}
}

func TestAHeaderThatDripsIsCutOff(t *testing.T) {
	served(t, func(t *testing.T, d *door, l *pipes) {
		c := l.dial()
		start := time.Now()
		defer drip(c, "P")()
		io.Copy(io.Discard, c)
		if took := time.Since(start); took < 4*time.Second || took > 6*time.Second {
			t.Errorf("cut off after %v, want 5s", took)
		}
		d.wantCounts(t, map[string]float64{})
	})
}

func TestABodyThatDripsIsCutOff(t *testing.T) {
	served(t, func(t *testing.T, d *door, l *pipes) {
		c := l.dial()
		start := time.Now()
		io.WriteString(c, "POST /callback/shop HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n")
		defer drip(c, "a")()
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); r.StatusCode != 408 || !r.Close || took < 9*time.Second || took > 11*time.Second {
			t.Errorf("%d (close %v) after %v, want 408 after 10s", r.StatusCode, r.Close, took)
		}
		c.Close()
		synctest.Wait()
		d.wantCounts(t, map[string]float64{"received shop": 1, "refused shop slow": 1})
	})
}

func TestAClientThatBreaksOffIsCounted(t *testing.T) {
	served(t, func(t *testing.T, d *door, l *pipes) {
		c := l.dial()
		io.WriteString(c, "POST /callback/shop HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nhalf")
		c.Close()
		synctest.Wait()
		d.wantCounts(t, map[string]float64{"received shop": 1, "refused shop cut_off": 1})
	})
}

func TestConnectionsAreKept(t *testing.T) {
	served(t, func(t *testing.T, d *door, l *pipes) {
		c := l.dial()
		defer c.Close()
		in := bufio.NewReader(c)
		for _, body := range []string{"one", "two", "refuse", "three"} {
			io.WriteString(c, "POST /callback/shop HTTP/1.1\r\nHost: x\r\nContent-Length: "+
				map[bool]string{true: "6", false: "5"}[body == "refuse"]+"\r\n\r\n"+body+strings.Repeat(" ", max(0, 5-len(body))))
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, r.Body)
			time.Sleep(time.Minute)
		}
		if got := d.inbox.ids(); got != "one two three" {
			t.Errorf("queued %q", got)
		}
	})
}

func TestAnEndlessHeaderIsRefused(t *testing.T) {
	served(t, func(t *testing.T, d *door, l *pipes) {
		c := l.dial()
		defer c.Close()
		defer drip(c, "POST /callback/shop HTTP/1.1\r\nHost: x\r\nX: "+strings.Repeat("x", 1<<20))()
		r, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil || r.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("got %v, %v", r, err)
		}
	})
}
