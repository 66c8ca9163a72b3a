package api

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/store"
)

func TestTheSchedulesAreListed(t *testing.T) {
	r := newRig(t)
	var failure error
	due := time.Date(2026, 3, 2, 1, 0, 0, 0, time.UTC)
	r.o.Schedules = func() ([]Schedule, error) {
		return []Schedule{{
			Name: "早报", Account: "shop", When: "0 9 * * * Asia/Shanghai", Does: "text → room", Enabled: true, State: engine.RunFailed, Due: due,
			Runs: []engine.Run{{Due: due, Began: due, TookMS: 12, State: engine.RunFailed, Note: "refused"}},
		}}, failure
	}
	got := r.call(http.MethodGet, "/api/v1/schedules", "")
	want := `{"schedules":[{"name":"早报","account":"shop","when":"0 9 * * * Asia/Shanghai","does":"text → room","enabled":true,"state":"failed","due":"2026-03-02T01:00:00Z",` +
		`"runs":[{"due":"2026-03-02T01:00:00Z","began":"2026-03-02T01:00:00Z","took_ms":12,"state":"failed","note":"refused"}]}]}`
	if strings.TrimSpace(got.text) != want || got.code != http.StatusOK {
		t.Errorf("%d %s, want %s", got.code, got.text, want)
	}
	failure = errors.New("disk")
	if got := r.call(http.MethodGet, "/api/v1/schedules", ""); got.code != http.StatusInternalServerError {
		t.Errorf("a store that cannot be read: %d %s", got.code, got.text)
	}
}

func TestAScheduleIsRunByHand(t *testing.T) {
	r := newRig(t)
	asked := ""
	refusals := map[string]error{"off": ErrDisabled, "none": store.ErrGone, "full": store.ErrFull}
	r.o.RunSchedule = func(_ context.Context, name string) error {
		asked = name
		return refusals[name]
	}
	for _, tt := range []struct {
		path, asked string
		code        int
	}{
		{"%E6%97%A9%E6%8A%A5", "早报", http.StatusAccepted},
		{"off", "off", http.StatusConflict},
		{"none", "none", http.StatusNotFound},
		{"full", "full", http.StatusServiceUnavailable},
	} {
		if got := r.call(http.MethodPost, "/api/v1/schedules/"+tt.path+"/run", ""); got.code != tt.code || asked != tt.asked {
			t.Errorf("%s: %d %s, asked for %q; want %d", tt.path, got.code, got.text, asked, tt.code)
		}
	}
}
