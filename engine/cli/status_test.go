package cli

import (
	"testing"

	"bot/engine/app"
	"bot/engine/egress"
	"bot/engine/health"
)

func TestTheStatusNamesWhoseLimitAnAccountWaitsFor(t *testing.T) {
	free := egress.Pace{Pace: 1, State: egress.PaceFree}
	for _, tt := range []struct {
		name   string
		row    health.Row
		pace   egress.Pace
		pushes *egress.Pushes
		want   string
	}{
		{"nothing", health.Row{}, free, nil, "-"},
		{"its own rate", health.Row{}, egress.Pace{Pace: 1, By: "account", WaitsFor: "the account's rate"}, nil, "waits for the account's rate"},
		{"a hold comes first", health.Row{Held: "paused: by wang"}, egress.Pace{Pace: 1, WaitsFor: "the account's rate"}, nil, "paused: by wang"},
		{"its platform", health.Row{}, egress.Pace{Pace: 0.25, State: egress.PaceSlowed}, nil, "throttled by its platform: 25 % of its usual pace"},
		{"its quota", health.Row{}, free, &egress.Pushes{Used: 500}, "today's pushes are used up: 500 (push_per_day)"},
		{"some of its quota", health.Row{}, free, &egress.Pushes{Used: 499, Left: 1}, "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.row.Name = "shop"
			s := &app.Status{Pace: map[string]egress.Pace{"shop": tt.pace}}
			if tt.pushes != nil {
				s.Pushes = map[string]egress.Pushes{"shop": *tt.pushes}
			}
			if got := new(call).accountNote(s, &tt.row); got != tt.want {
				t.Errorf("says %q, want %q", got, tt.want)
			}
		})
	}
}
