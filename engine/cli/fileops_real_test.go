//go:build linux

package cli_test

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"bot/engine/stub"
)

// phase is a part of a life.
type phase string

const (
	creating phase = "create" // a start where there is no store
	starting phase = "start"  // one after a life that was killed with work in hand
	working  phase = "work"
	stopping phase = "stop"
)

var phasesOfALife = []phase{creating, starting, working, stopping}

// spot is what strikes are counted by.
type spot struct {
	phase      phase
	call, file string
	injury     string
}

func (s spot) String() string {
	return strings.Join([]string{string(s.phase), s.call, s.file, s.injury}, " ")
}

// injuries are what strace does at an operation.
var injuries = map[string]string{"kill": "signal=KILL", "EIO": "error=EIO", "ENOSPC": "error=ENOSPC"}

// strike is an injury of the nth operation at a spot. strace finds it by
// counting, for which it has another number.
type strike struct {
	spot
	nth, count int
}

// TestFileOperations kills the real program, or lets the call fail, at its file
// operations one by one, from the creation of its store to the last of its
// stop. No hook is in the program or its libraries: strace interferes. A sync
// that is made to fail does not happen; what it was for may be there later or
// not, and neither may cost an acknowledged message.
func TestFileOperations(t *testing.T) {
	t.Parallel()
	needStrace(t)
	recorded := record(t)
	strikes := plan(recorded)
	next := make(chan strike, len(strikes))
	for _, s := range strikes {
		next <- s
	}
	close(next)
	var mu sync.Mutex
	hits := make(map[spot]map[string]int) // by outcome
	var lanes sync.WaitGroup
	for range 4 {
		lanes.Go(func() {
			for s := range next {
				t.Run(fmt.Sprintf("%s %d", s.spot, s.nth), func(t *testing.T) {
					outcome := s.land(t)
					mu.Lock()
					defer mu.Unlock()
					if hits[s.spot] == nil {
						hits[s.spot] = make(map[string]int)
					}
					hits[s.spot][outcome]++
				})
			}
		})
	}
	lanes.Wait()
	// What four lanes beside each other did not meet is looked for once more alone.
	for _, s := range strikes {
		if never(hits[s.spot]) {
			t.Run(fmt.Sprintf("%s %d again", s.spot, s.nth), func(t *testing.T) { hits[s.spot][s.land(t)]++ })
		}
	}
	reportSpots(t, recorded, hits)
	for s, came := range hits {
		here := func(o fileOp) bool { return o.call == s.call && o.file == s.file }
		// While threads are at work, not every life makes the file grow.
		rare := (s.phase == starting || s.phase == working) && count(recorded[s.phase], here) == 1
		if never(came) && !rare {
			t.Errorf("%s: never hit", s)
		}
	}
}

func never(came map[string]int) bool { return len(came) == 1 && came[missed] > 0 }

// archived tells the files of recent intake and of the trace: they are written
// when there is time, so not in every life, and nothing is promised of them.
func archived(file string) bool {
	return strings.Contains(file, ".recent") || strings.Contains(file, ".trace")
}

func count(ops []fileOp, match func(fileOp) bool) (n int) {
	for _, o := range ops {
		if match(o) {
			n++
		}
	}
	return n
}

// missed is the outcome of a strike that met nothing.
const missed = "missed"

// land strikes until it meets its operation. It may miss: strace counts by
// thread, and threads share their work differently each time. Where it was in
// the last life is the best guess for the next.
func (s strike) land(t *testing.T) (outcome string) {
	t.Helper()
	for life := range 12 {
		if temporary(s.file) && life%4 == 3 {
			s.count = 1 + life/4
		}
		outcome, met, count := s.once(t)
		if met || t.Failed() {
			return outcome
		}
		s.count = cmp.Or(count, s.count)
	}
	return missed
}

// record lives lives with and without archives, each from a creation and after a
// death, and sorts their operations.
func record(t *testing.T) map[phase][]fileOp {
	t.Helper()
	sorted := make(map[phase][]fileOp)
	for _, archives := range []bool{false, true} {
		for _, first := range []phase{creating, starting} {
			l := newFileLife(t, archives)
			if first == starting {
				l.before()
			}
			l.live(l.begin(injection{}, true))
			l.idle(l.p)
			l.end()
			if code := l.p.cmd.ProcessState.ExitCode(); code != 0 {
				t.Fatalf("an undisturbed life ended with code %d: %v", code, l.p.tail())
			}
			l.sort(sorted, first)
		}
	}
	for _, p := range phasesOfALife {
		if len(sorted[p]) == 0 {
			t.Fatalf("no file operations seen at %s: that is no test", p)
		}
	}
	return sorted
}

// sort adds the operations of a life that began with first.
func (l *fileLife) sort(sorted map[phase][]fileOp, first phase) {
	for _, o := range fileOps(l.t, l.trace, l.p.cmd.Process.Pid, l.dir) {
		switch {
		case archived(o.file) != l.archives: // the other lives have it
		case o.at.Before(l.up):
			sorted[first] = append(sorted[first], o)
		case first == starting: // like that of the other life
		case o.at.Before(l.down):
			sorted[working] = append(sorted[working], o)
		default:
			sorted[stopping] = append(sorted[stopping], o)
		}
	}
}

// plan chooses what to do: every injury at each spot at least once, and of a
// start's and a stop's further operations there a kill at every third; with
// -crash.hits every injury at each of those, and so often at those of the work.
func plan(recorded map[phase][]fileOp) (strikes []strike) {
	for _, p := range phasesOfALife {
		seen := make(map[string]int)
		for _, o := range recorded[p] {
			seen[o.String()]++
			n := seen[o.String()]
			for _, injury := range slices.Sorted(maps.Keys(injuries)) {
				s := strike{spot{p, o.call, o.file, injury}, n, n}
				if p == creating || p == starting {
					s.count = o.nthAt(!temporary(o.file))
				}
				switch {
				case !s.possible():
				case n == 1,
					p == working && n <= min(*crashHits, 4),
					p != working && (*crashHits > 1 || injury == "kill" && n%3 == 0):
					strikes = append(strikes, s)
				}
			}
		}
	}
	return strikes
}

// possible leaves out what changes nothing on the disk, and what strace cannot
// be aimed at: a file whose name is random is among all the files and maps that
// a start opens.
func (s strike) possible() bool {
	switch s.call {
	case "pread64":
		return s.injury == "EIO"
	case "mmap":
		return s.injury != "kill" && !temporary(s.file)
	case "openat":
		return !temporary(s.file)
	}
	return true
}

// fileLife is a store from its creation on, and a life of the program that
// strace interferes with.
type fileLife struct {
	*scene
	p        *process
	trace    string
	archives bool
	up, down time.Time   // ready, and asked to stop; zero: it did not come to that
	over     time.Time   // when it was noticed that it had ended
	acked    int         // messages of one user
	mute     atomic.Bool // the platform takes nothing
}

// newFileLife has a life with archives or without. They are written beside the
// rest, whenever there is time: what strace counts by would not come in the same
// order twice.
func newFileLife(t *testing.T, archives bool) *fileLife {
	t.Helper()
	l := &fileLife{trace: filepath.Join(t.TempDir(), "trace"), archives: archives}
	keep := ""
	if !archives {
		keep = "[replay]\nkeep = \"0s\"\n[trace]\nkeep = \"0s\"\n"
	}
	l.scene = newScene(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		if l.mute.Load() {
			return &stub.Answer{Status: http.StatusServiceUnavailable}
		}
		return nil
	}}, "on_doubt = \"resend\"\n[account.retry]\nattempts = 20\nbackoff = \"10ms..50ms\"\n"+keep+realEcho)
	return l
}

// before is the life before: it takes a message that it cannot answer, and is
// killed.
func (l *fileLife) before() {
	l.t.Helper()
	l.mute.Store(true)
	defer l.mute.Store(false)
	p := start(l.t, l.config)
	l.said(p, "m1", "u", "t1")
	l.acked = 1
	l.until("it was handled", func() bool { st := l.state(p); return st.Events == 0 && st.Commands == 1 })
	p.kill()
}

// begin launches the program, under strace or not.
func (l *fileLife) begin(i injection, traced bool) (ready <-chan bool) {
	l.t.Helper()
	if traced {
		l.p, ready = launchTraced(l.t, l.config, l.trace, i)
	} else {
		l.p, ready = launch(l.t, l.config)
	}
	l.t.Cleanup(l.p.kill)
	return ready
}

// messages is how many a life is sent.
const messages = 3

// awaited tells whether the program took callbacks before it ended.
func (l *fileLife) awaited(ready <-chan bool) bool {
	l.t.Helper()
	select {
	case ok := <-ready:
		if ok {
			l.up = time.Now()
		}
		return ok
	case <-time.After(patience):
		l.t.Fatalf("neither ready nor dead: %v", l.p.tail())
	}
	return false
}

// live sends it messages for as long as it lives.
func (l *fileLife) live(ready <-chan bool) {
	l.t.Helper()
	defer func() {
		if !l.alive() {
			l.over = time.Now()
		}
	}()
	if l.up.IsZero() && !l.awaited(ready) {
		return
	}
	for l.acked < messages && l.alive() {
		l.utter()
	}
}

// end asks it to stop and waits until it has ended.
func (l *fileLife) end() {
	l.t.Helper()
	defer func() {
		if l.over.IsZero() {
			l.over = time.Now()
		}
	}()
	l.down = time.Now()
	l.p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-l.p.dead:
	case <-time.After(patience):
		l.t.Fatalf("no end: %v", l.p.tail())
	}
}

func (l *fileLife) alive() bool {
	select {
	case <-l.p.dead:
		return false
	default:
		return true
	}
}

// utter sends the next message, or the last one again, and gives its answer a
// moment to arrive, so that acts come one by one.
func (l *fileLife) utter() {
	status, _ := l.say(l.p, fmt.Sprint("m", l.acked+1), "u", fmt.Sprint("t", l.acked+1))
	switch status {
	case http.StatusOK:
		l.acked++
		for end := time.Now().Add(100 * time.Millisecond); time.Now().Before(end) && len(l.told()["u"]) < l.acked; {
			time.Sleep(time.Millisecond)
		}
	case 0, http.StatusServiceUnavailable, http.StatusInternalServerError:
		time.Sleep(20 * time.Millisecond)
	default:
		l.t.Errorf("status %d", status)
	}
}

// once lives a life in which one operation is struck, then one in which none
// is, and compares what was promised with what was done.
func (s strike) once(t *testing.T) (outcome string, met bool, count int) {
	t.Helper()
	l := newFileLife(t, archived(s.file))
	i := injection{call: s.call, file: fixed(l.dir, s.file), what: injuries[s.injury], count: s.count}
	switch s.phase {
	case creating:
		l.live(l.begin(i, true))
	case starting:
		l.before()
		if archived(s.file) {
			i.file += ".001" // the life before began the hour
		}
		l.live(l.begin(i, true))
	default:
		if !l.awaited(l.begin(injection{}, false)) {
			t.Fatalf("no life to strike at: %v", l.p.tail())
		}
		if s.phase == stopping {
			l.live(nil)
			l.idle(l.p)
		}
		attach(t, l.p, l.trace, i)
		l.live(nil)
	}
	alive := l.alive()
	if s.phase == working && alive {
		l.p.kill() // so that no orderly end repairs what was left undone
	}
	l.end()
	at, met, count := l.met(s)
	code := l.p.cmd.ProcessState.ExitCode()
	switch {
	case s.phase == working && alive, code == 0:
		outcome = "went on"
	case code == -1:
		outcome = "died"
	default:
		outcome = fmt.Sprint("exit ", code)
	}
	if met {
		s.judge(l, at, outcome)
	}
	l.again()
	return outcome, met, count
}

// met finds the operation that was struck, or what to count to for the one
// that should have been; 0 when it did not come to that.
func (l *fileLife) met(s strike) (at time.Time, ok bool, count int) {
	l.t.Helper()
	n := 0
	for _, o := range fileOps(l.t, l.trace, l.p.cmd.Process.Pid, l.dir) {
		early := l.up.IsZero() || o.at.Before(l.up)
		if o.call != s.call || o.file != s.file || early != (s.phase == creating || s.phase == starting) {
			continue
		}
		if o.nth == s.count {
			return o.at, true, s.count
		}
		if n++; n == s.nth {
			count = o.nth
		}
	}
	return at, false, count
}

// judge tells whether that may come of it. A store that cannot be sure any more
// of what is on the disk has to end, and at once.
func (s strike) judge(l *fileLife, at time.Time, outcome string) {
	l.t.Helper()
	vital := !slices.Contains([]string{"bot.db.hand", "bot.db.run"}, s.file) && !temporary(s.file) && slices.Contains([]string{"pwrite64", "fdatasync", "fsync", "ftruncate"}, s.call)
	want := []string{"went on", "exit 1"}
	switch {
	case s.injury == "kill":
		want = []string{"died"}
	case s.injury == "EIO" && vital:
		want = []string{"exit 1"}
	case archived(s.file), s.injury == "ENOSPC" && s.file == "bot.db.new-run":
		want = []string{"went on"}
	}
	if !slices.Contains(want, outcome) {
		l.t.Errorf("it %s, want one of %q: %v", outcome, want, l.p.tail())
	}
	if took := l.over.Sub(at); outcome == "exit 1" && took > prompt {
		l.t.Errorf("it took %v to end", took)
	}
}

// again begins a life that nothing happens to and expects everything to be
// there once and in order.
func (l *fileLife) again() {
	l.t.Helper()
	l.p = start(l.t, l.config)
	for l.acked < messages {
		l.utter()
	}
	l.idle(l.p)
	l.heard(map[string][]string{"u": counted(messages)})
	if n := len(l.told()); n != 1 {
		l.t.Errorf("%d users were told something, want one", n)
	}
	if left, err := filepath.Glob(l.store() + ".new-*"); err != nil || len(left) > 0 {
		l.t.Errorf("left beside the store: %v", left)
	}
	if code := l.p.stop(l.t); code != 0 {
		l.t.Errorf("stop: exit %d", code)
	}
	checkFile(l.t, l.store())
}

// reportSpots prints how many operations there are at each spot, what was done
// to them and what came of it.
func reportSpots(t *testing.T, recorded map[phase][]fileOp, hits map[spot]map[string]int) {
	t.Helper()
	var b strings.Builder
	for _, p := range phasesOfALife {
		left := make(map[string]int)
		for _, o := range recorded[p] {
			left[o.String()]++
		}
		for _, o := range recorded[p] {
			if left[o.String()] == 0 {
				continue // printed
			}
			fmt.Fprintf(&b, "\n%-6s %-10s %-14s %3d ", p, o.call, o.file, left[o.String()])
			left[o.String()] = 0
			for _, injury := range []string{"kill", "EIO", "ENOSPC"} {
				came := hits[spot{p, o.call, o.file, injury}]
				for _, outcome := range slices.Sorted(maps.Keys(came)) {
					fmt.Fprintf(&b, "  %s: %s %d", injury, outcome, came[outcome])
				}
			}
		}
	}
	t.Logf("operations, and what came of a strike at them:%s", &b)
}
