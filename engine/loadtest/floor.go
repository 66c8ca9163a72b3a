package loadtest

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/BurntSushi/toml"
)

// Floor is what one figure of a report must not fall below, or exceed. Figures
// are those of ratios and medians: absolute ones belong to one machine.
type Floor struct {
	Scenario string  `toml:"scenario"`
	Group    string  `toml:"group"`
	Server   string  `toml:"server"` // "" = the engine
	Figure   string  `toml:"figure"`
	To       string  `toml:"to"` // of a ratio: the server it is taken to; "" = the group's first
	Least    float64 `toml:"least"`
	Most     float64 `toml:"most"`
	Goal     float64 `toml:"goal"` // what is aimed at; only shown
}

// ReadFloors reads a TOML file of [[floor]] tables and tells everything that is
// wrong with it.
func ReadFloors(path string) ([]Floor, error) {
	var file struct {
		Floor []Floor `toml:"floor"`
	}
	meta, err := toml.DecodeFile(path, &file)
	if err != nil {
		return nil, fmt.Errorf("read floors %s: %w", path, err)
	}
	var errs []error
	for _, key := range meta.Undecoded() {
		errs = append(errs, fmt.Errorf("unknown key %q", key))
	}
	for i := range file.Floor {
		f := &file.Floor[i]
		if f.Server == "" {
			f.Server = engineName
		}
		switch {
		case (f.Least > 0) == (f.Most > 0):
			errs = append(errs, fmt.Errorf("%s: give either least or most", f))
		case figures[f.Figure] == nil:
			errs = append(errs, fmt.Errorf("%s: there is no such figure (there are: %s)", f, strings.Join(figureNames(), ", ")))
		case !slices.Contains(Scenarios(), f.Scenario):
			errs = append(errs, fmt.Errorf("%s: there is no scenario %q", f, f.Scenario))
		}
	}
	if len(file.Floor) == 0 {
		errs = append(errs, errors.New("there is no [[floor]]"))
	}
	if len(errs) > 0 {
		return nil, fmt.Errorf("read floors %s: %w", path, errors.Join(errs...))
	}
	return file.Floor, nil
}

func (f *Floor) String() string {
	s := f.Scenario + " · " + f.Group + " · " + f.Server + " · " + f.Figure
	if f.To != "" {
		s += " to " + f.To
	}
	return s
}

// figures are the numbers of a row that a floor can name; ok is false where the
// row does not have it.
var figures = map[string]func(r *Row, to string) (v float64, ok bool){
	"ratio": func(r *Row, to string) (float64, bool) {
		for i, x := range r.Ratios {
			if x.To == to || to == "" && i == 0 {
				return x.Median, true
			}
		}
		return 0, false
	},
	"answer p50 above bare, F":  inSyncs(func(s *Syncs) float64 { return s.AckP50 }),
	"answer p99, F":             inSyncs(func(s *Syncs) float64 { return s.AckP99 }),
	"to platform p50, F":        inSyncs(func(s *Syncs) float64 { return s.WayP50 }),
	"to platform p99, F":        inSyncs(func(s *Syncs) float64 { return s.WayP99 }),
	"answer p99, ms":            ofMedian(func(s *Sample) float64 { return s.Ack.P99 }),
	"device bytes":              ofMedian(func(s *Sample) float64 { return s.Device }),
	"seconds to listening":      ofMedian(func(s *Sample) float64 { return s.Ready }),
	"commit time, end to begin": ofMedian(func(s *Sample) float64 { return s.Growth }),
	"file to live data":         ofMedian(func(s *Sample) float64 { return s.FileToLive }),
	"bytes each":                ofMedian(func(s *Sample) float64 { return s.BytesEach }),
}

func inSyncs(f func(*Syncs) float64) func(*Row, string) (float64, bool) {
	return func(r *Row, _ string) (float64, bool) {
		if r.Syncs == nil {
			return 0, false
		}
		return f(r.Syncs), true
	}
}

func ofMedian(f func(*Sample) float64) func(*Row, string) (float64, bool) {
	return func(r *Row, _ string) (float64, bool) {
		v := f(&r.Median)
		return v, v != 0
	}
}

func figureNames() []string {
	var names []string
	for name := range figures {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Verdict is a floor and what was measured.
type Verdict struct {
	Floor
	Measured float64
	Absent   bool // it was not measured, which is no better than falling short
}

// Held tells whether the figure keeps to its floor.
func (v *Verdict) Held() bool {
	return !v.Absent && (v.Least > 0 && v.Measured >= v.Least || v.Most > 0 && v.Measured <= v.Most)
}

// Judge sets the report against floors.
func (r *Report) Judge(floors []Floor) []Verdict {
	var out []Verdict
	for _, f := range floors {
		v := Verdict{Floor: f, Absent: true}
		if row := r.row(f.Scenario, f.Group, f.Server); row != nil {
			n, ok := figures[f.Figure](row, f.To)
			v.Measured, v.Absent = n, !ok
		}
		out = append(out, v)
	}
	return out
}

func (r *Report) row(scenario, group, server string) *Row {
	for _, s := range r.Scenarios {
		for _, g := range s.Groups {
			for i := range g.Rows {
				if s.Name == scenario && g.Name == group && g.Rows[i].Name == server {
					return &g.Rows[i]
				}
			}
		}
	}
	return nil
}

// PrintVerdicts writes the verdicts as a table, and tells whether all are held.
func PrintVerdicts(w io.Writer, verdicts []Verdict) (held bool, err error) {
	held = true
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "\nfigure\tmeasured\tfloor\tgoal\t")
	for i := range verdicts {
		v := &verdicts[i]
		floor, measured, word := fmt.Sprintf(">= %g", v.Least), fmt.Sprintf("%.3g", v.Measured), ""
		if v.Most > 0 {
			floor = fmt.Sprintf("<= %g", v.Most)
		}
		if v.Absent {
			measured = "-"
		}
		if !v.Held() {
			held, word = false, "NOT HELD"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\n", &v.Floor, measured, floor, dashed(v.Goal, "%g"), word)
	}
	return held, t.Flush()
}
