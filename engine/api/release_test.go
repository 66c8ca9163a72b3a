package api

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"testing"
)

func TestRelease(t *testing.T) {
	r := newRig(t)
	var asked []string
	var failure error
	r.o.Release = func(_ context.Context, account, conversation string) error {
		asked = []string{account, conversation}
		return failure
	}
	for _, tt := range []struct {
		body   string
		status int
		asked  []string
	}{
		{`{"account":"shop","conversation":"u1"}`, http.StatusAccepted, []string{"shop", "u1"}},
		{`{"account":"nobody","conversation":"u1"}`, http.StatusNotFound, nil},
		{`{"account":"shop"}`, http.StatusBadRequest, nil},
		{`{"account":"shop","conversation":7}`, http.StatusBadRequest, nil},
		{``, http.StatusBadRequest, nil},
	} {
		asked = nil
		if got := r.call(http.MethodPost, "/api/v1/release", tt.body); got.code != tt.status || !slices.Equal(asked, tt.asked) {
			t.Errorf("%s: %d %s, asked for %q; want %d, %q", tt.body, got.code, got.text, asked, tt.status, tt.asked)
		}
	}
	failure = ErrNotHeld
	if got := r.call(http.MethodPost, "/api/v1/release", `{"account":"shop","conversation":"u1"}`); got.code != http.StatusNotFound {
		t.Errorf("a conversation that is the bot's: %d %s", got.code, got.text)
	}
	failure = errors.New("disk")
	if got := r.call(http.MethodPost, "/api/v1/release", `{"account":"shop","conversation":"u1"}`); got.code/100 != 5 {
		t.Errorf("a release that is not on disk: %d %s", got.code, got.text)
	}
}
