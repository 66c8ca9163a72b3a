package cli_test

import (
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
)

var floodFor = flag.Duration("flood.for", 5*time.Second, "how long the flood of ten times the capacity goes on")

const (
	floodWorkers = 8
	floodTakes   = 60 * time.Millisecond // one event
	floodRate    = 10 * floodWorkers * int(time.Second/floodTakes)
	floodCallers = 48
	// floodBytes is what the texts of a flood hold together: several times
	// what the engine may keep of them in memory.
	floodBytes = 96 << 20
)

// What the engine may have in memory (guarantee G6) besides what it has idle:
// something for each event that waits and each id that is remembered, the
// store's cache of payloads, and what is in hand: requests, entries that are
// read ahead, and the batch of the commit, of which none grows with the load.
const (
	perEvent   = 200
	perKey     = 24
	cacheBytes = 32 << 20
	handBytes  = 24 << 20
	// The collector lets garbage grow to as much as what lives (GOGC 100).
	perLiving = 2
)

func memoryBound(idle int64, waiting, keys float64) int64 {
	return idle + perLiving*(int64(waiting*perEvent+keys*perKey)+cacheBytes+handBytes)
}

// TestTenTimesTheLoad floods the engine with ten times what its skill can do,
// by platforms that repeat as WeChat, Slack and Feishu do. The log takes it
// all: nobody is sent away or waits, memory keeps to its bound, nothing that was
// acknowledged is lost, even by a kill in the midst of it, and at any moment
// everything is accounted for.
func TestTenTimesTheLoad(t *testing.T) {
	s := newScene(t, stub.Options{}, "")
	s.configure(fmt.Sprintf(`
[queue]
workers = %d
attempts = 1
max_commit_wait = "10s" # a disk that stalls is not what this is about
[[skill]]
name = "slow"
match = "any"
poison = "-"
takes = %q
until = %[3]q
[[skill]]
name = "hangs"
keywords = ["hang"]
match = "prefix"
poison = "-"
hangs = "hang"
until = %[3]q
timeout = "200ms"
`, floodWorkers, floodTakes, s.dir+"/go"))
	program := poisonProgram(t)
	p, ready := launchProgram(t, program, s.config)
	await(t, p, ready)
	idle := anonymous(t, p)

	c := newCallers(t, p, 1)
	f := newDeluge(c)
	machine := s.yardstick()
	seen, peak, each := s.watch(p, f, idle)
	f.senders.Wait()
	bare := machine()
	full := s.audit(p)
	ids := full.Waiting + full.Handled + full.Dead
	t.Logf("flood of %v: %d acknowledged, %+v", *floodFor, c.total(), full)
	t.Logf("%v; a bare handler meanwhile: p99 %v", c, bare)
	t.Logf("memory: idle %.1f MiB, most %.1f MiB, bound %.1f MiB with %.0f events waiting",
		mib(idle), mib(peak), mib(memoryBound(idle, full.Waiting, ids)), full.Waiting)
	if *floodFor >= 30*time.Second {
		t.Logf("the living heap grew by %.0f bytes for each event that waited, its id included", each)
	}
	if full.Waiting < float64(c.total())/2 { // a slow machine floods for longer
		t.Errorf("%d acknowledged and only %.0f wait: that was no flood", c.total(), full.Waiting)
	}
	c.allTaken(bare)
	c.agrees(full)

	p.kill()
	p, ready = launchProgram(t, program, s.config)
	await(t, p, ready)
	seen.most(s.audit(p))
	if now, bound := anonymous(t, p), memoryBound(idle, full.Waiting, ids); now > bound {
		t.Errorf("%.1f MiB are resident after the recovery, at most %.1f are allowed", mib(now), mib(bound))
	}
	write(t, s.dir, "go", "")
	s.drained(p)
	if code, out, complaints := s.bot("dead", "replay", "-all"); code != 0 {
		t.Errorf("replay: exit %d, %s%s", code, out, complaints)
	}
	s.drained(p)
	seen.most(s.audit(p))
	seen.complete(t)
	c.answered(s)
}

// deluge is callers who do not wait for anybody: each calls at its times.
type deluge struct {
	*callers
	end     time.Time
	pad     string // makes a text long
	senders sync.WaitGroup
}

func newDeluge(c *callers) *deluge {
	each := floodBytes / max(1, floodRate*int(*floodFor/time.Second))
	f := &deluge{callers: c, end: time.Now().Add(*floodFor), pad: strings.Repeat("x", max(600, each))}
	for n := range floodCallers {
		f.senders.Go(func() { f.send(n) })
	}
	return f
}

// send posts the messages of four users, each user's in order, and now and then
// one that the skill hangs on, of a user of its own. Platforms repeat what they
// think was not answered: some a moment later, some at once.
func (f *deluge) send(n int) {
	m := []manner{wechat, slack, feishu}[n%3]
	var sent [4]int
	every := floodCallers * time.Second / time.Duration(floodRate)
	next := time.Now().Add(time.Duration(n) * every / floodCallers)
	for i := 0; next.Before(f.end); i++ {
		time.Sleep(time.Until(next))
		next = next.Add(every)
		k := i % len(sent)
		user := fmt.Sprintf("u%d-%d", n, k)
		word := fmt.Sprintf("t%d", sent[k]+1)
		if n%8 == 0 && i%50 == 3 {
			user, word = fmt.Sprintf("hang%d-%d", n, i), "hang"
		} else {
			sent[k]++
		}
		id, text := user+"/"+word, word+" "+f.pad
		var twin sync.WaitGroup
		if i%7 == 6 {
			twin.Go(func() { f.post(m, callback(id, user, text)) })
		}
		f.deliver(m, id, user, text)
		twin.Wait()
		if i%5 == 4 {
			f.post(m, callback(id, user, text))
		}
	}
}

// watch follows the flood to its end: the memory at all times, the accounts now
// and then. each is by how much the living heap grew for each event that waits,
// once the cache is full; in a short flood it never is.
func (s *scene) watch(p *process, f *deluge, idle int64) (seen balance, peak int64, each float64) {
	const audits = 6
	var waiting, living [audits]float64
	every := time.Until(f.end) / (audits + 1)
	for n := range audits {
		for next := f.end.Add(-every * time.Duration(audits-n)); time.Now().Before(next); time.Sleep(20 * time.Millisecond) {
			peak = max(peak, anonymous(s.t, p))
		}
		b := s.auditQuiet(p, f.callers)
		seen.most(b)
		if bound := memoryBound(idle, b.Waiting, b.Waiting+b.Handled+b.Dead); peak > bound {
			s.t.Errorf("%.1f MiB are resident with %v events waiting, at most %.1f are allowed", mib(peak), b.Waiting, mib(bound))
		}
		waiting[n], living[n] = b.Waiting, s.living(p)
	}
	const full, last = audits / 2, audits - 1
	return seen, peak, (living[last] - living[full]) / (waiting[last] - waiting[full])
}

// living is the heap in bytes that the last collection found in use.
func (s *scene) living(p *process) float64 {
	s.t.Helper()
	m, err := s.page(p)
	if err != nil {
		s.t.Fatal(err)
	}
	return m["go_memstats_next_gc_bytes"] / perLiving
}

// most keeps the larger of each.
func (b *balance) most(o balance) {
	for _, p := range []struct{ to, from *float64 }{
		{&b.Recovered, &o.Recovered}, {&b.Received, &o.Received}, {&b.Replayed, &o.Replayed},
		{&b.Handled, &o.Handled}, {&b.Duplicate, &o.Duplicate}, {&b.Dead, &o.Dead}, {&b.Waiting, &o.Waiting},
	} {
		*p.to = max(*p.to, *p.from)
	}
}

// complete expects that the audits met events of all these fates.
func (b *balance) complete(t *testing.T) {
	t.Helper()
	if min(b.Recovered, b.Received, b.Replayed, b.Handled, b.Duplicate, b.Dead, b.Waiting) == 0 {
		t.Errorf("of some fate there never was an event, that was no audit: %+v", *b)
	}
}

// TestAFullBacklogSendsAwayWhoComesBack: those who give up soon lose what was
// refused and only that, those who repeat for hours lose nothing.
func TestAFullBacklogSendsAwayWhoComesBack(t *testing.T) {
	t.Parallel()
	const backlog, each = 100, 200
	s := newScene(t, stub.Options{}, "")
	s.configure(fmt.Sprintf(`
[queue]
backlog = %d
max_commit_wait = "10s"
[[skill]]
name = "slow"
match = "any"
poison = "-"
until = %q
`, backlog, s.dir+"/go"))
	p, ready := launchProgram(t, poisonProgram(t), s.config)
	await(t, p, ready)
	c := newCallers(t, p, 2000)
	var brief, patient sync.WaitGroup
	for i := range each {
		brief.Go(func() { c.deliver(slack, fmt.Sprint("s", i), fmt.Sprint("s", i), "t1") })
		patient.Go(func() { c.deliver(feishu, fmt.Sprint("f", i), fmt.Sprint("f", i), "t1") })
	}
	brief.Wait()
	full := s.auditQuiet(p, c)
	if full.Waiting < backlog || full.Waiting > backlog+2*connections {
		t.Errorf("%v events wait, want %d, and at most the %d more that were at the door together", full.Waiting, backlog, 2*connections)
	}
	write(t, s.dir, "go", "")
	patient.Wait()
	s.drained(p)
	c.agrees(s.audit(p))
	t.Log(c)
	if c.lost["slack"] == 0 || c.lost["feishu"] != 0 {
		t.Errorf("given up: %v, want some of slack's and none of feishu's", c.lost)
	}
	c.answered(s)
}
