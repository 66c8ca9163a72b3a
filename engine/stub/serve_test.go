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
	"testing"
	"time"
)

func TestPrintsOneLinePerCallWithoutTheToken(t *testing.T) {
	var out bytes.Buffer
	s := newStub(t, Options{Out: &out, Now: func() time.Time { return noon }})
	r := httptest.NewRequest("POST", "/send", strings.NewReader("{\n\"text\":\"s\"}"))
	r.Header.Set("Token", "good")
	r.Header.Set("Idempotency-Key", "k")
	s.ServeHTTP(httptest.NewRecorder(), r)
	call(s, "", "not\njson")
	call(s, "", "no")
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3:\n%s", len(lines), &out)
	}
	const head = `{"time":"2026-09-01T12:00:00Z","seq":`
	for i, want := range map[int]string{
		0: head + `1,"method":"POST","path":"/send","action":"send_text","idempotency_key":"k","authorized":true,"status":200,"body":{"text":"s"}}`,
		2: head + `3,"method":"POST","path":"/send","action":"send_text","authorized":false,"status":200,"refused":true,"body":"no"}`,
	} {
		if lines[i] != want {
			t.Errorf("got  %s\nwant %s", lines[i], want)
		}
	}
	var second struct{ Body string }
	if err := json.Unmarshal([]byte(lines[1]), &second); err != nil || second.Body != "not\njson" {
		t.Errorf("got %s (%v)", lines[1], err)
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
	if string(b) != "done" {
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
