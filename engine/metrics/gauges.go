package metrics

import "github.com/prometheus/client_golang/prometheus"

// Gauge is a number that is asked for when it is read.
type Gauge struct {
	Name, Help string // without the prefix bot_
}

// Gauges registers numbers that are read together: read returns one for each,
// in their order. When it fails they are missing from the page, so that what
// cannot be known does not look like nought.
func (m *Metrics) Gauges(all []Gauge, read func() ([]float64, error)) {
	g := &gauges{read: read}
	for _, one := range all {
		g.descs = append(g.descs, prometheus.NewDesc("bot_"+one.Name, one.Help, nil, nil))
	}
	m.Registry.MustRegister(g)
}

// AccountGauges registers numbers that every account has: read returns those of
// each, in their order, by its name.
func (m *Metrics) AccountGauges(all []Gauge, read func() map[string][]float64) {
	g := &accountGauges{read: read}
	for _, one := range all {
		g.descs = append(g.descs, prometheus.NewDesc("bot_"+one.Name, one.Help, []string{"account"}, nil))
	}
	m.Registry.MustRegister(g)
}

type accountGauges struct {
	descs []*prometheus.Desc
	read  func() map[string][]float64
}

// Describe implements prometheus.Collector.
func (g *accountGauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range g.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (g *accountGauges) Collect(to chan<- prometheus.Metric) {
	for account, values := range g.read() {
		for i, d := range g.descs {
			to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, values[i], account)
		}
	}
}

type gauges struct {
	descs []*prometheus.Desc
	read  func() ([]float64, error)
}

// Describe implements prometheus.Collector.
func (g *gauges) Describe(to chan<- *prometheus.Desc) {
	for _, d := range g.descs {
		to <- d
	}
}

// Collect implements prometheus.Collector.
func (g *gauges) Collect(to chan<- prometheus.Metric) {
	values, err := g.read()
	for i, d := range g.descs {
		if err != nil {
			to <- prometheus.NewInvalidMetric(d, err)
			continue
		}
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, values[i])
	}
}
