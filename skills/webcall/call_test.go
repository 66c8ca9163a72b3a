package webcall

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
	"bot/engine/fetch"
	"bot/skills/breaker"
)

// requests is what a server was asked, one line each: method, path, key.
type requests struct {
	mu    sync.Mutex
	lines []string
}

func (q *requests) add(r *http.Request) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lines = append(q.lines, fmt.Sprintf("%s %s %s", r.Method, r.URL.Path, r.Header.Get("Idempotency-Key")))
	return len(q.lines)
}

func (q *requests) all() []string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Clone(q.lines)
}

// reset breaks the connection of a request, so that the client sees it go.
func reset(w http.ResponseWriter) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

func TestWhatIsSentAgain(t *testing.T) {
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	late := func(seconds string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", seconds)
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}
	breaks := func(w http.ResponseWriter, _ *http.Request) { reset(w) }
	stalls := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // so that the server notices when the client leaves
		<-r.Context().Done()
	}
	breaksInside := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"a":`)
		_ = http.NewResponseController(w).Flush()
		reset(w)
	}
	for _, tt := range []struct {
		name, toml string
		first      http.HandlerFunc
		times      int
		why        string // of the last one, where all are like the first
	}{
		{"a service that is busy", `method = "POST"`, status(503), 3, ""},
		{"one that has enough", `method = "POST"`, status(429), 3, ""},
		{"one behind a gateway that got no answer", `method = "GET"`, status(502), 3, ""},
		{"the same where it may have been done", `method = "POST"`, status(504), 1, ""},
		{"the same where the service knows the key", "method = \"POST\"\nidempotent = true", status(504), 3, ""},
		{"a fault of the service's own", `method = "GET"`, status(500), 1, ""},
		{"an answer that is no", `method = "GET"`, status(404), 1, ""},
		{"one that says when, soon", `method = "GET"`, late("0"), 3, ""},
		{"one that says when, too late", `method = "GET"`, late("60"), 1, ""},
		{"a connection that breaks", `method = "GET"`, breaks, 3, "the connection broke"},
		{"a connection that breaks when it may have been done", `method = "POST"`, breaks, 1, "the connection broke"},
		{"the same with a body", `json = {a = "b"}`, breaks, 1, "the connection broke"},
		{"the same where the service knows the key", "json = {a = \"b\"}\nidempotent = true", breaks, 3, "the connection broke"},
		{"what may be repeated by its method", `method = "PUT"`, breaks, 3, "the connection broke"},
		{"no answer in time", "method = \"GET\"\ntimeout = \"1s\"", stalls, 3, "no answer within 1s"},
		{"no answer in time when it may have been done", "json = {a = \"b\"}\ntimeout = \"1s\"", stalls, 1, "no answer within 1s"},
		{"an answer that breaks off", `method = "GET"`, breaksInside, 3, "the connection broke"},
		{"retries that are switched off", "method = \"GET\"\nretries = 0", status(503), 1, ""},
		{"more of them", "method = \"GET\"\nretries = 4", breaks, 5, "the connection broke"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var seen requests
			s := service(t, "url = 'SERVER/x'\n"+tt.toml, func(w http.ResponseWriter, r *http.Request) {
				seen.add(r)
				tt.first(w, r)
			})
			r := call(t, s, "x")
			lines := seen.all()
			if len(lines) != tt.times || !strings.HasPrefix(r.Why, tt.why) || r.Why != "" && tt.why == "" {
				t.Errorf("sent %d times, want %d: %+v", len(lines), tt.times, r)
			}
			if !safe(s.method) && !strings.HasSuffix(lines[0], " key") || len(slices.Compact(lines)) != 1 {
				t.Errorf("sent %q: not the same key each time", lines)
			}
		})
	}
}

func TestASecondAttemptMayGoBetter(t *testing.T) {
	var seen requests
	s := service(t, "url = 'SERVER/x'\njson = {a = '{{.Text}}'}", func(w http.ResponseWriter, r *http.Request) {
		if b, _ := io.ReadAll(r.Body); string(b) != `{"a":"x"}` {
			t.Errorf("sent %q", b)
		}
		if seen.add(r) == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"id":7}`)
	})
	if r := call(t, s, "x"); !r.OK() || r.Response.(map[string]any)["id"] != int64(7) || len(seen.all()) != 2 {
		t.Errorf("%+v after %q", r, seen.all())
	}
}

// A connection that was used before and is broken by now is the case that Go's
// client repeats by itself.
func TestTheClientSendsNothingAgainByItself(t *testing.T) {
	for _, toml := range []string{"json = {a = 'b'}", `method = "POST"`} {
		var seen requests
		s := service(t, "url = 'SERVER/x'\nretries = 0\n"+toml, func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if seen.add(r) > 1 {
				reset(w)
			}
		})
		first, second := call(t, s, "x"), call(t, s, "x")
		if !first.OK() || second.OK() || len(seen.all()) != 2 {
			t.Errorf("%s: %+v, %+v after %q", toml, first, second, seen.all())
		}
	}
}

func TestAServiceThatIsNotThere(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	s, _ := read(t, "url = '"+server.URL+"/x?token=hush'\nheaders = {Authorization = 'hush'}", fetch.NewClient)
	if r := call(t, s, "x"); !strings.HasPrefix(r.Why, "cannot connect: ") || strings.Contains(r.Why, "hush") {
		t.Errorf("%+v", r)
	}
}

func TestALongAnswerIsCutOff(t *testing.T) {
	const size = 50 << 20
	for name, how := range map[string]func(w http.ResponseWriter){
		"told before": func(w http.ResponseWriter) { w.Header().Set("Content-Length", fmt.Sprint(size)) },
		"not told":    func(http.ResponseWriter) {},
		"with a 404":  func(w http.ResponseWriter) { w.WriteHeader(http.StatusNotFound) },
	} {
		t.Run(name, func(t *testing.T) {
			wrote := make(chan int, 10)
			s := service(t, "url = 'SERVER/x'\nretries = 0", func(w http.ResponseWriter, _ *http.Request) {
				how(w)
				chunk, n := make([]byte, 1<<16), 0
				for n < size {
					m, err := w.Write(chunk)
					if n += m; err != nil {
						break
					}
				}
				wrote <- n
			})
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r := call(t, s, "x")
			runtime.ReadMemStats(&after)
			if !strings.Contains(r.Why, "longer than 1048576 bytes") || r.Response != nil {
				t.Errorf("%+v", r)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > 10<<20 {
				t.Errorf("it took %d bytes of memory", n)
			}
			if n := <-wrote; n >= size {
				t.Error("all of it was sent")
			}
		})
	}
}

func TestAnAnswerIsAsLongAsItIsUnpacked(t *testing.T) {
	s := service(t, "url = 'SERVER/x'", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		for range 50 {
			_, _ = z.Write(make([]byte, 1<<20))
		}
	})
	if r := call(t, s, "x"); !strings.Contains(r.Why, "longer than 1048576 bytes") {
		t.Errorf("%+v", r)
	}
}

func TestAnswersOfAnyShape(t *testing.T) {
	for _, tt := range []struct {
		name, body, want string
		json             bool
	}{
		{"a table", `{"a":1}`, "map[a:1]", true},
		{"a list", ` [1,2.50]`, "[1 2.50]", true},
		{"a text", `"x"`, "x", true},
		{"nothing", ``, "map[text:]", false},
		{"a page", `<html>`, "map[text:<html>]", false},
		{"bytes that are no text", "\xff", "map[text:\uFFFD]", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := service(t, "url = 'SERVER/x'", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, tt.body) })
			if r := call(t, s, "x"); fmt.Sprint(r.Response) != tt.want || r.JSON != tt.json || !r.OK() {
				t.Errorf("%+v", r)
			}
		})
	}
}

// elsewhere is a client whose servers are one function, by host.
func elsewhere(serve func(r *http.Request) *http.Response) func(func(string) bool) *http.Client {
	return func(func(string) bool) *http.Client {
		c := fetch.NewClient(nil)
		c.Transport = roundTripper(serve)
		return c
	}
}

type roundTripper func(r *http.Request) *http.Response

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	if resp := f(r); resp != nil {
		resp.Request = r
		return resp, nil
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func respond(status int, location, body string) *http.Response {
	return &http.Response{StatusCode: status, Header: http.Header{"Location": {location}}, Body: io.NopCloser(strings.NewReader(body))}
}

func TestRedirects(t *testing.T) {
	for _, tt := range []struct {
		name, toml, to string
		want           []string // the requests after the first, with their headers of the table
		why            string
		status         int
	}{
		{"on the same host", "", "/y?z", []string{"https://erp.example.com/y?z hush hush"}, "", 200},
		{"to another host", "", "https://other.example.net/y", []string{"https://other.example.net/y  "}, "", 200},
		{"to a host below", "", "https://a.erp.example.com/y", []string{"https://a.erp.example.com/y  "}, "", 200},
		{"to another port", "", "https://erp.example.com:8443/y", nil, "not followed", 0},
		{"to a user", "", "https://u:p@erp.example.com/y", nil, "not followed", 0},
		{"to http", "", "http://erp.example.com/y", nil, "not followed", 0},
		{"of what is sent", `method = "POST"`, "/y", nil, "", 302},
		{"round and round", "", "/x", []string{"https://erp.example.com/x hush hush", "https://erp.example.com/x hush hush", "https://erp.example.com/x hush hush"}, "not followed", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen []string
			s, d := read(t, "url = 'https://erp.example.com/x?q=hush'\nretries = 0\nheaders = {Authorization = 'hush', X-Api-Key = 'hush'}\n"+tt.toml,
				elsewhere(func(r *http.Request) *http.Response {
					if r.Header.Get("Referer") != "" {
						t.Errorf("it is told where it came from: %s", r.Header.Get("Referer"))
					}
					seen = append(seen, strings.Join([]string{r.URL.String(), r.Header.Get("Authorization"), r.Header.Get("X-Api-Key")}, " "))
					if len(seen) == 1 || tt.to == "/x" {
						return respond(302, tt.to, "")
					}
					return respond(200, "", "{}")
				}))
			if err := d.Err(); err != nil {
				t.Fatal(err)
			}
			r := call(t, s, "x")
			if !slices.Equal(seen[1:], tt.want) || r.Status != tt.status || !strings.Contains(r.Why, tt.why) || strings.Contains(r.Why, "hush") {
				t.Errorf("%+v after %q", r, seen)
			}
		})
	}
}

func TestPrivateHosts(t *testing.T) {
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the inner service was called") }))
	defer inner.Close()
	t.Run("one that is written out is called", func(t *testing.T) {
		s := service(t, "url = 'SERVER/x'", func(http.ResponseWriter, *http.Request) {})
		if r := call(t, s, "x"); !r.OK() {
			t.Errorf("%+v", r)
		}
	})
	for name, to := range map[string]string{
		"a redirect does not lead to another": strings.Replace(inner.URL, "127.0.0.1", "localhost", 1),
		"nor to a service beside it":          inner.URL,
	} {
		t.Run(name, func(t *testing.T) {
			s := service(t, "url = 'SERVER/x'", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) })
			if r := call(t, s, "x"); r.OK() || !strings.Contains(r.Why, "not") {
				t.Errorf("%+v", r)
			}
		})
	}
	t.Run("a host that is a template does not lead there", func(t *testing.T) {
		s, d := read(t, "url = 'http://{{.Text}}/x'\nallow = ['local.host', 'a.b']", func(allow func(string) bool) *http.Client {
			if allow != nil {
				t.Error("some private host is allowed")
			}
			return fetch.NewClient(allow)
		})
		if err := d.Err(); err != nil || s == nil {
			t.Fatal(err)
		}
	})
}

func TestATurnThatEndsEndsTheCall(t *testing.T) {
	s := service(t, "url = 'SERVER/x'", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	for range breaker.After {
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, stop)
		if r, err := s.Call(ctx, said("x"), "key"); !errors.Is(err, context.Canceled) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	if _, ok := s.breaker.Allow(); !ok {
		t.Error("it counts as the service's failure")
	}
}

func TestACallAnswersBeforeItsTurnRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := read(t, "url = 'https://erp.example.com/x'", elsewhere(func(*http.Request) *http.Response { return nil }))
		ctx, cancel := context.WithTimeout(t.Context(), 7*time.Second)
		defer cancel()
		began := time.Now()
		r, err := s.Call(ctx, said("x"), "key")
		if took := time.Since(began); err != nil || r.Why == "" || took > 6500*time.Millisecond {
			t.Errorf("%+v, %v after %v", r, err, took)
		}
	})
}

func TestAllAttemptsFitIntoTheTimeOfARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		s, d := read(t, "url = 'https://erp.example.com/x'\nretries = 10\ntimeout = '30s'", elsewhere(func(*http.Request) *http.Response { n++; return nil }))
		ctx, cancel := context.WithTimeout(t.Context(), d.Timeout.Std())
		defer cancel()
		if r, err := s.Call(ctx, said("x"), "key"); err != nil || r.Why != "no answer within 30s" || n != 11 {
			t.Errorf("%+v, %v after %d attempts", r, err, n)
		}
	})
	_, d := read(t, "url = 'https://erp.example.com/x'", fetch.NewClient)
	if !d.Waits || d.Concurrency != 16 || d.Timeout.Std() < 3*5*time.Second+2*maxWait {
		t.Errorf("waits %t, %d at once, %v", d.Waits, d.Concurrency, d.Timeout)
	}
}

func TestAServiceThatFailsIsSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up, n := false, 0
		s, _ := read(t, "url = 'https://erp.example.com/x'\nretries = 0", elsewhere(func(*http.Request) *http.Response {
			n++
			if up {
				return respond(200, "", "{}")
			}
			return respond(500, "", "")
		}))
		for range 20 {
			call(t, s, "x")
		}
		if n != breaker.After {
			t.Errorf("called %d times", n)
		}
		if r := call(t, s, "x"); !strings.Contains(r.Why, "left alone") || r.Status != 0 {
			t.Errorf("%+v", r)
		}
		up = true
		time.Sleep(breaker.First)
		if r := call(t, s, "x"); !r.OK() {
			t.Errorf("%+v", r)
		}
	})
}

func TestTrialsTakeOneAnswerForEachCall(t *testing.T) {
	s, _ := read(t, "url = 'https://erp.example.com/x'", fetch.NewClient)
	var answers []engine.Answer
	for range 20 {
		answers = append(answers, engine.Answer{Status: 503})
	}
	ctx := fetch.WithAnswers(t.Context(), append(answers, engine.Answer{Body: "{}"}))
	for i := range 22 {
		r, err := s.Call(ctx, said("x"), "key")
		switch {
		case err != nil, i < 20 && r.Status != 503, i == 20 && !r.OK(), i == 21 && r.Why != fetch.ErrOffline.Error():
			t.Errorf("call %d: %+v, %v", i, r, err)
		}
	}
}

func TestKeys(t *testing.T) {
	a, b := turnOf("1"), turnOf("2")
	if Key(a, "s", 0) != Key(turnOf("1"), "s", 0) {
		t.Error("a repeat of an event has another key")
	}
	once := engine.Once{Key: "u1"}
	all := []string{Key(a, "s", 0), Key(a, "s", 1), Key(b, "s", 0), Key(a, "t", 0), onceKey("shop", "s", once), onceKey("shop", "t", once), onceKey("x", "s", once)}
	for i, k := range all {
		if slices.Contains(all[:i], k) || len(k) > 64 {
			t.Errorf("key %d of %q", i, all)
		}
	}
}
