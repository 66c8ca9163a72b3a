package stub

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine"
)

// plain is a protocol with nothing to it: every POST sends its body as a text to
// "u", but "no" is refused, and "token" only fetched.
type plain struct{}

func speakPlain(*Options) (Protocol, error) { return plain{}, nil }

func (plain) Read(c *Call) {
	c.Key, c.Authorized = c.Header.Get("Idempotency-Key"), Good(c.Header.Get("Token"), "good")
	if string(c.Body) != "token" {
		c.Action, c.To, c.Text = engine.SendText, "u", string(c.Body)
	}
}

func (plain) Answer(c *Call) Answer {
	if c.Text == "no" {
		return Answer{Status: 200, Body: "no", Refused: true}
	}
	return Answer{Status: 200, Body: "done"}
}

func (plain) Throttled(wait time.Duration) Answer {
	return Answer{Status: 429, Body: wait.String(), Refused: true}
}

func (plain) Failed() Answer { return Answer{Status: 500, Body: "failed"} }

func (plain) Callback(target string, s Said, _ int) (*http.Request, error) {
	return http.NewRequest(http.MethodPost, target, strings.NewReader(s.Text))
}

func (plain) Accepted(status int, body []byte) bool { return status == 200 && string(body) == "heard" }

func newStub(t *testing.T, o Options) *Stub {
	t.Helper()
	if o.Protocol == nil {
		o.Protocol = speakPlain
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
