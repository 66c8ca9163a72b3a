package ingress

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// draining runs f beside a server whose listener was closed, and that is drained as
// soon as f returns from its first part.
func draining(t *testing.T, f func(t *testing.T, dial func() net.Conn) (then func(drained <-chan time.Duration))) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{conns: make(chan net.Conn), closed: make(chan struct{})}
		srv := NewServer(newDoor(t, Options{}, words{}), slog.New(slog.DiscardHandler))
		ended := make(chan error)
		go func() { ended <- srv.Serve(l) }()
		then := f(t, l.dial)
		synctest.Wait()
		l.Close()
		<-ended
		drained := make(chan time.Duration, 1)
		go func() {
			began := time.Now()
			if err := srv.Drain(4 * time.Second); err != nil {
				t.Error(err)
			}
			drained <- time.Since(began)
		}()
		then(drained)
		time.Sleep(time.Second) // net/http lingers on connections it has refused
	})
}

const callbackText = `{"msg_id":"m1","sender":"u1","content":"hi"}`

// knock writes a request and returns the status of the answer; 0 where none came.
func knock(t *testing.T, c net.Conn) int {
	t.Helper()
	fmt.Fprintf(c, "POST /callback/shop HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(callbackText), callbackText)
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return 0
	}
	io.Copy(io.Discard, resp.Body)
	return resp.StatusCode
}

func TestWhoeverWasLetInBeforeTheDoorClosedIsAnswered(t *testing.T) {
	draining(t, func(t *testing.T, dial func() net.Conn) func(<-chan time.Duration) {
		silent, half := dial(), dial()
		half.Write([]byte("POST /callback/shop HTTP/1.1\r\nHost: x\r\n"))
		return func(drained <-chan time.Duration) {
			time.Sleep(time.Second) // the stop has long begun
			if status := knock(t, silent); status != http.StatusOK {
				t.Errorf("who had said nothing yet is answered %d", status)
			}
			fmt.Fprintf(half, "Content-Length: %d\r\n\r\n%s", len(callbackText), callbackText)
			resp, err := http.ReadResponse(bufio.NewReader(half), nil)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("who was in the middle is answered %v, %v", resp, err)
			}
			if took := <-drained; took < time.Second || took > 2*time.Second {
				t.Errorf("drained in %v, want as soon as both were answered", took)
			}
		}
	})
}

func TestAnIdleConnectionDoesNotHoldUpTheStop(t *testing.T) {
	draining(t, func(t *testing.T, dial func() net.Conn) func(<-chan time.Duration) {
		c := dial()
		if status := knock(t, c); status != http.StatusOK {
			t.Fatalf("answered %d", status)
		}
		return func(drained <-chan time.Duration) {
			if took := <-drained; took > time.Second {
				t.Errorf("drained in %v", took)
			}
			if b, err := io.ReadAll(c); err != nil || len(b) > 0 {
				t.Errorf("its end reads %q, %v", b, err)
			}
		}
	})
}

func TestWhoeverSaysNothingIsCutOffInTime(t *testing.T) {
	draining(t, func(t *testing.T, dial func() net.Conn) func(<-chan time.Duration) {
		c := dial()
		return func(drained <-chan time.Duration) {
			if took := <-drained; took < 4*time.Second || took > 5*time.Second {
				t.Errorf("drained in %v, want the four seconds", took)
			}
			if b, _ := io.ReadAll(c); strings.Contains(string(b), "200") {
				t.Errorf("it was answered %q", b)
			}
		}
	})
}
