package loadtest

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
)

// The backlog's picture, in characters: of a line, and of several.
const (
	courseWidth   = 40
	pictureWidth  = 64
	pictureHeight = 5
)

// Print writes the report for people; terminal tells that w is one, which is drawn
// on with blocks instead of letters.
func (r *Report) Print(w io.Writer, terminal bool) error {
	p := &printer{w: w, bars: letter}
	if terminal {
		p.bars = blocks
	}
	p.line("bot %s · %s", r.Version, r.Machine)
	p.line("medians of %d rounds of %g s; ratios are taken within rounds (in brackets: lowest to highest)", r.Rounds, r.Seconds)
	for _, s := range r.Scenarios {
		p.line("\n== %s\n%s", s.Name, s.Says)
		for _, n := range s.Notes {
			p.line("(%s)", n)
		}
		for i := range s.Groups {
			p.group(&s.Groups[i], s.Name == profiles.name)
		}
	}
	return p.err
}

// printer remembers the first error, so that there is one place to look for it.
type printer struct {
	w    io.Writer
	bars []rune
	err  error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format+"\n", args...)
	}
}

func (p *printer) group(g *Group, pictured bool) {
	p.line("\n%s; F = %.3f ms", g.Name, g.Rows[0].Median.Sync)
	t := tabwriter.NewWriter(p.w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "server\tper s\tratio\tanswer ms\tto platform ms\tCPU µs\tdevice B\tfsyncs\tacts each\tMiB")
	fmt.Fprintln(t, "\t\t\tp50/p99/p99.9/max\tp50/p99/p99.9/max\t/event\t/event\t/event\t\t")
	for i := range g.Rows {
		fmt.Fprintln(t, strings.Join(cells(&g.Rows[i]), "\t"))
	}
	if err := t.Flush(); p.err == nil {
		p.err = err
	}
	for i := range g.Rows {
		for _, remark := range g.Rows[i].remarks() {
			p.line("%s: %s", g.Rows[i].Name, remark)
		}
		p.backlog(&g.Rows[i], pictured)
	}
}

// backlog draws how many events waited for their reply, over time.
func (p *printer) backlog(r *Row, pictured bool) {
	course := r.Median.Backlog
	switch {
	case len(course) == 0:
	case !pictured:
		p.line("%s: waiting %s at most %d", r.Name, sparkline(course, courseWidth, p.bars), slices.Max(course))
	default:
		p.line("%s: waiting for their reply, from the first callback to the last reply", r.Name)
		for _, row := range picture(course, watchEvery, pictureWidth, pictureHeight, p.bars) {
			p.line("  %s", row)
		}
	}
}

func cells(r *Row) []string {
	m := &r.Median
	ratio := ""
	if len(r.Ratios) > 0 {
		ratio = r.Ratios[0].String()
	}
	return []string{
		r.Name, number0(m.Rate), ratio, m.Ack.String(), m.Way.String(),
		number0(m.CPU), number0(m.Device), number2(m.Fsyncs), number2(m.Acts), number0(m.Resident),
	}
}

// remarks are what does not fit into the table, each a line.
func (r *Row) remarks() []string {
	var out []string
	if len(r.Ratios) > 1 {
		for _, x := range r.Ratios[1:] {
			out = append(out, fmt.Sprintf("%s of %s", x, x.To))
		}
	}
	if f := r.Syncs; f != nil {
		line := fmt.Sprintf("answer p50 = bare + %.1f F, p99 = %.1f F", f.AckP50, f.AckP99)
		if f.WayP50 > 0 {
			line += fmt.Sprintf("; to platform p50 = %.1f F, p99 = %.1f F", f.WayP50, f.WayP99)
		}
		out = append(out, line)
	}
	if x := r.Slower; x != nil {
		out = append(out, fmt.Sprintf("of %s: answer p50 %s, p99 %s; to platform p50 %s, p99 %s", x.AckP50.To, x.AckP50, x.AckP99, x.WayP50, x.WayP99))
	}
	m := &r.Median
	if m.Bulk > 0 {
		out = append(out, fmt.Sprintf("%.0f bulk commands per second reached the platform meanwhile", m.Bulk))
	}
	if m.BytesEach > 0 {
		out = append(out, fmt.Sprintf("%.1f bytes of heap each", m.BytesEach))
	}
	if m.Growth > 0 {
		out = append(out, fmt.Sprintf("a commit of the last tenth takes %.2f times as long as one of the first; the file is %.2f times what is in use of it",
			m.Growth, m.FileToLive))
	}
	if m.Ready > 0 {
		out = append(out, fmt.Sprintf("takes callbacks %.2f s after its start", m.Ready))
	}
	if m.Handled > 0 && !r.Replies {
		out = append(out, fmt.Sprintf("%.1f %% of the events were handled meanwhile", m.Handled*100))
	}
	if r.Replies && m.Acks > 0 {
		out = append(out, fmt.Sprintf("%.0f callbacks answered per second while they came", m.Acks))
	}
	if r.Replies {
		out = append(out, r.account())
	}
	if n := m.Totals.Stray + m.Malformed; n > 0 {
		out = append(out, fmt.Sprintf("%d requests to the platform that belong to no event", n))
	}
	out = append(out, m.misbehaviour()...)
	return append(out, r.failures()...)
}

// misbehaviour is what the platform and the sender did to the engine.
func (s *Sample) misbehaviour() []string {
	var out []string
	if p := s.Platform; p != (Platform{}) {
		out = append(out, fmt.Sprintf("the platform throttled %d requests, failed %d, hung up on %d", p.Throttled, p.Failed, p.HungUp))
	}
	if f := s.Sender; f != (Sender{}) {
		out = append(out, fmt.Sprintf("%d callbacks were told again (%d answers had not reached the sender), %d given up", f.Retold, f.Unheard, f.GaveUp))
	}
	if s.Dead > 0 {
		out = append(out, fmt.Sprintf("%d dead letters", s.Dead))
	}
	return out
}

// account is the loss check in one line.
func (r *Row) account() string {
	t := r.Median.Totals
	return fmt.Sprintf("of %d acknowledged events %d lost, %d doubled, %d out of order, %d repeated under the same key",
		t.Acked, r.lost(), t.Doubled, t.Disordered, t.Repeated)
}

// failures are answers that were no success, and requests without one.
func (r *Row) failures() []string {
	var out []string
	m := &r.Median
	for _, status := range slices.Sorted(maps.Keys(m.Statuses)) {
		if status != "200" {
			out = append(out, fmt.Sprintf("%d callbacks answered %s", m.Statuses[status], status))
		}
	}
	if m.Failed > 0 {
		out = append(out, fmt.Sprintf("%d callbacks without an answer (%s)", m.Failed, m.Failure))
	}
	if m.Others > 0.5 {
		out = append(out, fmt.Sprintf("others used %.1f cores meanwhile", m.Others))
	}
	return out
}

func (x Ratio) String() string { return fmt.Sprintf("%.2f (%.2f-%.2f)", x.Median, x.Min, x.Max) }

func (l Latency) String() string {
	if l.Max == 0 {
		return "-"
	}
	return short(l.P50) + "/" + short(l.P99) + "/" + short(l.P999) + "/" + short(l.Max)
}

// short shows three digits or all before the point.
func short(v float64) string {
	switch {
	case v >= 100:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func number0(v float64) string { return dashed(v, "%.0f") }

func number2(v float64) string { return dashed(v, "%.2f") }

// dashed shows what was not measured as a dash.
func dashed(v float64, format string) string {
	if v == 0 {
		return "-"
	}
	return fmt.Sprintf(format, v)
}
