package cli_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// page is what /metrics shows: the value of each sample by its name and labels
// as they are printed.
type page map[string]float64

func (s *scene) page(p *process) (page, error) {
	resp, err := s.client.Get("http://" + p.admin + "/metrics")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("read metrics: %s", resp.Status)
	}
	m := make(page)
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		line := lines.Text()
		at := strings.LastIndexByte(line, ' ')
		if v, err := strconv.ParseFloat(line[at+1:], 64); err == nil && line[0] != '#' {
			m[line[:at]] = v
		}
	}
	return m, lines.Err()
}

// sum adds up the samples of one name that have all of these labels, each
// written name="value".
func (m page) sum(name string, labels ...string) (total float64) {
	for sample, v := range m {
		n, rest, _ := strings.Cut(sample, "{")
		missing := func(label string) bool { return !strings.Contains(rest, label) }
		if n == name && !slices.ContainsFunc(labels, missing) {
			total += v
		}
	}
	return total
}

// balance is guarantee G7 as the metrics show it: all that came in during this
// life of the process, and what became of it.
type balance struct {
	Recovered, Received, Replayed, Raised               float64
	Handled, Expired, Duplicate, Refused, Dead, Waiting float64
}

func (m page) balance() balance {
	return balance{
		Recovered: m.sum("bot_events_recovered_total"), Received: m.sum("bot_events_received_total"),
		Replayed: m.sum("bot_events_replayed_total"), Raised: m.sum("bot_expiries_raised_total"),
		Handled: m.sum("bot_events_handled_total"), Expired: m.sum("bot_expiries_total"),
		Duplicate: m.sum("bot_events_duplicate_total"), Refused: m.sum("bot_events_refused_total"),
		Dead: m.sum("bot_dead_letters_total", `what="event"`), Waiting: m.sum("bot_backlog_events"),
	}
}

// off is how many events are unaccounted for, below zero if some are twice.
func (b balance) off() float64 {
	return b.Recovered + b.Received + b.Replayed + b.Raised -
		b.Handled - b.Expired - b.Duplicate - b.Refused - b.Dead - b.Waiting
}

// audit expects the balance to be exact while nobody calls. The engine may be
// at work: a look that falls between a commit and its counter is off for a
// moment, so three looks in a row have to be right.
func (s *scene) audit(p *process) (b balance) {
	s.t.Helper()
	right := 0
	for end := time.Now().Add(patience); right < 3; time.Sleep(2 * time.Millisecond) {
		m, err := s.page(p)
		if err != nil {
			s.t.Fatal(err)
		}
		if b = m.balance(); b.off() == 0 {
			right++
			continue
		}
		if right = 0; time.Now().After(end) {
			s.t.Fatalf("%v events are unaccounted for: %+v", b.off(), b)
		}
	}
	return b
}

// drained waits until nothing is left to do, as long as it becomes less.
func (s *scene) drained(p *process) {
	s.t.Helper()
	least, since := math.MaxInt, time.Now()
	for ; time.Since(since) < patience; time.Sleep(5 * time.Millisecond) {
		st := s.state(p)
		left := st.Events + st.Commands
		if left == 0 {
			return
		}
		if left < least {
			least, since = left, time.Now()
		}
	}
	s.t.Fatalf("%d events and commands are left and become no less", least)
}

// anonymous is the memory in bytes that is the process's own: what it maps of
// files is the page cache's.
func anonymous(t testing.TB, p *process) int64 {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("this system does not tell what is resident")
	}
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		if rest, ok := bytes.CutPrefix(line, []byte("RssAnon:")); ok {
			kib, err := strconv.ParseInt(string(bytes.Fields(rest)[0]), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return kib << 10
		}
	}
	t.Skip("this system does not tell what is resident")
	return 0
}

// yardstick measures from now on how long the simplest request takes on this
// machine, which others may use as well. The func returned ends that and tells
// the p99.
func (s *scene) yardstick() (end func() time.Duration) {
	done, result := make(chan struct{}), make(chan time.Duration)
	go func() {
		var took []time.Duration
		for {
			at := time.Now()
			if resp, err := s.client.Get("http://" + s.address); err == nil {
				resp.Body.Close()
			}
			took = append(took, time.Since(at))
			select {
			case <-done:
				result <- quantile(took, 0.99)
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() time.Duration { close(done); return <-result }
}

// quantile is the least of the durations that the share q of them does not exceed.
func quantile(all []time.Duration, q float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)]
}

func mib(bytes int64) float64 { return float64(bytes) / (1 << 20) }
