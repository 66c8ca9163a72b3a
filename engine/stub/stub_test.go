package stub

import (
	"bytes"
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

	"go.uber.org/goleak"

	"bot/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

func newStub(t *testing.T, o Options) *Stub {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// call posts without a network; hung tells that the stub closed the connection.
func call(s *Stub, key, body string) (got *http.Response, hung bool) {
	r := httptest.NewRequest(http.MethodPost, "/v1/message/send_text", strings.NewReader(body))
	r.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	defer func() { hung = recover() == http.ErrAbortHandler }()
	s.ServeHTTP(w, r)
	return w.Result(), false
}

func TestAnswers(t *testing.T) {
	tests := []struct {
		name, method, body string
		status             int
		want               string
	}{
		{"a call", "POST", `{"to":"u"}`, 200, `{"status":"success"}`},
		{"not JSON", "POST", `to=u`, 400, `{"status":"error"}`},
		{"not an object", "POST", `[]`, 400, `{"status":"error"}`},
		{"not a POST", "GET", ``, 405, `{"status":"error"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			newStub(t, Options{}).ServeHTTP(w, httptest.NewRequest(tt.method, "/x", strings.NewReader(tt.body)))
			if w.Code != tt.status || w.Body.String() != tt.want {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, tt.status, tt.want)
			}
		})
	}
}

func TestLedger(t *testing.T) {
	s := newStub(t, Options{Now: func() time.Time { return noon }})
	call(s, "k1", `{"to":"a","content":"1"}`)
	call(s, "k1", `{"to":"a","content":"1"}`)
	call(s, "k2", `{"to":"b","content":"2"}`)
	all := s.Calls(nil)
	if len(all) != 3 || all[0].Repeat || !all[1].Repeat || all[2].Repeat || all[2].Seq != 3 || !all[0].Time.Equal(noon) {
		t.Errorf("calls %+v", all)
	}
	if b := s.Calls(Text("b")); len(b) != 1 || b[0].Key != "k2" || b[0].JSON()["content"] != "2" {
		t.Errorf("to b: %+v", b)
	}
	if got, want := s.Counts(), (Counts{Calls: 3, Done: 2, Repeats: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestLedgerIsBounded(t *testing.T) {
	s := newStub(t, Options{Keep: 3})
	for _, key := range strings.Split("abcdefghij", "") {
		call(s, key, "{}")
	}
	all := s.Calls(nil)
	if len(all) != 3 || all[0].Key != "h" || all[2].Key != "j" {
		t.Errorf("kept %+v, want the newest three", all)
	}
	if call(s, "h", "{}"); s.Counts().Repeats != 1 {
		t.Error("a key that is kept was forgotten")
	}
	if call(s, "a", "{}"); s.Counts().Repeats != 1 {
		t.Error("a key beyond the bound was remembered")
	}
	if len(s.ledger.calls) > 6 || len(s.ledger.keys) > 3 {
		t.Errorf("%d calls and %d keys in memory", len(s.ledger.calls), len(s.ledger.keys))
	}
}

func TestFailuresAreNotCarriedOut(t *testing.T) {
	chances := []float64{0.05, 0.15, 0.5}
	s := newStub(t, Options{Hang: 0.1, Fail: 0.1, Chance: func() float64 {
		x := chances[0]
		chances = chances[1:]
		return x
	}})
	if _, hung := call(s, "hung", "{}"); !hung {
		t.Error("answered, want it hung up on")
	}
	if r, _ := call(s, "failed", "{}"); r.StatusCode != 500 {
		t.Errorf("status %d, want 500", r.StatusCode)
	}
	if r, _ := call(s, "hung", "{}"); r.StatusCode != 200 {
		t.Errorf("status %d, want 200", r.StatusCode)
	}
	all := s.Calls(nil)
	if all[0].Status != 0 || all[1].Status != 500 || !all[2].Repeat {
		t.Errorf("calls %+v: what was hung up on is done, so its repeat is one", all)
	}
	if got, want := s.Counts(), (Counts{Calls: 3, Done: 1, Repeats: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestThrottle(t *testing.T) {
	now := noon
	s := newStub(t, Options{Throttle: engine.Rate{N: 20, Per: time.Minute}, Burst: 2, Now: func() time.Time { return now }})
	want := func(status int, after string) {
		t.Helper()
		r, _ := call(s, "", "{}")
		if r.StatusCode != status || r.Header.Get("Retry-After") != after {
			t.Errorf("got %d after %q, want %d after %q", r.StatusCode, r.Header.Get("Retry-After"), status, after)
		}
	}
	want(200, "")
	want(200, "")
	want(429, "3")
	want(429, "3") // refused calls use up nothing
	now = now.Add(3 * time.Second)
	want(200, "")
	want(429, "3")
}

func TestScript(t *testing.T) {
	s := newStub(t, Options{Script: func(c Call) *Answer {
		if c.Key == "odd" {
			return &Answer{Status: 418, Body: "teapot", Header: map[string]string{"X-Why": "script"}}
		}
		return nil
	}})
	if r, _ := call(s, "odd", "{}"); r.StatusCode != 418 || r.Header.Get("X-Why") != "script" {
		t.Errorf("got %v", r)
	}
	if r, _ := call(s, "even", "{}"); r.StatusCode != 200 {
		t.Errorf("got %v, want the stub's own answer", r)
	}
}

func TestPrintsOneLinePerCallWithoutTheToken(t *testing.T) {
	var out bytes.Buffer
	s := newStub(t, Options{Out: &out, Now: func() time.Time { return noon }})
	r := httptest.NewRequest("POST", "/v1/friend/accept", strings.NewReader("{\n\"scene\":\"s\"}"))
	r.Header.Set("Authorization", "Bearer hidden")
	r.Header.Set("Idempotency-Key", "k")
	s.ServeHTTP(httptest.NewRecorder(), r)
	call(s, "", "not\njson")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 {
		t.Fatalf("%d lines, want 2:\n%s", len(lines), &out)
	}
	const first = `{"time":"2026-09-01T12:00:00Z","seq":1,"method":"POST","path":"/v1/friend/accept","action":"accept_friend","idempotency_key":"k","authorized":true,"status":200,"body":{"scene":"s"}}`
	if lines[0] != first {
		t.Errorf("got  %s\nwant %s", lines[0], first)
	}
	var second struct{ Body string }
	if err := json.Unmarshal([]byte(lines[1]), &second); err != nil || second.Body != "not\njson" {
		t.Errorf("got %s (%v)", lines[1], err)
	}
}

func TestWait(t *testing.T) {
	s := newStub(t, Options{})
	var senders sync.WaitGroup
	for range 5 {
		senders.Go(func() { call(s, "", `{"to":"u"}`) })
	}
	if got, err := s.Wait(t.Context(), 5, Text("u")); err != nil || len(got) != 5 {
		t.Errorf("%d calls, %v", len(got), err)
	}
	senders.Wait()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if got, err := s.Wait(ctx, 6, nil); err == nil || len(got) != 5 {
		t.Errorf("%d calls, %v; want what there is and an error", len(got), err)
	}
}

func TestRunServesUntilCancelled(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newStub(t, Options{Delay: time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.Run(ctx, l) }()
	c := &http.Client{Transport: &http.Transport{}}
	defer c.CloseIdleConnections()
	r, err := c.Post("http://"+l.Addr().String()+"/x", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	b, _ := io.ReadAll(r.Body)
	r.Body.Close()
	if string(b) != `{"status":"success"}` {
		t.Errorf("got %s", b)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestParseShare(t *testing.T) {
	for text, want := range map[string]float64{"5%": 0.05, "0": 0, "100%": 1, "0.25": 0.25} {
		if got, err := ParseShare(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "-1%", "101%", "NaN", "much"} {
		if got, err := ParseShare(text); err == nil {
			t.Errorf("%s: %v, want an error", text, got)
		}
	}
}

func TestUnknownChannel(t *testing.T) {
	if _, err := New(Options{Channel: "pigeon"}); err == nil {
		t.Error("accepted")
	}
}
