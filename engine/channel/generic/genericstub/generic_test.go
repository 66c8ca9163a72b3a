package genericstub

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/stub"
)

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
			s := newStub(t, stub.Options{})
			w := httptest.NewRecorder()
			s.ServeHTTP(w, httptest.NewRequest(tt.method, "/x", strings.NewReader(tt.body)))
			if w.Code != tt.status || w.Body.String() != tt.want {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, tt.status, tt.want)
			}
			if c := s.Calls(nil)[0]; c.Refused != (tt.status != 200) {
				t.Errorf("the ledger has %+v", c)
			}
		})
	}
}

func TestReads(t *testing.T) {
	s := newStub(t, stub.Options{Account: channel.Account{Token: "t0ken"}})
	for i, tt := range []struct {
		path, body, authorization string
		want                      stub.Call
	}{
		{"/v1/message/send_text", `{"to":"u","content":"hi"}`, "Bearer t0ken", stub.Call{Action: engine.SendText, To: "u", Text: "hi", Authorized: true}},
		{"/v1/friend/accept", `{"scene":"s"}`, "Bearer guessed", stub.Call{Action: engine.AcceptFriend}},
	} {
		r := httptest.NewRequest(http.MethodPost, tt.path, strings.NewReader(tt.body))
		r.Header.Set("Authorization", tt.authorization)
		r.Header.Set("Idempotency-Key", tt.path)
		s.ServeHTTP(httptest.NewRecorder(), r)
		got := s.Calls(nil)[i]
		if got.Action != tt.want.Action || got.To != tt.want.To || got.Text != tt.want.Text || got.Authorized != tt.want.Authorized || got.Key != tt.path {
			t.Errorf("%s: got %+v, want %+v", tt.path, got, tt.want)
		}
	}
}

func TestThrottles(t *testing.T) {
	s := newStub(t, stub.Options{Throttle: engine.Rate{N: 20, Per: time.Minute}})
	for _, want := range []struct {
		status int
		after  string
	}{{200, ""}, {429, "3"}} {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/message/send_text", strings.NewReader("{}")))
		if w.Code != want.status || w.Header().Get("Retry-After") != want.after {
			t.Errorf("got %d after %q, want %d after %q", w.Code, w.Header().Get("Retry-After"), want.status, want.after)
		}
	}
	if c := s.Counts(); c.Done != 1 {
		t.Errorf("counts %+v, want what was throttled not carried out", c)
	}
}

func TestConfirms(t *testing.T) {
	for _, tt := range []struct {
		name, failed, want string
	}{
		{"what was carried out", "", `"status":"ok","taskId":"k1"`},
		{"what failed after all", "no friend", `"reason":"no friend","status":"failed","taskId":"k1"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := make(chan string, 10)
			refuse := true
			bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				b, _ := io.ReadAll(r.Body)
				got <- string(b)
				if refuse {
					refuse = false
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			}))
			defer bot.Close()
			s := newStub(t, stub.Options{Confirm: &stub.Confirm{Target: bot.URL, After: time.Millisecond, Failed: tt.failed}})
			defer s.Close()
			for _, body := range []string{"no JSON", `{"to":"u"}`} {
				r := httptest.NewRequest(http.MethodPost, "/v1/message/send_text", strings.NewReader(body))
				r.Header.Set("Idempotency-Key", "k1")
				s.ServeHTTP(httptest.NewRecorder(), r)
			}
			first, again := <-got, <-got
			if !strings.Contains(first, `"type":"COMMAND_RESULT"`) || !strings.Contains(first, tt.want) || again != first {
				t.Errorf("told %s, then %s", first, again)
			}
			if s.Close(); len(got) > 0 {
				t.Errorf("told of a call that was refused: %s", <-got)
			}
		})
	}
}
