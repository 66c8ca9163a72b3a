package channel

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine/channel/wire"
	"bot/engine/retryafter"
)

// client is a NewClient that leaves nothing behind.
func client(t *testing.T) *http.Client {
	c := NewClient()
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// address is an address as an adapter has it: parsed.
func address(t *testing.T, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func serve(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

func TestCallClassesByStatus(t *testing.T) {
	tests := []struct {
		name       string
		status     int
		retryAfter string
		repeats    bool
		want       Class         // "" = success
		until      time.Duration // from noon; -1 = zero
	}{
		{name: "200", status: 200},
		{name: "204", status: 204},
		{name: "301 is not followed", status: 301, want: Permanent},
		{name: "307 is not followed", status: 307, want: Permanent},
		{name: "400", status: 400, want: Permanent},
		{name: "401", status: 401, want: Credential},
		{name: "403", status: 403, want: Credential},
		{name: "404", status: 404, want: Permanent},
		{name: "408", status: 408, want: Transient},
		{name: "409", status: 409, want: Permanent},
		{name: "425", status: 425, want: Transient},
		{name: "429 without a time", status: 429, want: Throttled, until: -1},
		{name: "429 with seconds", status: 429, retryAfter: "10800", want: Throttled, until: 3 * time.Hour},
		{name: "429 with a date", status: 429, retryAfter: noon.Add(time.Minute).Format(http.TimeFormat), want: Throttled, until: time.Minute},
		{name: "429 with a past date", status: 429, retryAfter: noon.Add(-time.Hour).Format(http.TimeFormat), want: Throttled},
		{name: "429 with garbage", status: 429, retryAfter: "-5", want: Throttled, until: -1},
		{name: "429 with a huge time", status: 429, retryAfter: strings.Repeat("9", 40), want: Throttled, until: retryafter.Longest},
		{name: "500", status: 500, want: Unsure},
		{name: "500 with a time", status: 500, retryAfter: "9", want: Unsure},
		{name: "500 to what may be repeated", status: 500, repeats: true, want: Transient},
		{name: "502", status: 502, want: Unsure},
		{name: "502 to what may be repeated", status: 502, repeats: true, want: Transient},
		{name: "503", status: 503, want: Transient},
		{name: "503 with a time", status: 503, retryAfter: "2", want: Throttled, until: 2 * time.Second},
		{name: "503 with garbage", status: 503, retryAfter: "soon", want: Transient},
		{name: "504", status: 504, want: Unsure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var calls atomic.Int32
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				w.Header().Set("Location", "/elsewhere")
				w.Header()["Date"] = nil
				if tt.retryAfter != "" {
					w.Header().Set("Retry-After", tt.retryAfter)
				}
				w.WriteHeader(tt.status)
			})
			call := Call{URL: address(t, url), Body: []byte("{}"), Repeats: tt.repeats, Now: func() time.Time { return noon }}
			_, err := call.Do(t.Context(), client(t))
			e := wantClass(t, err, tt.want)
			if calls.Load() != 1 {
				t.Errorf("%d requests, want 1", calls.Load())
			}
			if e == nil {
				return
			}
			until := noon.Add(tt.until)
			if tt.until < 0 || tt.want != Throttled {
				until = time.Time{}
			}
			if e.Status != tt.status || !e.Until.Equal(until) {
				t.Errorf("status %d until %v, want %d until %v", e.Status, e.Until, tt.status, until)
			}
		})
	}
}

// raw is a server that reads a whole request, to the word END, and then does
// as told.
func raw(t *testing.T, then func(c net.Conn)) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	t.Cleanup(func() { l.Close(); all.Wait() })
	all.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer c.Close()
				got, buf := "", make([]byte, 4096)
				for !strings.HasSuffix(got, "END") {
					n, err := c.Read(buf)
					if err != nil {
						return
					}
					got += string(buf[:n])
				}
				then(c)
			})
		}
	})
	return "http://" + l.Addr().String()
}

func TestCallIsUnsureOnceTheRequestWasWritten(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
	tests := []struct {
		name string
		then func(c net.Conn, giveUp func())
	}{
		{"hung up on", func(net.Conn, func()) {}},
		{"reset after the body was read", func(c net.Conn, _ func()) { c.(*net.TCPConn).SetLinger(0) }},
		{"not answered before we give up", func(c net.Conn, giveUp func()) { giveUp(); io.Copy(io.Discard, c) }},
		{"half a header", func(c net.Conn, _ func()) { io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Le") }},
		{"half a body", func(c net.Conn, _ func()) { io.WriteString(c, head) }},
		{"a body that stalls until we give up", func(c net.Conn, giveUp func()) {
			io.WriteString(c, head)
			giveUp()
			io.Copy(io.Discard, c)
		}},
		{"not HTTP", func(c net.Conn, _ func()) { io.WriteString(c, "SSH-2.0-x\r\n\r\n") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, giveUp := context.WithCancel(t.Context())
			defer giveUp()
			url := raw(t, func(c net.Conn) { tt.then(c, giveUp) })
			call := Call{URL: address(t, url), Body: []byte("END")}
			_, err := call.Do(ctx, client(t))
			wantClass(t, err, Unsure)
		})
	}
}

// The time limit of an attempt ends it like any other loss of the answer.
func TestCallIsUnsureWhenTimeRunsOut(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	url := raw(t, func(c net.Conn) { io.Copy(io.Discard, c) })
	call := Call{URL: address(t, url), Body: []byte("END")}
	_, err := call.Do(ctx, client(t))
	wantClass(t, err, Unsure)
}

// A status that refuses is an answer, whatever becomes of its body.
func TestCallKeepsTheStatusOfABrokenRefusal(t *testing.T) {
	url := raw(t, func(c net.Conn) { io.WriteString(c, "HTTP/1.1 400 Bad\r\nContent-Length: 100\r\n\r\nno such user") })
	call := Call{URL: address(t, url), Body: []byte("END")}
	_, err := call.Do(t.Context(), client(t))
	if e := wantClass(t, err, Permanent); e != nil && e.Note != "no such user" {
		t.Errorf("note %q", e.Note)
	}
}

func TestCallBeforeAnythingWasWritten(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	t.Cleanup(tls.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts by its backlog, never speaks
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })

	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	tests := []struct {
		name string
		ctx  context.Context // nil = the test's
		call Call
		want Class
	}{
		{"connection refused", nil, Call{URL: address(t, "http://"+closed.Addr().String())}, Unreachable},
		{"no such host", nil, Call{URL: address(t, "http://nowhere.invalid")}, Unreachable},
		{"a certificate nobody knows", nil, Call{URL: address(t, tls.URL)}, Unreachable},
		{"the TLS handshake hangs", nil, Call{URL: address(t, "https://"+silent.Addr().String())}, Unreachable},
		{"cancelled before it began", cancelled, Call{URL: address(t, tls.URL)}, Transient},
		{"an address without a host", nil, Call{URL: address(t, "http:///x")}, Permanent},
		{"an address of another kind", nil, Call{URL: address(t, "ftp://x/")}, Permanent},
		{"no address", nil, Call{}, Permanent},
		{"an address with credentials", nil, Call{URL: address(t, "http://a:b@c/")}, Permanent},
		{"an address beyond ASCII", nil, Call{URL: address(t, "http://例子.测试/")}, Permanent},
		{"a header whose name is none", nil, Call{URL: address(t, tls.URL), Header: http.Header{"X\r\nY": {"a"}}}, Permanent},
		{"a method that is none", nil, Call{URL: address(t, tls.URL), Method: "A B"}, Permanent},
		{"a header with a line break", nil, Call{URL: address(t, tls.URL), Header: http.Header{"X": {"a\nb"}}}, Permanent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx := tt.ctx
			if ctx == nil {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(t.Context(), time.Second)
				defer cancel()
			}
			_, err := tt.call.Do(ctx, client(t))
			wantClass(t, err, tt.want)
		})
	}
}

// trickyConn fails its writes, as a kept-alive connection does that broke
// while nobody looked.
type trickyConn struct {
	net.Conn
	broken *atomic.Bool
}

func (c trickyConn) Write(p []byte) (int, error) {
	if c.broken.Load() {
		return 0, errors.New("broken pipe")
	}
	return c.Conn.Write(p)
}

func TestCallOverDialsThatFailInTheirOwnWay(t *testing.T) {
	deaf := func() net.Conn {
		c, far := net.Pipe()
		far.Close()
		return c
	}
	tests := []struct {
		name string
		dial func(cancel func()) (net.Conn, error)
		want Class
	}{
		{"cancelled while dialling", func(cancel func()) (net.Conn, error) {
			cancel()
			return nil, context.Canceled
		}, Transient},
		{"cancelled once connected", func(cancel func()) (net.Conn, error) {
			cancel()
			return deaf(), nil
		}, Transient},
		// That it took nothing is what it says.
		{"a connection that takes nothing", func(func()) (net.Conn, error) { return deaf(), nil }, Unsure},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := client(t)
			c.Transport.(*wire.Transport).DialContext = func(context.Context, string, string) (net.Conn, error) { return tt.dial(cancel) }
			call := Call{URL: address(t, "http://platform.test"), Body: []byte("{}")}
			_, err := call.Do(ctx, c)
			wantClass(t, err, tt.want)
		})
	}
}

type silentTransport struct{}

func (silentTransport) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("something happened")
}

// A transport that does not report how far it got leaves the outcome open.
func TestCallOverATransportThatReportsNothingIsUnsure(t *testing.T) {
	call := Call{URL: address(t, "http://platform.test")}
	_, err := call.Do(t.Context(), &http.Client{Transport: silentTransport{}})
	wantClass(t, err, Unsure)
}

// net/http sends a POST with an Idempotency-Key again by itself when a
// kept-alive connection fails. Here every call must reach the server at most once.
func TestCallIsNeverReplayed(t *testing.T) {
	tests := []struct {
		name string
		body []byte
		fail func(broken *atomic.Bool, hang *atomic.Bool)
	}{
		{"the kept connection breaks on writing", []byte("{}"), func(broken, _ *atomic.Bool) { broken.Store(true) }},
		{"the kept connection is closed on reading", []byte("{}"), func(_, hang *atomic.Bool) { hang.Store(true) }},
		{"closed on reading, without a body", nil, func(_, hang *atomic.Bool) { hang.Store(true) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var served atomic.Int32
			var broken, hang atomic.Bool
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				served.Add(1)
				io.Copy(io.Discard, r.Body)
				if hang.Load() {
					panic(http.ErrAbortHandler)
				}
			})
			c := client(t)
			c.Transport.(*wire.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, addr)
				broken.Store(false) // a new connection is whole
				return trickyConn{conn, &broken}, err
			}
			call := Call{URL: address(t, url), Body: tt.body, Header: http.Header{"Idempotency-Key": {"k"}}}
			if _, err := call.Do(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			tt.fail(&broken, &hang)
			before := served.Load()
			_, err := call.Do(t.Context(), c)
			wantClass(t, err, Unsure)
			if n := served.Load() - before; n > 1 {
				t.Errorf("the server saw the call %d times", n)
			}
		})
	}
}

// The server closes its idle connections between calls; each call is to arrive
// exactly once, and none may be reported as delivered that was not.
func TestCallsOverStaleConnections(t *testing.T) {
	var served atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { served.Add(1) }))
	t.Cleanup(s.Close)
	c := client(t)
	sent, unsure := 0, 0
	for range 50 {
		call := Call{URL: address(t, s.URL), Body: []byte("{}"), Header: http.Header{"Idempotency-Key": {"k"}}}
		_, err := call.Do(t.Context(), c)
		e, _ := errors.AsType[*SendError](err)
		switch {
		case err == nil:
			sent++
		case e.Class == Unsure:
			unsure++
		case e.Class != Transient && e.Class != Unreachable:
			t.Errorf("%v", err)
		}
		s.CloseClientConnections()
	}
	if n := int(served.Load()); n < sent || n > sent+unsure {
		t.Errorf("served %d, but %d sent and %d unsure", n, sent, unsure)
	}
	if sent == 0 {
		t.Error("none was sent")
	}
}

func TestCallStreamsItsBody(t *testing.T) {
	const body = "from a file"
	tests := []struct {
		name string
		size int64
		want Class
	}{
		{"as long as it says", int64(len(body)), ""},
		{"longer than it says", 4, Unsure}, // the server may have what it was promised
		{"shorter than it says", 100, Unsure},
		{"of unknown size", 0, Permanent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			url := serve(t, func(w http.ResponseWriter, r *http.Request) {
				fmt.Fprint(w, r.ContentLength, " ")
				io.Copy(w, r.Body)
			})
			call := Call{URL: address(t, url), From: onlyReader{strings.NewReader(body)}, Size: tt.size}
			r, err := call.Do(t.Context(), client(t))
			wantClass(t, err, tt.want)
			if want := fmt.Sprint(tt.size, " ", body); err == nil && string(r.Body) != want {
				t.Errorf("the server got %q, want %q", r.Body, want)
			}
		})
	}
}

// onlyReader hides what else a reader can: nobody may rewind it, or ask it for
// its length.
type onlyReader struct{ io.Reader }

func TestReplyIsBounded(t *testing.T) {
	url := serve(t, func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, MaxReply+1)) })
	call := Call{URL: address(t, url)}
	r, err := call.Do(t.Context(), client(t))
	if err != nil || len(r.Body) != MaxReply || !r.Cut {
		t.Errorf("%d bytes, cut %v, %v", len(r.Body), r.Cut, err)
	}
	r, err = call.Do(LongReplies(t.Context()), client(t))
	if err != nil || len(r.Body) != MaxReply+1 || r.Cut {
		t.Errorf("a long reply: %d bytes, cut %v, %v", len(r.Body), r.Cut, err)
	}
}

// Some adapters must put a token into the query.
func TestErrorsDoNotQuoteTheAddress(t *testing.T) {
	for _, url := range []string{"http://127.0.0.1:1/?access_token=hidden", "http://nowhere.invalid/?access_token=hidden", "ftp://x/?access_token=hidden"} {
		call := Call{URL: address(t, url)}
		_, err := call.Do(t.Context(), client(t))
		if err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%v", err)
		}
	}
}

func wantClass(t *testing.T, err error, want Class) *SendError {
	t.Helper()
	e, ok := errors.AsType[*SendError](err)
	switch {
	case err == nil && want == "":
	case !ok:
		t.Errorf("got %v, want class %q", err, want)
	case e.Class != want:
		t.Errorf("got %v, want class %q", err, want)
	}
	return e
}

func TestHarmlessLeavesNoDoubt(t *testing.T) {
	for class, want := range map[Class]Class{Unsure: Transient, Permanent: Permanent, Halted: Halted} {
		wantClass(t, Harmless(new(Call).Fail(class, 0, "")), want)
	}
	if err := Harmless(nil); err != nil {
		t.Errorf("a success became %v", err)
	}
}

func TestDeniedAnswersSayHowLongToRest(t *testing.T) {
	call := Call{Secrets: []string{"s3cret"}, Now: func() time.Time { return noon }}
	asked := http.Header{"Retry-After": {"7"}}
	for _, tt := range []struct {
		name   string
		class  Class
		header http.Header
		rest   time.Duration
		want   time.Time
	}{
		{"as the adapter knows", Throttled, nil, time.Hour, noon.Add(time.Hour)},
		{"as the answer asks", Throttled, asked, time.Hour, noon.Add(7 * time.Second)},
		{"as the engine sees fit", Throttled, nil, 0, time.Time{}},
		{"not at all", Permanent, asked, time.Hour, time.Time{}},
	} {
		e := call.Denied(tt.class, &Reply{Status: 200, Header: tt.header}, "no, s3cret", tt.rest)
		if e.Class != tt.class || e.Status != 200 || e.Note != "no, ***" || !e.Until.Equal(tt.want) {
			t.Errorf("%s: %+v", tt.name, e)
		}
	}
}
