package ingress

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"bot/engine/channel"
	"bot/store"
)

// A doorbell is on disk before it is acknowledged, like an event.
func TestADoorbellIsDurableBeforeItIsAcknowledged(t *testing.T) {
	for name, tt := range map[string]struct {
		body   string
		err    error
		status int
		rung   int
	}{
		"alone":                  {"ring", nil, 200, 1},
		"twice in one callback":  {"ring ring", nil, 200, 2},
		"beside an event":        {"a ring", nil, 200, 1},
		"on a full disk":         {"ring", store.ErrFull, http.StatusServiceUnavailable, 1},
		"on a store that failed": {"ring", fmt.Errorf("ring: %w", store.ErrFailed), http.StatusInternalServerError, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var rung []channel.Doorbell
			d := newDoor(t, Options{Ring: func(_ context.Context, bells []channel.Doorbell) error {
				rung = append(rung, bells...)
				return tt.err
			}}, words{})
			got := d.post(tt.body)
			if got.Code != tt.status || len(rung) != tt.rung || !slices.Contains(rung, channel.Doorbell{Account: "shop", Source: "s", Token: "t"}) {
				t.Errorf("answered %d, rung %v; want %d, %d", got.Code, rung, tt.status, tt.rung)
			}
			if tt.err == nil && !strings.Contains(tt.body, "a") && !strings.Contains(d.log.String(), `"outcome":"answered"`) {
				t.Errorf("logged as %s", d.log)
			}
		})
	}
}
