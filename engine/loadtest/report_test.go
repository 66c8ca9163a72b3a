package loadtest

import (
	"strings"
	"testing"
)

func TestMedians(t *testing.T) {
	for _, tt := range []struct {
		of   []float64
		want float64
	}{
		{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := middle(tt.of); got != tt.want {
			t.Errorf("the median of %v is %v, want %v", tt.of, got, tt.want)
		}
	}
	m := median([]Sample{
		{Rate: 10, CPU: 3, Statuses: map[string]int{"200": 5}, Totals: Totals{Acked: 5, Doubled: 1}, Backlog: []int{1}},
		{Rate: 30, CPU: 1, Statuses: map[string]int{"200": 6, "503": 1}, Totals: Totals{Acked: 6}, Backlog: []int{2}},
		{Rate: 20, CPU: 2, Statuses: map[string]int{"503": 1}, Totals: Totals{Acked: 7}, Failed: 2, Failure: "EOF", Backlog: []int{3}},
	})
	if m.Rate != 20 || m.CPU != 2 {
		t.Errorf("rate %v, CPU %v", m.Rate, m.CPU)
	}
	if m.Totals.Acked != 18 || m.Totals.Doubled != 1 || m.Statuses["200"] != 11 || m.Statuses["503"] != 2 || m.Failed != 2 {
		t.Errorf("counts are %+v %v %d", m.Totals, m.Statuses, m.Failed)
	}
	if len(m.Backlog) != 1 || m.Backlog[0] != 3 {
		t.Errorf("the backlog is %v, not the last round's", m.Backlog)
	}
}

// rounds is three rounds of a bare server, one in memory and ours.
func rounds() (group, [][]Sample) {
	g := group{name: "64 connections", paced: true, trials: []trial{
		{name: "bare"}, {name: "memory", engine: true, replies: true},
		{name: "ours", engine: true, replies: true, against: []string{"memory"}},
	}}
	sample := func(rate, p50 float64) Sample {
		return Sample{Rate: rate, Sync: 0.2, Ack: Latency{P50: p50, P99: 2, P999: 3, Max: 4}}
	}
	all := [][]Sample{
		{sample(100, 0.2), sample(50, 0.4), sample(40, 1.0)},
		{sample(200, 0.2), sample(100, 0.4), sample(60, 1.2)},
		{sample(100, 0.2), sample(80, 0.4), sample(20, 0.6)},
	}
	for _, samples := range all {
		for i := range samples[1:] {
			samples[i+1].Totals = Totals{Acked: 10, Delivered: 10}
			samples[i+1].Way = Latency{P50: 4, P99: 8, P999: 9, Max: 10}
		}
	}
	return g, all
}

func TestRatiosAreTakenWithinRounds(t *testing.T) {
	out := sumUp(rounds())
	ours := out.Rows[2]
	want := []Ratio{{To: "bare", Median: 0.3, Min: 0.2, Max: 0.4}, {To: "memory", Median: 0.6, Min: 0.25, Max: 0.8}}
	if len(ours.Ratios) != 2 || ours.Ratios[0] != want[0] || ours.Ratios[1] != want[1] {
		t.Errorf("ratios %+v, want %+v", ours.Ratios, want)
	}
	if len(out.Rows[1].Ratios) != 1 || out.Rows[0].Ratios != nil {
		t.Error("a row is compared with what it did not ask for")
	}
	if f := ours.Syncs; f == nil || f.AckP50 < 3.99 || f.AckP50 > 4.01 || f.AckP99 != 10 || f.WayP50 != 20 {
		t.Errorf("in syncs: %+v, want p50 above bare 4, p99 10, way 20", ours.Syncs)
	}
}

func TestOnlyAnEngineThatKeepsItsPromisesIsSound(t *testing.T) {
	tests := []struct {
		name string
		row  Row
		want bool
	}{
		{"all is well", Row{Ours: true, Replies: true, Median: Sample{Totals: Totals{Acked: 9, Delivered: 9}}}, true},
		{"one is lost", Row{Ours: true, Replies: true, Median: Sample{Totals: Totals{Acked: 9, Delivered: 8, Waiting: 1}}}, false},
		{"all are lost", Row{Ours: true, Replies: true, Median: Sample{Totals: Totals{Acked: 9, Waiting: 9}}}, false},
		{"nobody waited", Row{Ours: true, Median: Sample{Totals: Totals{Acked: 9, Waiting: 9}}}, true},
		{"one is doubled", Row{Ours: true, Replies: true, Median: Sample{Totals: Totals{Doubled: 1}}}, false},
		{"one is out of order", Row{Ours: true, Replies: true, Median: Sample{Totals: Totals{Disordered: 1}}}, false},
		{"one went astray", Row{Ours: true, Replies: true, Median: Sample{Totals: Totals{Stray: 1}}}, false},
		{"one is unreadable", Row{Ours: true, Replies: true, Median: Sample{Malformed: 1}}, false},
		{"a repeat under its key is allowed", Row{Ours: true, Replies: true, Median: Sample{Totals: Totals{Repeated: 1}}}, true},
		{"another's losses", Row{Replies: true, Median: Sample{Totals: Totals{Waiting: 1}}}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := Report{Scenarios: []Result{{Groups: []Group{{Rows: []Row{tt.row}}}}}}
			if got := r.Sound(); got != tt.want {
				t.Errorf("sound: %v, want %v", got, tt.want)
			}
		})
	}
}

func TestReportForPeople(t *testing.T) {
	g := sumUp(rounds())
	ours := &g.Rows[2]
	ours.Median.Backlog = []int{0, 10, 40, 80, 0}
	ours.Median.Statuses = map[string]int{"200": 5, "503": 7}
	ours.Median.Failed, ours.Median.Failure = 2, "EOF"
	ours.Median.Ready, ours.Median.Others, ours.Median.Acks = 0.4, 0.9, 70
	r := Report{Version: "v1", Rounds: 3, Seconds: 2, Scenarios: []Result{{
		Name: "chain", Says: "The whole way.", Notes: []string{"left out: x"}, Groups: []Group{g},
	}}}
	var out strings.Builder
	if err := r.Print(&out, true); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"== chain\nThe whole way.\n(left out: x)\n",
		"64 connections; F = 0.200 ms\n",
		"\nours    40     0.30 (0.20-0.40)  1.00/2.00/3.00/4.00  4.00/8.00/9.00/10.0  -",
		"ours: 0.60 (0.25-0.80) of memory\n",
		"ours: answer p50 = bare + 4.0 F, p99 = 10.0 F; to platform p50 = 20.0 F, p99 = 40.0 F\n",
		"ours: takes callbacks 0.40 s after its start\n",
		"ours: 70 callbacks answered per second while they came\n",
		"ours: of 30 acknowledged events 0 lost, 0 doubled, 0 out of order, 0 repeated under the same key\n",
		"ours: waiting ▁▂▄█▁ at most 80\n",
		"ours: 7 callbacks answered 503\n",
		"ours: 2 callbacks without an answer (EOF)\n",
		"ours: others used 0.9 cores meanwhile\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report lacks %q:\n%s", want, &out)
		}
	}
}

func TestSparkline(t *testing.T) {
	tests := []struct {
		name   string
		values []int
		width  int
		want   string
	}{
		{"nothing", nil, 10, ""},
		{"all zero", []int{0, 0}, 10, "▁▁"},
		{"rising", []int{0, 1, 2, 3, 4, 5, 6, 7}, 10, "▁▂▃▄▅▆▇█"},
		{"what is not zero shows", []int{1, 1000}, 10, "▂█"},
		{"the peak of each share", []int{0, 9, 0, 0, 0, 5}, 3, "█▁▄"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sparkline(tt.values, tt.width, blocks); got != tt.want {
				t.Errorf("drawn as %s, want %s", got, tt.want)
			}
		})
	}
}

func TestSeriesAreSummedOverLabels(t *testing.T) {
	s, err := parseSeries(strings.NewReader("# HELP bot_x Text with {braces}.\n# TYPE bot_x counter\n" +
		"bot_x{account=\"a b\"} 3\nbot_x{account=\"c\"} 4.5\nbot_commit_seconds_count 1e+06\nbot_x_bucket{le=\"+Inf\"} 7\n\n"))
	if err != nil {
		t.Fatal(err)
	}
	if s["bot_x"] != 7.5 || s["bot_commit_seconds_count"] != 1e6 || len(s) != 3 {
		t.Errorf("reads %v", s)
	}
	if _, err := parseSeries(strings.NewReader("bot_x many\n")); err == nil {
		t.Error("a sample without number passes")
	}
}

func TestOptionsAreCheckedTogether(t *testing.T) {
	o := Options{Scenarios: []string{"acks", "speed"}, Rounds: 0, Duration: 1, Conversations: 1, Events: 1, Backlog: 1, Rates: []float64{-1}}
	err := o.Check()
	if err == nil {
		t.Fatal("nonsense passes")
	}
	for _, want := range []string{`no scenario "speed"`, "chain", "rounds", "duration", "rate"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not mentioned in %v", want, err)
		}
	}
}
