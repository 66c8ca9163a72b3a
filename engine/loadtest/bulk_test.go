package loadtest

import "testing"

func TestRepliesComeBesideABulkOfTheRealBinary(t *testing.T) {
	o, _ := few(t, build(t), "bulk")
	report, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if !report.Sound() {
		t.Error("the engine lost, doubled or reordered events")
	}
	rows := report.Scenarios[0].Groups[0].Rows
	beside := rows[len(rows)-1]
	if m := beside.Median; m.Bulk <= 0 || m.Totals.Delivered == 0 || m.Way.P99 <= 0 {
		t.Errorf("measured %+v", m)
	}
	if beside.Slower == nil || beside.Slower.WayP99.Median <= 0 || rows[0].Slower != nil {
		t.Errorf("compared as %+v", beside.Slower)
	}
}

func TestLatenciesAreComparedWithinRounds(t *testing.T) {
	g := group{trials: []trial{{name: "quiet"}, {name: "beside"}}}
	of := func(p99 float64) Sample { return Sample{Way: Latency{P99: p99}} }
	s := slower(g, [][]Sample{{of(10), of(20)}, {of(100), of(110)}, {of(1), of(4)}}, 1)
	if want := (Ratio{To: "quiet", Median: 2, Min: 1.1, Max: 4}); s.WayP99 != want {
		t.Errorf("compared as %+v, want %+v", s.WayP99, want)
	}
}
