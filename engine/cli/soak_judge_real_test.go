package cli_test

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
	"time"
)

// report prints the table.
func (s *soak) report() {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "life\tlong\tended by\tmessages\tack p99\tresident MiB\tliving MiB\tgoroutines\tkept\tdescriptors\tids\tfile MiB\t")
	for n, l := range s.lives {
		fmt.Fprintf(w, "%d\t%v\t%s\t%d\t%v\t%.1f\t%.1f\t%d\t%d\t%d\t%.0f\t%.1f\t\n", n, l.took.Round(time.Second), l.end,
			l.messages, l.p99.Round(10*time.Microsecond), l.resident, l.living, l.goroutines, l.idle, l.files, l.ids, l.size)
	}
	w.Flush()
	s.t.Logf("%v at %d messages per second, dedup window %v in slices of %v\n%s", *soakFor, s.load.rate, soakWindow, soakSlice, &out)
}

// judgeAcks allows for a machine on which even a bare handler is slow.
func (s *soak) judgeAcks(bare time.Duration) {
	p99, bound := quantile(s.load.all, 0.99), max(100*time.Millisecond, 10*bare)
	s.t.Logf("acknowledgements: p50 %v, p99 %v, at most %v; a bare handler meanwhile: p99 %v", quantile(s.load.all, 0.5), p99, bound, bare)
	if p99 > bound {
		s.t.Error("acknowledgements took too long")
	}
}

// judgeLeaks compares the lives at their ends, when they are of one age.
func (s *soak) judgeLeaks() {
	const most = 5
	first := s.lives[0]
	for n, l := range s.lives {
		if d := l.goroutines - first.goroutines; d > most || d < -most {
			s.t.Errorf("life %d: %d goroutines at rest, %d in the first life", n, l.goroutines, first.goroutines)
		}
		if d := l.files - first.files; d > most || d < -most {
			s.t.Errorf("life %d: %d descriptors at rest, %d in the first life", n, l.files, first.files)
		}
	}
}

// judgeFile expects the file to have its size when three windows have passed.
func (s *soak) judgeFile() {
	var plateau, later float64
	for _, f := range s.files {
		if f.at <= 3*soakWindow {
			plateau = max(plateau, f.value)
		} else {
			later = max(later, f.value)
		}
	}
	s.t.Logf("file: at most %.1f MiB within three windows, %.1f MiB later", plateau/(1<<20), later/(1<<20))
	if later > 1.1*plateau {
		s.t.Error("the file goes on growing")
	}
}

// judgeSlices expects that the dedup slices were dropped when their time had
// come, so that the rest means something.
func (s *soak) judgeSlices() {
	messages := 0
	for _, l := range s.lives {
		messages += l.messages
	}
	dropped := (float64(messages) - s.lives[len(s.lives)-1].ids) / float64(messages) * float64(*soakFor/soakSlice)
	s.t.Logf("dedup: about %.0f of %d slices dropped, in %d sweeps", dropped, int(*soakFor/soakSlice), s.sweeps)
	if least := float64((*soakFor - 3*soakWindow) / soakSlice); dropped < least {
		s.t.Errorf("at least %.0f should have been", least)
	}
}

// judgeSlope draws a line through the means of the lives that began when two
// windows had passed. What a line through so few points says is known only as
// well as its standard error: the slope is too steep when all of it within twice
// that is.
func (s *soak) judgeSlope(what string, of func(soakLife) float64) {
	var x, y []float64
	for _, l := range s.lives {
		if l.began >= 2*soakWindow {
			x, y = append(x, (l.began+l.took*3/4).Hours()), append(y, of(l))
		}
	}
	if len(x) < 3 {
		s.t.Logf("%s: %d lives after the warm-up, too few for a slope", what, len(x))
		return
	}
	slope, unsure := regression(x, y)
	s.t.Logf("%s: %+.2f MiB/h ± %.2f after the warm-up, over %d lives", what, slope, unsure, len(x))
	if *soakFor >= soakJudged && slope-2*unsure > 1 {
		s.t.Errorf("%s grows by more than 1 MiB/h", what)
	}
}

// regression is the slope of the line of least squares and its standard error.
func regression(x, y []float64) (slope, unsure float64) {
	n := float64(len(x))
	var sx, sy, sxx, sxy float64
	for i := range x {
		sx, sy = sx+x[i], sy+y[i]
	}
	mx, my := sx/n, sy/n
	for i := range x {
		sxx, sxy = sxx+(x[i]-mx)*(x[i]-mx), sxy+(x[i]-mx)*(y[i]-my)
	}
	slope = sxy / sxx
	var rest float64
	for i := range x {
		d := y[i] - my - slope*(x[i]-mx)
		rest += d * d
	}
	return slope, math.Sqrt(rest / (n - 2) / sxx)
}
