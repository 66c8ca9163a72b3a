package stub

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// call posts without a network; hung tells that the stub closed the connection.
func call(s *Stub, key, body string) (got *http.Response, hung bool) {
	r := httptest.NewRequest(http.MethodPost, "/send", strings.NewReader(body))
	r.Header.Set("Idempotency-Key", key)
	w := httptest.NewRecorder()
	defer func() { hung = recover() == http.ErrAbortHandler }()
	s.ServeHTTP(w, r)
	return w.Result(), false
}

func TestNeedsAProtocol(t *testing.T) {
	if _, err := New(Options{}); err == nil {
		t.Error("made without one")
	}
	broken := errors.New("no such key")
	if _, err := New(Options{Protocol: func(*Options) (Protocol, error) { return nil, broken }}); !errors.Is(err, broken) {
		t.Errorf("got %v, want the protocol's own error", err)
	}
}

func TestFailuresAreNotCarriedOut(t *testing.T) {
	chances := []float64{0.05, 0.15, 0.5}
	s := newStub(t, Options{Hang: 0.1, Fail: 0.1, Chance: func() float64 {
		x := chances[0]
		chances = chances[1:]
		return x
	}})
	if _, hung := call(s, "hung", "hi"); !hung {
		t.Error("answered, want it hung up on")
	}
	if r, _ := call(s, "failed", "hi"); r.StatusCode != 500 {
		t.Errorf("status %d, want 500", r.StatusCode)
	}
	if r, _ := call(s, "hung", "hi"); r.StatusCode != 200 {
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

// A platform that hangs up has done what it would have done with an answer, and
// no more.
func TestHangingUpDoesNotCarryOutWhatIsRefused(t *testing.T) {
	s := newStub(t, Options{Hang: 1, Chance: func() float64 { return 0 }})
	for body, done := range map[string]int{"no": 0, "token": 0, "hi": 1} {
		before := s.Counts().Done
		if _, hung := call(s, "key of "+body, body); !hung {
			t.Errorf("%s: answered", body)
		}
		if got := s.Counts().Done - before; got != done {
			t.Errorf("%s: carried out %d times, want %d", body, got, done)
		}
	}
	if refused := s.Calls(func(c Call) bool { return c.Refused }); len(refused) != 1 || refused[0].Text != "no" {
		t.Errorf("refused %+v", refused)
	}
}

func TestThrottle(t *testing.T) {
	now := noon
	s := newStub(t, Options{Throttle: engine.Rate{N: 20, Per: time.Minute}, Burst: 2, Now: func() time.Time { return now }})
	want := func(status int, wait string) {
		t.Helper()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/send", strings.NewReader("hi")))
		if w.Code != status || w.Body.String() != wait {
			t.Errorf("got %d %q, want %d %q", w.Code, w.Body, status, wait)
		}
	}
	want(200, "done")
	want(200, "done")
	want(429, "3s")
	want(429, "3s") // refused calls use up nothing
	now = now.Add(3 * time.Second)
	want(200, "done")
	want(429, "3s")
	if got, want := s.Counts(), (Counts{Calls: 6, Done: 3}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestScript(t *testing.T) {
	s := newStub(t, Options{Script: func(c Call) *Answer {
		if c.Key == "odd" {
			return &Answer{Status: 418, Body: "teapot", Header: map[string]string{"X-Why": "script"}}
		}
		return nil
	}})
	if r, _ := call(s, "odd", "hi"); r.StatusCode != 418 || r.Header.Get("X-Why") != "script" {
		t.Errorf("got %v", r)
	}
	if r, _ := call(s, "even", "hi"); r.StatusCode != 200 {
		t.Errorf("got %v, want the stub's own answer", r)
	}
}

func TestGoodCredentials(t *testing.T) {
	tests := []struct {
		credential, want string
		good             bool
	}{
		{"t0ken", "t0ken", true},
		{"other", "t0ken", false},
		{"", "t0ken", false},
		{"any", "", true},
		{"", "", false},
	}
	for _, tt := range tests {
		if got := Good(tt.credential, tt.want); got != tt.good {
			t.Errorf("%q where %q is wanted: %v", tt.credential, tt.want, got)
		}
	}
}
