package loadtest

import (
	"slices"
	"testing"
	"time"

	"bot/engine"
)

// The plain chain ends where the platform refuses something, so it is measured only
// where nothing is refused, however slow it is.
func TestThePlainChainIsLeftOutWhereItWouldEnd(t *testing.T) {
	for _, tt := range []struct {
		name    string
		manners Manners
		there   bool
	}{
		{"calm", Manners{}, true},
		{"slow", Manners{Delay: time.Second}, true},
		{"failing", Manners{Fail: 0.01}, false},
		{"hanging up", Manners{HangUp: 0.01}, false},
		{"throttled", Manners{Throttle: engine.Rate{N: 1, Per: time.Second}}, false},
		{"down", Manners{Up: time.Second}, false},
	} {
		for _, s := range []scenario{chain, latency} {
			b := &bench{Options: Options{Manners: tt.manners, Rates: []float64{100, 200}}, dir: t.TempDir()}
			groups, notes, err := s.plan(t.Context(), b)
			b.close()
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range groups {
				if there := slices.ContainsFunc(g.trials, func(t trial) bool { return t.name == chainName }); there != tt.there {
					t.Errorf("%s, %s, %s: C is measured: %v", tt.name, s.name, g.name, there)
				}
			}
			if said := slices.ContainsFunc(notes, func(n string) bool { return n == chainName+" is left out: it tries nothing again" }); said == tt.there {
				t.Errorf("%s, %s: the notes are %q", tt.name, s.name, notes)
			}
		}
	}
}
