package console

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Chart is a small picture of a series over the last hour, drawn as lines in a box of
// 240 by 48.
type Chart struct {
	Name  string // the key of its title
	Now   string // the last value, for people
	Most  string // the largest
	Lines []Line
}

// Line is the points of one series as SVG wants them, and which it is.
type Line struct{ Points, Class string }

const chartWidth, chartHeight = 240.0, 48.0

// picture is what a chart shows: series with one scale, of which the value of the
// first is told.
type picture struct {
	name   string // the key of its title
	show   func(float64) string
	series []string
}

// pictures are those of the first page; what they show is what is sampled. Counters
// are shown as a rate, the sum of all their series; gauges as they stand; histograms,
// with a percentile behind their name, by that of the time since the last sample.
var pictures = []picture{
	{"chart.received", perSecond, []string{"bot_events_received_total", "bot_events_handled_total"}},
	{"chart.sent", perSecond, []string{"bot_commands_sent_total", "bot_commands_failed_total"}},
	{"chart.ack", seconds, []string{"bot_ack_seconds/50", "bot_ack_seconds/99"}},
	{"chart.wait", seconds, []string{"bot_queue_wait_seconds/50", "bot_queue_wait_seconds/99"}},
	{"chart.events", count, []string{"bot_backlog_events"}},
	{"chart.commands", count, []string{"bot_backlog_commands"}},
}

// chart draws a picture.
func (s *Samples) chart(p picture) Chart {
	c := Chart{Name: p.name, Now: p.show(0), Most: p.show(0)}
	most := 0.0
	var all [][]float64
	for i, id := range p.series {
		values := s.of(id)
		all = append(all, values)
		for _, v := range values {
			most = max(most, v)
		}
		if n := len(values); n > 0 && i == 0 {
			c.Now = p.show(values[n-1])
		}
	}
	c.Most = p.show(most)
	for i, values := range all {
		c.Lines = append(c.Lines, Line{points(values, most), "line" + strconv.Itoa(i)})
	}
	return c
}

// points puts values into the box, the last one at its right edge.
func points(values []float64, most float64) string {
	if most == 0 {
		most = 1
	}
	var b strings.Builder
	for i, v := range values {
		x := chartWidth - float64(len(values)-1-i)*chartWidth/(sampleKeeps-1)
		y := chartHeight - 1 - v/most*(chartHeight-2)
		fmt.Fprintf(&b, "%.1f,%.1f ", x, y)
	}
	return strings.TrimSpace(b.String())
}

func perSecond(v float64) string {
	if v >= 100 {
		return fmt.Sprintf("%.0f/s", v)
	}
	return fmt.Sprintf("%.1f/s", v)
}

func count(v float64) string { return words{}.Num(int(v)) }

func seconds(v float64) string {
	d := time.Duration(v * float64(time.Second))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", v)
	}
	return fmt.Sprintf("%.1f ms", v*1000)
}
