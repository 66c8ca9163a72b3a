package peers

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBareHandlerReadsAndAnswers(t *testing.T) {
	h := Bare("/callback")
	for _, tt := range []struct {
		method, path, body string
		want               int
	}{
		{"POST", "/callback", "{}", 200},
		{"GET", "/callback", "", 405},
		{"POST", "/elsewhere", "{}", 404},
		{"POST", "/callback", strings.Repeat("x", maxBody+1), 400},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body)))
		if w.Code != tt.want {
			t.Errorf("%s %s with %d bytes answered %d, want %d", tt.method, tt.path, len(tt.body), w.Code, tt.want)
		}
	}
}

// fakeRedis keeps locks and a list, as far as the script needs them.
type fakeRedis struct {
	mu    sync.Mutex
	locks map[string]bool
	list  []string
	trips int  // reads that brought at least one command
	fail  bool // answer scripts with an error
}

func newFakeRedis(t *testing.T) (*fakeRedis, string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeRedis{locks: make(map[string]bool)}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			open.Go(func() { defer conn.Close(); f.serve(conn) })
		}
	})
	t.Cleanup(func() { l.Close(); open.Wait() })
	return f, l.Addr().String()
}

func (f *fakeRedis) serve(conn net.Conn) {
	r := bufio.NewReader(conn)
	for {
		if r.Buffered() == 0 {
			f.mu.Lock()
			f.trips++
			f.mu.Unlock()
		}
		args, err := readCommand(r)
		if err != nil {
			return
		}
		io.WriteString(conn, f.do(args))
	}
}

func (f *fakeRedis) do(args []string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case args[0] == "SCRIPT":
		return "$3\r\nsha\r\n"
	case f.fail:
		return "-OOM command not allowed\r\n"
	case args[0] != "EVALSHA" || args[1] != "sha" || args[2] != "2" || len(args) != 7:
		return "-ERR what?\r\n"
	case f.locks[args[3]]:
		return ":0\r\n"
	}
	f.locks[args[3]] = true
	f.list = append(f.list, args[5])
	return ":1\r\n"
}

func readCommand(r *bufio.Reader) ([]string, error) {
	n, err := readNumber(r, '*')
	if err != nil {
		return nil, err
	}
	args := make([]string, n)
	for i := range args {
		size, err := readNumber(r, '$')
		if err != nil {
			return nil, err
		}
		b := make([]byte, size+2)
		if _, err := io.ReadFull(r, b); err != nil {
			return nil, err
		}
		args[i] = string(b[:size])
	}
	return args, nil
}

func readNumber(r *bufio.Reader, kind byte) (int, error) {
	line, err := r.ReadString('\n')
	if err != nil || line[0] != kind {
		return 0, fmt.Errorf("%q: %w", line, err)
	}
	return strconv.Atoi(strings.TrimSpace(line[1:]))
}

// newGoRedis runs the peer until the test ends.
func newGoRedis(t *testing.T, addr string) *GoRedis {
	t.Helper()
	g, err := NewGoRedis(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); g.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return g
}

func post(g *GoRedis, body string) int {
	w := httptest.NewRecorder()
	g.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
	return w.Code
}

func TestGoRedisQueuesEachMessageOnce(t *testing.T) {
	f, addr := newFakeRedis(t)
	g := newGoRedis(t, addr)
	var posting sync.WaitGroup
	for i := range 200 {
		posting.Go(func() {
			if code := post(g, fmt.Sprintf(`{"msg_id":"%d","content":"您好"}`, i%100)); code != 200 {
				t.Errorf("answered %d", code)
			}
		})
	}
	posting.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.list) != 100 || !f.locks["lock:msg:42"] {
		t.Errorf("%d messages in the list, %d locks", len(f.list), len(f.locks))
	}
	if f.trips >= 200 {
		t.Errorf("%d round trips for 200 callbacks", f.trips)
	}
}

func TestGoRedisRefusesWhatHasNoID(t *testing.T) {
	f, addr := newFakeRedis(t)
	g := newGoRedis(t, addr)
	for _, body := range []string{"", "{}", `{"msg_id":""}`, `{"msg_id":"1`, `{"msg_id":1}`} {
		if code := post(g, body); code != 400 {
			t.Errorf("%s answered %d", body, code)
		}
	}
	if len(f.list) != 0 {
		t.Errorf("%v is queued", f.list)
	}
}

func TestGoRedisAnswersNoSuccessWhenRedisRefuses(t *testing.T) {
	f, addr := newFakeRedis(t)
	g, err := NewGoRedis(t.Context(), addr)
	if err != nil {
		t.Fatal(err)
	}
	f.mu.Lock()
	f.fail = true
	f.mu.Unlock()
	ended := make(chan error, 1)
	go func() { ended <- g.Run(t.Context()) }()
	if code := post(g, `{"msg_id":"1"}`); code != 500 {
		t.Errorf("answered %d", code)
	}
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "OOM") {
		t.Errorf("it ended with %v", err)
	}
}

func FuzzReply(f *testing.F) {
	for _, s := range []string{"+OK\r\n", ":1\r\n", "-ERR no\r\n", "$3\r\nabc\r\n", "$-1\r\n", "$9999999999\r\n", "*1\r\n", "\n", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := redis{r: bufio.NewReader(strings.NewReader(s))}
		text, err := c.reply()
		if err == nil && len(text) > len(s) {
			t.Errorf("%q reads %q", s, text)
		}
	})
}

func TestFlaskPeerIsComplete(t *testing.T) {
	for _, name := range []string{"flask/app.py", "flask/worker.py"} {
		if b, err := Flask.ReadFile(name); err != nil || len(b) == 0 {
			t.Errorf("%s: %d bytes, %v", name, len(b), err)
		}
	}
}
