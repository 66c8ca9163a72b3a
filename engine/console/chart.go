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

// chart draws series into one picture with one scale; the first is the one whose
// value is told.
func (s *Samples) chart(name string, show func(float64) string, series ...string) Chart {
	c := Chart{Name: name, Now: show(0), Most: show(0)}
	most := 0.0
	var all [][]float64
	for i, id := range series {
		values := s.of(id)
		all = append(all, values)
		for _, v := range values {
			most = max(most, v)
		}
		if n := len(values); n > 0 && i == 0 {
			c.Now = show(values[n-1])
		}
	}
	c.Most = show(most)
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
