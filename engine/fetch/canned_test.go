package fetch

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"bot/engine"
)

func TestCannedAnswersStandInForTheNetwork(t *testing.T) {
	c := NewClient(nil)
	ctx := WithAnswers(t.Context(), []engine.Answer{{Body: "one"}, {Status: 404, Body: "two"}})
	ask := func() (int, string, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1:1/private", strings.NewReader("x"))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := c.Do(r)
		if err != nil {
			return 0, "", err
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		return resp.StatusCode, string(b), err
	}
	for _, want := range []struct {
		status int
		body   string
	}{{200, "one"}, {404, "two"}} {
		if status, body, err := ask(); status != want.status || body != want.body || err != nil {
			t.Errorf("%d %q %v, want %+v", status, body, err, want)
		}
	}
	if _, _, err := ask(); !errors.Is(err, ErrOffline) {
		t.Errorf("none is left: %v", err)
	}
}

func TestNothingIsReachedOffline(t *testing.T) {
	r, _ := http.NewRequestWithContext(Offline(t.Context()), http.MethodGet, "http://127.0.0.1:1/", nil)
	if _, err := NewClient(func(string) bool { return true }).Do(r); !errors.Is(err, ErrOffline) {
		t.Errorf("got %v", err)
	}
}
