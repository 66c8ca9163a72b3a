package api

import (
	"context"
	"errors"
	"net/http"
	"reflect"
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
		{"/api/v1/pause", `shop`, http.StatusBadRequest, nil},
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

func (r *rig) pause(_ context.Context, account string, on bool, by string) ([]string, error) {
	if r.paused = []any{account, on}; by != "" {
		r.paused = append(r.paused, by)
	}
	return []string{"shop"}, r.pauseErr
}
