package app

import (
	"testing"

	"bot/engine/trace"
	"bot/store"
)

// How a command ended is told in the store's words (see traceSettled).
func TestTheStepsOfAnEndAreTheStoresWords(t *testing.T) {
	for end, step := range map[store.Final]string{
		store.Sent: trace.Sent, store.Confirmed: trace.Confirmed, store.Dead: trace.Dead, store.Cancelled: trace.Cancelled,
	} {
		if string(end) != step {
			t.Errorf("%q is told as %q", end, step)
		}
	}
}
