package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
)

func TestPauseAndResume(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		path, body string
		status     int
		asked      []any // account, on
	}{
		{"/api/v1/pause", `{"account":"shop"}`, http.StatusOK, []any{"shop", true}},
		{"/api/v1/resume", `{"account":"shop"}`, http.StatusOK, []any{"shop", false}},
		{"/api/v1/pause", `{"account":"shop","by":" wang\n"}`, http.StatusOK, []any{"shop", true, "wang"}},
		{"/api/v1/pause", `{}`, http.StatusOK, []any{"", true}},
		{"/api/v1/resume", ``, http.StatusOK, []any{"", false}},
		{"/api/v1/pause", `{"account":"nobody"}`, http.StatusNotFound, nil},
		{"/api/v1/pause", `{"by":"li"}`, http.StatusOK, []any{"", true, "li"}},
		{"/api/v1/resume", " \n", http.StatusOK, []any{"", false}},
		{"/api/v1/pause", `shop`, http.StatusBadRequest, nil},
		{"/api/v1/resume", `{"account":`, http.StatusBadRequest, nil},
		{"/api/v1/resume", `null`, http.StatusBadRequest, nil},
		{"/api/v1/resume", `{} {"account":"shop"}`, http.StatusBadRequest, nil},
		{"/api/v1/pause", `{"account":7}`, http.StatusBadRequest, nil},
	} {
		r.paused = nil
		if got := r.call(http.MethodPost, tt.path, tt.body); got.code != tt.status || !reflect.DeepEqual(r.paused, tt.asked) {
			t.Errorf("%s %s: %d %s, asked for %v; want %d, %v", tt.path, tt.body, got.code, got.text, r.paused, tt.status, tt.asked)
		}
	}
	r.pauseErr = errors.New("disk")
	if got := r.call(http.MethodPost, "/api/v1/pause", `{}`); got.code/100 != 5 {
		t.Errorf("a pause that is not on disk: %d %s", got.code, got.text)
	}
}

// What is mistyped or left empty must never be taken for "all accounts".
func TestAPauseSaysWhatIsWrongWithIt(t *testing.T) {
	r := newRig(t)
	for body, says := range map[string]string{
		`{"acount":"shop"}`:            `there is no field "acount" (did you mean "account"?)`,
		`{"account":"shop","al":true}`: `there is no field "al" (known: account, by)`,
		`{"account":""}`:               "account is empty: name one, or leave it out for all of them",
		`{"account":null}`:             "account is empty: name one, or leave it out for all of them",
		`{"account":"","by":"li"}`:     "account is empty",
		`{"account":["shop"]}`:         "account must be a text",
		`{"by":7}`:                     "by must be a text",
	} {
		for _, path := range []string{"/api/v1/pause", "/api/v1/resume"} {
			got := r.call(http.MethodPost, path, body)
			if got.wants(t, http.StatusBadRequest, "json"); !strings.Contains(got.message(), says) || !strings.Contains(got.message(), `or {} or nothing for all accounts`) {
				t.Errorf("%s %s: says %q, want %q and what to do", path, body, got.message(), says)
			}
		}
	}
	if r.paused != nil {
		t.Errorf("asked for %v", r.paused)
	}
}

func (r *rig) pause(_ context.Context, account string, on bool, by string) ([]string, error) {
	if r.paused = []any{account, on}; by != "" {
		r.paused = append(r.paused, by)
	}
	return []string{"shop"}, r.pauseErr
}
