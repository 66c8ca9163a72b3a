package console

import (
	"slices"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

func TestWhatIsDrawnIsWhatIsSampled(t *testing.T) {
	metrics := prometheus.NewRegistry()
	received := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "bot_events_received_total"}, []string{"account"})
	backlog := prometheus.NewGauge(prometheus.GaugeOpts{Name: "bot_backlog_events"})
	ack := prometheus.NewHistogram(prometheus.HistogramOpts{Name: "bot_ack_seconds", Buckets: []float64{1, 2, 4}})
	metrics.MustRegister(received, backlog, ack, prometheus.NewGauge(prometheus.GaugeOpts{Name: "bot_oldest_event_seconds"}))
	s := NewSamples(metrics)
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	s.take(now)
	received.WithLabelValues("a").Add(20)
	received.WithLabelValues("b").Add(30)
	backlog.Set(7)
	for range 98 {
		ack.Observe(0.5)
	}
	ack.Observe(3)
	ack.Observe(3)
	s.take(now.Add(5 * time.Second))
	for series, want := range map[string][]float64{
		"bot_events_received_total": {10}, "bot_backlog_events": {0, 7}, "bot_ack_seconds/50": {0.5}, "bot_ack_seconds/99": {3},
	} {
		if got := s.of(series); !slices.Equal(got, want) {
			t.Errorf("%s is %v, want %v", series, got, want)
		}
	}
	drawn := 0
	for _, p := range pictures {
		for _, series := range p.series {
			if drawn++; len(s.of(series)) == 0 {
				t.Errorf("%s is drawn and not sampled", series)
			}
		}
	}
	if len(s.series) != drawn {
		t.Errorf("%d series are kept, and %d drawn", len(s.series), drawn)
	}
}
