package metrics

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// promised are the series that operators and acceptance checks read, with the
// labels that they are promised to have.
var promised = map[string][]string{
	"bot_events_received_total":    {"account"},
	"bot_events_duplicate_total":   {"account"},
	"bot_events_refused_total":     {"account", "reason"},
	"bot_events_queued_total":      {"account", "kind"},
	"bot_events_handled_total":     {"account", "outcome", "skill"},
	"bot_events_failed_total":      {"account", "skill"},
	"bot_commands_created_total":   {"account", "action"},
	"bot_commands_sent_total":      {"account", "action"},
	"bot_commands_failed_total":    {"account", "class"},
	"bot_commands_throttled_total": {"account", "by"},
	"bot_retries_total":            {"stage"},
	"bot_dead_letters_total":       {"account", "what"},
	"bot_schedule_runs_total":      {"outcome", "schedule"},
	"bot_words_total":              {"account", "action"},
	"bot_ack_seconds":              {},
	"bot_queue_wait_seconds":       {},
	"bot_handle_seconds":           {},
	"bot_send_seconds":             {},
	"bot_commit_seconds":           {},
	"bot_commit_acts":              {},
}

// used counts once with every vector, since one that never counted shows nothing.
func used() *Metrics {
	m := New()
	for _, v := range []struct {
		*prometheus.CounterVec
		labels int
	}{
		{m.Received, 1}, {m.Duplicate, 1}, {m.Refused, 2}, {m.Queued, 2}, {m.Handled, 3}, {m.Failed, 2},
		{m.Created, 2}, {m.Sent, 2}, {m.SendFailed, 2}, {m.Throttled, 2}, {m.Retries, 1}, {m.Dead, 2}, {m.Runs, 2}, {m.Words, 2},
	} {
		v.WithLabelValues(slices.Repeat([]string{"x"}, v.labels)...).Inc()
	}
	return m
}

// gather reads all series: the labels of each and the sum of its counters and gauges.
func gather(t *testing.T, m *Metrics) (labels map[string][]string, sums map[string]float64) {
	t.Helper()
	families, err := m.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	labels, sums = make(map[string][]string), make(map[string]float64)
	for _, f := range families {
		names := []string{}
		for _, l := range f.Metric[0].Label {
			names = append(names, l.GetName())
		}
		slices.Sort(names)
		labels[f.GetName()] = names
		for _, s := range f.Metric {
			sums[f.GetName()] += s.GetCounter().GetValue() + s.GetGauge().GetValue()
		}
	}
	return labels, sums
}

func TestThePromisedSeriesAreThere(t *testing.T) {
	labels, _ := gather(t, used())
	for name, want := range promised {
		got, ok := labels[name]
		if !ok {
			t.Errorf("%s is missing", name)
		} else if !slices.Equal(got, want) {
			t.Errorf("%s has the labels %q, want %q", name, got, want)
		}
	}
}

func TestTheProgramTellsOfItself(t *testing.T) {
	labels, _ := gather(t, New())
	for _, name := range []string{"go_goroutines", "go_memstats_heap_alloc_bytes", "process_start_time_seconds"} {
		if _, ok := labels[name]; !ok {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestTwoEnginesDoNotCountTogether(t *testing.T) {
	one, other := New(), New()
	one.Recovered.Add(3)
	other.Recovered.Add(4)
	for m, want := range map[*Metrics]float64{one: 3, other: 4} {
		if _, sums := gather(t, m); sums["bot_events_recovered_total"] != want {
			t.Errorf("counted %v, want %v", sums["bot_events_recovered_total"], want)
		}
	}
}

func TestGaugesAreAskedTogetherWhenTheyAreRead(t *testing.T) {
	m := New()
	now, asked := []float64{3, 4}, 0
	m.Gauges([]Gauge{{"backlog_events", "Events waiting."}, {"dead_letters", "Given up."}}, func() ([]float64, error) {
		asked++
		return now, nil
	})
	for range 2 {
		asked = 0
		_, sums := gather(t, m)
		if sums["bot_backlog_events"] != now[0] || sums["bot_dead_letters"] != now[1] || asked != 1 {
			t.Errorf("reads %v, asked %d times", sums, asked)
		}
		now = []float64{5, 6}
	}
}

func TestWhatCannotBeReadIsNotNought(t *testing.T) {
	m := New()
	m.Gauges([]Gauge{{"backlog_events", "Events waiting."}}, func() ([]float64, error) { return nil, errors.New("broken") })
	m.Sent.WithLabelValues("shop", "send_text").Inc()
	families, err := m.Registry.Gather()
	if err == nil {
		t.Error("the failure is not told")
	}
	seen := map[string]bool{}
	for _, f := range families {
		seen[f.GetName()] = true
	}
	if seen["bot_backlog_events"] || !seen["bot_commands_sent_total"] {
		t.Errorf("shows %v", seen)
	}
}

func TestSecondsReachFromHalfAMillisecondToAMinute(t *testing.T) {
	m := New()
	m.Ack.Observe(0.0004)
	m.Ack.Observe(59)
	m.Ack.Observe(600)
	families, err := m.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() != "bot_ack_seconds" {
			continue
		}
		h := f.Metric[0].Histogram
		first, last := h.Bucket[0].GetCumulativeCount(), h.Bucket[len(h.Bucket)-1].GetCumulativeCount()
		if first != 1 || last != 2 || h.GetSampleCount() != 3 {
			t.Errorf("the first bucket has %d, the last %d of %d", first, last, h.GetSampleCount())
		}
		return
	}
	t.Error("no histogram")
}

func TestGaugesOfAccountsAreThoseOfNow(t *testing.T) {
	m := New()
	accounts := map[string][]float64{"shop": {0.5, 1}, "club": {1, 0}}
	m.AccountGauges([]Gauge{{"account_pace_ratio", "Share."}, {"account_pace_state", "State."}}, func() map[string][]float64 { return accounts })
	read := func() map[string]float64 {
		families, err := m.Registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]float64{}
		for _, f := range families {
			if strings.HasPrefix(f.GetName(), "bot_account_") {
				for _, one := range f.Metric {
					seen[f.GetName()+" "+one.Label[0].GetValue()] = one.GetGauge().GetValue()
				}
			}
		}
		return seen
	}
	want := map[string]float64{
		"bot_account_pace_ratio shop": 0.5, "bot_account_pace_state shop": 1, "bot_account_pace_ratio club": 1, "bot_account_pace_state club": 0,
	}
	if got := read(); !maps.Equal(got, want) {
		t.Errorf("reads %v, want %v", got, want)
	}
	accounts = map[string][]float64{"club": {0.25, 3}}
	want = map[string]float64{"bot_account_pace_ratio club": 0.25, "bot_account_pace_state club": 3}
	if got := read(); !maps.Equal(got, want) {
		t.Errorf("after an account went: %v, want %v", got, want)
	}
}
