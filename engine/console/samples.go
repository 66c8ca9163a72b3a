package console

import (
	"context"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// The pictures of the first page show an hour, a point for every few seconds.
const (
	sampleEvery = 5 * time.Second
	sampleKeeps = 720
)

// Samples looks at the engine's metrics now and then and keeps an hour of them. It
// is safe for concurrent use.
type Samples struct {
	source prometheus.Gatherer
	mu     sync.Mutex
	series map[string][]float64 // the oldest first
	last   map[string]*dto.MetricFamily
	lastAt time.Time
}

// NewSamples makes an empty hour.
func NewSamples(source prometheus.Gatherer) *Samples {
	return &Samples{source: source, series: make(map[string][]float64)}
}

// Run looks every few seconds until ctx is done, and returns nil.
func (s *Samples) Run(ctx context.Context) error {
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	s.take(time.Now())
	for {
		select {
		case now := <-tick.C:
			s.take(now)
		case <-ctx.Done():
			return nil
		}
	}
}

// take adds a sample. Metrics that cannot be gathered are a gap of one.
func (s *Samples) take(now time.Time) {
	families, err := s.source.Gather()
	if err != nil && len(families) == 0 {
		return
	}
	next := make(map[string]*dto.MetricFamily, len(families))
	for _, f := range families {
		next[f.GetName()] = f
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	span := now.Sub(s.lastAt).Seconds()
	for _, p := range pictures {
		for _, id := range p.series {
			s.sample(id, next, span)
		}
	}
	s.last, s.lastAt = next, now
}

// sample adds a point to one series. The first look gives one to what is shown as it
// stands alone.
func (s *Samples) sample(id string, next map[string]*dto.MetricFamily, span float64) {
	name, percentile, isHistogram := strings.Cut(id, "/")
	isCounter := strings.HasSuffix(name, "_total")
	if s.last == nil && (isHistogram || isCounter) {
		return
	}
	switch {
	case isHistogram:
		q, err := strconv.ParseFloat(percentile, 64)
		if err != nil {
			panic(err) // pictures are part of the program
		}
		s.add(id, quantile(q/100, buckets(s.last[name]), buckets(next[name])))
	case isCounter:
		s.add(id, max(0, total(next[name])-total(s.last[name]))/span)
	default:
		s.add(id, total(next[name]))
	}
}

func (s *Samples) add(name string, v float64) {
	all := append(s.series[name], v)
	s.series[name] = all[max(0, len(all)-sampleKeeps):]
}

// of returns a copy of one series, the oldest first.
func (s *Samples) of(name string) []float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]float64(nil), s.series[name]...)
}

// total sums the series of a counter or a gauge.
func total(f *dto.MetricFamily) (n float64) {
	for _, m := range f.GetMetric() {
		n += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return n
}

// bucket is how many observations there were of at most that.
type bucket struct{ most, count float64 }

func buckets(f *dto.MetricFamily) (all []bucket) {
	for _, m := range f.GetMetric() {
		h := m.GetHistogram()
		for i, b := range h.GetBucket() {
			if i == len(all) {
				all = append(all, bucket{most: b.GetUpperBound()})
			}
			all[i].count += float64(b.GetCumulativeCount())
		}
		if n := len(h.GetBucket()); n == len(all) {
			all = append(all, bucket{most: math.Inf(1)})
		}
		all[len(all)-1].count += float64(h.GetSampleCount())
	}
	return all
}

// quantile is that of the observations between two looks, at the middle of the
// bucket in which it lies; 0 where there were none.
func quantile(q float64, before, after []bucket) float64 {
	count := func(i int) float64 {
		n := after[i].count
		if len(before) == len(after) {
			n -= before[i].count
		}
		return n
	}
	if len(after) == 0 || count(len(after)-1) <= 0 {
		return 0
	}
	want, least := q*count(len(after)-1), 0.0
	for i, b := range after {
		if count(i) >= want {
			if math.IsInf(b.most, 1) {
				return least
			}
			return (least + b.most) / 2
		}
		least = b.most
	}
	return least
}
