//go:build !race

package risk

import "testing"

// Not under the race detector, with which pools forget what they hold.
func TestNothingIsAllocatedWhereNothingHits(t *testing.T) {
	g, e := quietly(t, 50), message()
	n := 0
	if got := testing.AllocsPerRun(1000, func() {
		e.ID = ids[n]
		n++
		g.Admit(e)
	}); got >= 1 {
		t.Errorf("%v allocations an event", got)
	}
}
