package cli_test

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"bot/store/boltstore"
)

var (
	soakFor  = flag.Duration("soak.for", 0, "how long the soak test goes on; it is skipped without (30m is a good figure)")
	soakRate = flag.Int("soak.rate", 0, "messages per second of the soak test; 0 = half of what the machine can do")
)

const (
	// soakWindow is the shortest dedup window that a configuration may ask
	// for: it makes slices of five seconds.
	soakWindow = time.Minute
	soakSlice  = soakWindow / 12
	soakLives  = 10
	// soakJudged is the length of a run from which on its slopes mean something.
	soakJudged = 10 * time.Minute
)

const soakConfig = `
[server]
listen = "%[1]s:0"
[admin]
listen = "%[1]s:0"
[queue]
max_commit_wait = "10s"
[dedup]
window = "1m"
[log]
level = "warn"
[[account]]
name = "shop"
channel = "generic"
path = "/in"
base_url = "http://%[2]s"
` + dialogues

// soakLine is a user's i-th message, from 1, and the one right answer to it:
// two that are counted, then a form of three.
func soakLine(i int) (text, answer string) {
	switch i % 5 {
	case 3:
		return "start", "Q1"
	case 4:
		return fmt.Sprint("a", i), "Q2"
	case 0:
		return fmt.Sprint("b", i), fmt.Sprintf("END a%d b%d", i-1, i)
	default:
		return fmt.Sprint("n", i), fmt.Sprint("r", i)
	}
}

// TestSoak is the engine at half load for long, with a graceful or a hard end
// every tenth of the time: nothing grows, nothing is lost, doubled or out of
// order.
func TestSoak(t *testing.T) {
	if *soakFor == 0 {
		t.Skip("the soak test runs on demand: -soak.for=30m -timeout 60m")
	}
	rate := *soakRate
	if rate == 0 {
		rate = soakCapacity(t) / 2
		t.Logf("half of the capacity: %d messages per second", rate)
	}
	s := newSoak(t, rate)
	look := &scene{client: s.client, address: s.platform.address}
	machine := look.yardstick()
	for n := range soakLives {
		s.live(n, time.Now().Add(*soakFor/soakLives))
	}
	s.load.leave()
	s.drained()
	if code := s.p.stop(t); code != 0 {
		t.Errorf("the last stop: exit %d", code)
	}
	bare := machine()
	s.load.judge(s.platform)
	s.report()
	s.judgeAcks(bare)
	s.judgeLeaks()
	s.judgeFile()
	s.judgeSlices()
	s.judgeSlope("resident memory", func(l soakLife) float64 { return l.resident })
	s.judgeSlope("living heap", func(l soakLife) float64 { return l.living })
	checkFile(t, filepath.Join(s.dir, "bot.db"))
}

// soakCapacity is how many messages per second the whole chain does when the
// senders do not wait, measured on a store of its own.
func soakCapacity(t *testing.T) int {
	const long = 4 * time.Second
	s := newSoak(t, math.MaxInt32)
	s.begin()
	s.load.meet(s.p)
	began := time.Now()
	time.Sleep(long)
	s.load.leave()
	s.drained()
	n := s.platform.total()
	s.p.stop(t)
	return int(float64(n) / time.Since(began).Seconds())
}

// soak is one engine through its lives.
type soak struct {
	t        *testing.T
	dir      string
	config   string
	began    time.Time
	platform *soakPlatform
	load     *soakLoad
	p        *process
	client   *http.Client
	lives    []soakLife
	files    []soakPoint // size over time
	ids      float64     // remembered when it was last looked
	sweeps   int         // times that they were seen to have become fewer
}

type soakPoint struct {
	at    time.Duration // since the beginning
	value float64
}

// soakLife is one life of the process, looked at at the same ages as all others.
type soakLife struct {
	began, took      time.Duration
	end              string
	messages         int
	p99              time.Duration
	resident, living float64 // means of the second half of the life, MiB
	// Before the end, with nothing going on: goroutines, those that are kept
	// for work apart, and open descriptors.
	goroutines, idle, files int
	ids, size               float64 // at the end
}

func newSoak(t *testing.T, rate int) *soak {
	platform := newSoakPlatform(t)
	dir := t.TempDir()
	s := &soak{
		t: t, dir: dir, began: time.Now(), platform: platform,
		config: write(t, dir, "bot.toml", fmt.Sprintf(soakConfig, home(), platform.address)),
		client: &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}},
	}
	s.load = newSoakLoad(t, rate)
	return s
}

// begin starts a life and waits until it takes callbacks. Its log is at warn,
// as a busy engine's should be, so that the file beside the store tells where
// it is.
func (s *soak) begin() {
	s.t.Helper()
	p, _ := launch(s.t, s.config)
	s.t.Cleanup(p.kill)
	for end := time.Now().Add(patience); ; time.Sleep(2 * time.Millisecond) {
		run, err := boltstore.ReadRun(filepath.Join(s.dir, "bot.db"))
		if err == nil && run.PID == p.cmd.Process.Pid && run.Callback != "" {
			p.callback, p.admin = run.Callback, run.Admin
			s.p = p
			return
		}
		if time.Now().After(end) {
			s.t.Fatalf("the engine is not ready: %v", p.tail())
		}
	}
}

// live is one life, from the start to a look at rest, and its end.
func (s *soak) live(n int, until time.Time) {
	life := soakLife{began: time.Since(s.began)}
	if s.p == nil {
		s.begin()
		s.load.meet(s.p)
	}
	began := time.Now()
	half := began.Add(time.Until(until) / 2)
	var samples, resident, living float64
	for time.Now().Before(until) {
		time.Sleep(time.Second)
		m := s.page()
		s.files = append(s.files, soakPoint{time.Since(s.began), m["bot_store_bytes"]})
		if m["bot_dedup_keys"] < s.ids {
			s.sweeps++
		}
		s.ids = m["bot_dedup_keys"]
		if time.Now().After(half) {
			samples++
			resident += mib(anonymous(s.t, s.p))
			living += m["go_memstats_next_gc_bytes"] / 5 / (1 << 20) // GOGC 400
		}
	}
	life.resident, life.living = resident/samples, living/samples
	life.took = time.Since(began)

	s.pause(&life)
	if n == soakLives-1 {
		life.end = "last"
	} else {
		life.end = s.restart(n%2 == 1)
	}
	s.lives = append(s.lives, life)
	s.t.Logf("life %d: %+v", n, life)
}

// pause looks at the life while nothing happens in it.
func (s *soak) pause(life *soakLife) {
	s.t.Helper()
	defer s.load.hush()()
	s.drained()
	life.goroutines, life.idle, life.files = s.rest()
	m := s.page()
	life.ids, life.size = m["bot_dedup_keys"], m["bot_store_bytes"]/(1<<20)
	life.messages, life.p99 = s.load.chapter()
}

// restart ends the life under load, one way or the other, and begins the next.
func (s *soak) restart(hard bool) (how string) {
	time.Sleep(500 * time.Millisecond) // so that it is under load
	if how = "stop"; hard {
		how = "kill -9"
		s.p.kill()
		s.platform.killed()
	} else if code := s.p.stop(s.t); code != 0 {
		s.t.Errorf("stop: exit %d, %v", code, s.p.tail())
	}
	s.begin()
	s.load.meet(s.p)
	return how
}

func (s *soak) page() page {
	s.t.Helper()
	look := &scene{client: s.client}
	m, err := look.page(s.p)
	if err != nil {
		s.t.Fatalf("%v; %v", err, s.p.tail())
	}
	return m
}

func (s *soak) drained() {
	s.t.Helper()
	look := &scene{t: s.t, client: s.client}
	look.drained(s.p)
}

// rest counts goroutines and descriptors while nothing is going on and nobody
// is connected, once they do not change any more. Goroutines that are kept for
// the next turn or send are counted apart: there are as many as were ever busy
// together, which chance decides and the configuration bounds.
func (s *soak) rest() (goroutines, idle, files int) {
	s.t.Helper()
	s.load.hangUp()
	s.platform.hangUp()
	for same := 0; same < 5; time.Sleep(20 * time.Millisecond) {
		open, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", s.p.cmd.Process.Pid))
		if err != nil {
			s.t.Fatal(err)
		}
		all, kept := s.goroutines()
		if same++; all-kept != goroutines || len(open) != files {
			goroutines, idle, files, same = all-kept, kept, len(open), 0
		}
	}
	return goroutines, idle, files
}

// goroutines counts all, and those that are kept for work.
func (s *soak) goroutines() (all, kept int) {
	s.t.Helper()
	resp, err := s.client.Get("http://" + s.p.admin + "/debug/pprof/goroutine?debug=1")
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	n := 0 // with the stack that is being read
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if count, _, head := strings.Cut(lines.Text(), " @ "); head {
			if n, err = strconv.Atoi(count); err != nil {
				s.t.Fatal(err)
			}
			all += n
		}
		if strings.Contains(lines.Text(), "warm.(*Crew).work") {
			kept += n
			n = 0 // counted
		}
	}
	if err := lines.Err(); err != nil || all == 0 {
		s.t.Fatalf("%d goroutines, %v", all, err)
	}
	return all, kept
}
