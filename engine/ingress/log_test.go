package ingress

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"bot/engine"
)

func TestLines(t *testing.T) {
	tests := []struct {
		name, body string
		options    Options
		want       []map[string]any // of each line, besides time, msg and took_ms
	}{
		{"queued", "a", Options{}, []map[string]any{{
			"level": "INFO", "account": "shop", "channel": "words", "kind": "message", "msg_id": "a", "user": "u", "conversation": "u",
			"outcome": "queued", "status": 200.0,
		}}},
		{"a line for each event", "a@quick a@quick", Options{}, []map[string]any{
			{"account": "quick", "msg_id": "a", "outcome": "queued"}, {"account": "quick", "msg_id": "a", "outcome": "duplicate"},
		}},
		{"not welcome", "a", Options{Admit: func(*engine.Event) string { return "blocked" }}, []map[string]any{{
			"level": "INFO", "msg_id": "a", "outcome": "refused", "reason": "blocked", "status": 200.0,
		}}},
		{"refused", "refuse", Options{}, []map[string]any{{
			"level": "WARN", "account": "shop", "outcome": "refused", "reason": "signature", "status": 401.0, "error": "callback refused: signature: bad",
		}}},
		{"somebody else's", "foreign", Options{}, []map[string]any{{
			"level": "INFO", "foreign": "stranger", "outcome": "refused", "reason": "account", "status": 200.0,
		}}},
		{"full", "a", Options{MaxBacklog: func() int { return 1 }, Backlog: func() int { return 1 }}, []map[string]any{{
			"level": "WARN", "msg_id": "a", "outcome": "refused", "reason": "backlog", "status": 503.0,
		}}},
		{"panic", "panic", Options{}, []map[string]any{{"level": "ERROR", "reason": "panic", "status": 500.0}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDoor(t, tt.options, words{})
			d.post(tt.body)
			lines := d.lines(t)
			if len(lines) != len(tt.want) {
				t.Fatalf("%d lines, want %d:\n%s", len(lines), len(tt.want), d.log)
			}
			for n, want := range tt.want {
				if _, ok := lines[n]["took_ms"].(float64); !ok || lines[n]["msg"] != "callback" {
					t.Errorf("line %v", lines[n])
				}
				for k, v := range want {
					if lines[n][k] != v {
						t.Errorf("%s is %v, want %v", k, lines[n][k], v)
					}
				}
				if lines[n]["body"] != nil || lines[n]["headers"] != nil {
					t.Error("body or headers above debug level")
				}
			}
		})
	}
}

func TestAPanicIsLoggedWithItsPlace(t *testing.T) {
	d := newDoor(t, Options{}, words{})
	d.post("panic")
	if text, _ := d.lines(t)[0]["error"].(string); !strings.Contains(text, "panic: receiver") || !strings.Contains(text, "fake_test.go") {
		t.Errorf("error %q", text)
	}
}

func TestDebugShowsBodyAndHeadersWithoutSecrets(t *testing.T) {
	var log strings.Builder
	d := newDoor(t, Options{Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))}, words{})
	r := httptest.NewRequest(http.MethodPost, "/callback/shop", strings.NewReader("a "+strings.Repeat("界", 5000)))
	r.Header.Set("X-Request-Id", "visible")
	for _, name := range []string{"Authorization", "Proxy-Authorization", "Cookie", "Webhook-Signature", "X-Api-Key", "X-GEWE-TOKEN", "X-Client-Secret"} {
		r.Header.Set(name, "hidden")
	}
	d.ServeHTTP(httptest.NewRecorder(), r)
	line := log.String()
	if !strings.Contains(line, "visible") || strings.Contains(line, "hidden") || strings.Count(line, "***") != 14 {
		t.Errorf("line %.600s", line)
	}
	if n := strings.Count(line, "界"); n == 0 {
		t.Error("no body")
	}
	start := strings.Index(line, ` body="`)
	end := strings.Index(line[start:], ` headers.`)
	if end-start > maxLoggedBody+100 && len(line[start:start+end]) > maxLoggedBody+100 {
		t.Errorf("a body of %d bytes", end)
	}
}

// A flood of requests that prove nothing leaves some lines a second, and the
// number of those left out.
func TestAFloodCannotFillTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDoor(t, Options{}, words{})
		for range 10_000 {
			d.post("refuse")
		}
		if n := len(d.lines(t)); n != sampleBurst {
			t.Errorf("%d lines, want %d", n, sampleBurst)
		}
		time.Sleep(time.Second)
		d.log.Reset()
		for range 10_000 {
			d.post("refuse")
		}
		lines := d.lines(t)
		if len(lines) != sampleRate || lines[0]["not_logged"] != float64(10_000-sampleBurst) {
			t.Errorf("%d lines, want %d; the first %v", len(lines), sampleRate, lines[0])
		}
		d.log.Reset()
		for range 50 {
			d.post("a")
		}
		if n := len(d.lines(t)); n != 50 {
			t.Errorf("%d lines of understood callbacks, want all 50", n)
		}
		d.wantBalance(t)
	})
}
