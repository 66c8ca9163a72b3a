package loadtest

import (
	"slices"
	"time"
)

// Report is the outcome of a run.
type Report struct {
	Version string    `json:"version"`
	Time    time.Time `json:"time"`
	Machine Machine   `json:"machine"`
	Rounds  int       `json:"rounds"`
	Seconds float64   `json:"seconds"` // of each measurement
	// Promises is what the engine's measurements add up to.
	Promises  Promises `json:"promises"`
	Scenarios []Result `json:"scenarios"`
}

// Promises counts over all measurements of the engine what must not happen.
type Promises struct {
	Kept       bool `json:"kept"` // all others are 0
	Lost       int  `json:"lost"` // acknowledged events whose reply never came
	Doubled    int  `json:"doubled"`
	Disordered int  `json:"disordered"`
	Stray      int  `json:"stray"` // requests to the platform that belong to no event
}

// Result is what one scenario found.
type Result struct {
	Name   string   `json:"name"`
	Says   string   `json:"says"`
	Notes  []string `json:"notes,omitempty"` // what was left out and why
	Groups []Group  `json:"groups"`
}

// Group is what was compared with each other.
type Group struct {
	Name string `json:"name"`
	Rows []Row  `json:"rows"`
}

// Row is one server in one group.
type Row struct {
	Name string `json:"name"`
	// Ours: this engine, for which the promises of Sound hold.
	Ours bool `json:"ours"`
	// Replies were waited for; without them nothing can be said of losses.
	Replies bool    `json:"replies"`
	Ratios  []Ratio `json:"ratios,omitempty"`
	// Median holds the median of each figure over the rounds, and the sums of
	// what was counted.
	Median  Sample   `json:"median"`
	Syncs   *Syncs   `json:"in_syncs,omitempty"` // at a fixed rate
	Slower  *Slower  `json:"slower,omitempty"`   // beside something else, of what is measured alone
	Samples []Sample `json:"samples"`
}

// Ratio compares rates within rounds.
type Ratio struct {
	To     string  `json:"to"`
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// Syncs are latencies as multiples of F, the median of one sync of the disk;
// medians over the rounds, each with its own F.
type Syncs struct {
	AckP50 float64 `json:"ack_p50_above_bare"`
	AckP99 float64 `json:"ack_p99"`
	WayP50 float64 `json:"way_p50"`
	WayP99 float64 `json:"way_p99"`
}

// Sound tells whether the engine kept its promises in every measurement:
// nothing lost, doubled, out of order or sent astray. Speed is no part of it.
func (r *Report) Sound() bool { return r.promises().Kept }

func (r *Report) promises() Promises {
	var p Promises
	for _, s := range r.Scenarios {
		for _, g := range s.Groups {
			for _, row := range g.Rows {
				if !row.Ours {
					continue
				}
				t := row.Median.Totals
				p.Lost += row.lost()
				p.Doubled += t.Doubled
				p.Disordered += t.Disordered
				p.Stray += t.Stray + row.Median.Malformed
			}
		}
	}
	p.Kept = p == Promises{}
	return p
}

// lost is the number of acked events whose reply never came.
func (r *Row) lost() int {
	if !r.Replies {
		return 0
	}
	return r.Median.Totals.Waiting
}

// sumUp makes a group's rows of its samples, which are by round and trial.
func sumUp(g group, rounds [][]Sample) Group {
	out := Group{Name: g.name}
	for i, t := range g.trials {
		row := Row{Name: t.name, Ours: t.engine, Replies: t.replies}
		for _, samples := range rounds {
			row.Samples = append(row.Samples, samples[i])
		}
		row.Median = median(row.Samples)
		if i > 0 {
			row.Ratios = ratios(g, rounds, i)
		}
		if i > 0 && g.paced {
			row.Syncs = syncs(rounds, i)
		}
		if i > 0 && g.slowed {
			row.Slower = slower(g, rounds, i)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func ratios(g group, rounds [][]Sample, i int) []Ratio {
	var out []Ratio
	for j, base := range g.trials[:i] {
		if rounds[0][j].Rate == 0 {
			continue // no rates are compared here
		}
		if j > 0 && !slices.Contains(g.trials[i].against, base.name) {
			continue
		}
		var all []float64
		for _, samples := range rounds {
			all = append(all, per(samples[i].Rate, samples[j].Rate))
		}
		out = append(out, ratioTo(base.name, all))
	}
	return out
}

func ratioTo(name string, rounds []float64) Ratio {
	return Ratio{To: name, Median: middle(rounds), Min: slices.Min(rounds), Max: slices.Max(rounds)}
}

func syncs(rounds [][]Sample, i int) *Syncs {
	of := func(f func(s, bare *Sample) float64) float64 {
		var all []float64
		for _, samples := range rounds {
			all = append(all, per(f(&samples[i], &samples[0]), samples[i].Sync))
		}
		return middle(all)
	}
	return &Syncs{
		AckP50: of(func(s, bare *Sample) float64 { return s.Ack.P50 - bare.Ack.P50 }),
		AckP99: of(func(s, _ *Sample) float64 { return s.Ack.P99 }),
		WayP50: of(func(s, _ *Sample) float64 { return s.Way.P50 }),
		WayP99: of(func(s, _ *Sample) float64 { return s.Way.P99 }),
	}
}

// median takes each figure's own; counts are added up, and the backlog's
// course is that of the last round.
func median(samples []Sample) Sample {
	var m Sample
	values := make([][]float64, len(m.figures()))
	for i := range samples {
		for j, v := range samples[i].figures() {
			values[j] = append(values[j], *v)
		}
		m.add(&samples[i])
		m.Backlog = samples[i].Backlog
	}
	for j, v := range m.figures() {
		*v = middle(values[j])
	}
	return m
}

// middle is the median; of an even number the mean of the two in the middle.
func middle(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
