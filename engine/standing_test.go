package engine

import "testing"

func TestAChangeOfStandingLeavesTheRestAsItIs(t *testing.T) {
	for _, tt := range []struct {
		name   string
		from   Standing
		change Change
		want   Standing
	}{
		{"blocking somebody who unsubscribed", Standing{Unsubscribed: true}, Block, Standing{Blocked: true, Unsubscribed: true}},
		{"blocking twice", Standing{Blocked: true}, Block, Standing{Blocked: true}},
		{"unblocking does not subscribe", Standing{Blocked: true, Unsubscribed: true}, Unblock, Standing{Unsubscribed: true}},
		{"unsubscribing", Standing{}, Change(Unsubscribe), Standing{Unsubscribed: true}},
		{"subscribing lifts no block", Standing{Blocked: true, Unsubscribed: true}, Change(Subscribe), Standing{Blocked: true}},
		{"subscribing what is subscribed", Standing{}, Change(Subscribe), Standing{}},
		{"no change", Standing{Blocked: true}, "", Standing{Blocked: true}},
		{"an unknown change", Standing{Blocked: true}, "promote", Standing{Blocked: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.from.With(tt.change); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}
