package loadtest

import (
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	story := func(live bool) string {
		var out strings.Builder
		p := newProgress(&out, live)
		p.begin("chain 1/2 · engine")
		for at := 50 * time.Millisecond; at <= 21*time.Second; at += 50 * time.Millisecond {
			p.during(at, Totals{Acked: 100, Delivered: 98, Waiting: 2}, []int{0, 1, 2})
		}
		p.end("chain 1/2 · engine: done")
		return out.String()
	}
	plain := story(false)
	if want := "chain 1/2 · engine · 10.0 s · 100 answered, 98 arrived, 2 waiting\n" +
		"chain 1/2 · engine · 20.0 s · 100 answered, 98 arrived, 2 waiting\n" +
		"chain 1/2 · engine: done\n"; plain != want {
		t.Errorf("in a log:\n%s", plain)
	}
	live := story(true)
	if n := strings.Count(live, "\r\x1b[K"); n < 100 || strings.Count(live, "\n") != 1 {
		t.Errorf("on a terminal the line is wiped %d times: %q", n, live[:200])
	}
	if !strings.HasSuffix(live, "2 waiting ▁▄█\r\x1b[Kchain 1/2 · engine: done\n") {
		t.Errorf("on a terminal it ends with %q", live[len(live)-120:])
	}
}

func TestALineInPlaceIsNeverBroken(t *testing.T) {
	var out strings.Builder
	newProgress(&out, true).begin(strings.Repeat("长", 300))
	if n := len([]rune(out.String())); n > liveWidth {
		t.Errorf("it has %d characters", n)
	}
}

func TestAMeasurementThatFailsLeavesNoLine(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, true)
	p.begin("x")
	p.clear()
	if !strings.HasSuffix(out.String(), "\r\x1b[K") {
		t.Errorf("%q is left", out.String())
	}
}
