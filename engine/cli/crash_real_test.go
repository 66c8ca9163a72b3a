package cli_test

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"
)

var crashHits = flag.Int("crash.hits", 1, "how often the crash matrix visits each of its cells")

// nap is how long something takes that takes its time: long next to what it
// usually takes, and short enough for every test run.
func nap() time.Duration {
	if *crashHits > 1 {
		return time.Second
	}
	return 300 * time.Millisecond
}

// prompt is how soon a process must be dead that has no choice.
const prompt = 2 * time.Second

// TestCrashMatrix has something happen before and after every act of the store,
// when the engine starts and stops, and around each request: the process is
// killed, a goroutine panics, the act is refused, its outcome becomes unknown,
// or it takes its time. After each, everybody's books are compared.
func TestCrashMatrix(t *testing.T) {
	t.Parallel()
	all := places()
	var mu sync.Mutex
	hits, visited := make(map[cell]int), 0
	next := make(chan place, len(all))
	for _, p := range all {
		next <- p
	}
	close(next)
	visit := func(p place) func(t *testing.T) {
		return func(t *testing.T) {
			c := newCrashes(t)
			c.live()
			for n := range *crashHits {
				for _, cell := range p.cells() {
					c.strike(p, cell, 1+n%5)
					if t.Failed() {
						t.Fatalf("the last order was %s at %s", cell.action, cell.point)
					}
					mu.Lock()
					hits[cell]++
					mu.Unlock()
				}
			}
			c.leave()
			mu.Lock()
			visited++
			mu.Unlock()
		}
	}
	// Most of the time is spent waiting, so more go on at once than there are
	// processors.
	var lanes sync.WaitGroup
	for range 4 {
		lanes.Go(func() {
			for p := range next {
				t.Run(p.name, visit(p))
			}
		})
	}
	lanes.Wait()
	report(t, all, hits)
	if visited < len(all) {
		t.Logf("only %d of %d places were visited", visited, len(all))
		return
	}
	for _, p := range all {
		for _, c := range p.cells() {
			if hits[c] < *crashHits {
				t.Errorf("%s at %s: %d hits, want %d", c.action, c.point, hits[c], *crashHits)
			}
		}
	}
}

// strike has one order carried out and compares everything when the dust has
// settled.
func (c *crashes) strike(p place, cell cell, n int) {
	c.t.Helper()
	loading, rest := context.WithCancel(context.Background())
	driving, park := context.WithCancel(loading)
	var busy sync.WaitGroup
	work := func() {
		for _, one := range c.callers {
			busy.Go(func() { one.call(loading) })
		}
		if p.drive != nil {
			busy.Go(func() {
				for driving.Err() == nil {
					p.drive(c)
				}
			})
		}
	}
	defer busy.Wait()
	defer rest()
	defer park()
	if !p.quiet {
		work()
	}
	target, ready := c.bot.current(), (<-chan bool)(nil)
	if p.begin != nil {
		target, ready = p.begin(c, cell.point, cell.action, n)
	} else {
		c.order(cell.point, cell.action, n)
	}
	at := c.hit()
	park()
	c.arriving.Store(nil)
	c.book.cut(at)
	if p.quiet {
		work()
	}
	c.outcome(target, p.ending(cell), at, p.name == "Close")
	if p.ending(cell) != lives || p.name == "Close" {
		c.live()
	} else if ready != nil {
		c.bot.replace(await(c.t, target, ready))
	}
	before := c.book.total()
	c.until("work goes on", func() bool { return c.book.total() > before+10 })
	rest()
	busy.Wait()
	// A panic between an act and what counts it leaves the count wrong for as
	// long as this process lives.
	panicked := cell.action == "panic" && p.ending(cell) == lives && strings.HasSuffix(cell.point, "/after")
	c.settle(!panicked)
}

// outcome expects the process to end as it should, or not to.
func (c *crashes) outcome(p *process, want ending, at time.Time, stopping bool) {
	c.t.Helper()
	if want == lives && !stopping {
		select {
		case <-p.dead:
			c.t.Fatalf("it ended with code %d, want it to go on: %v", p.cmd.ProcessState.ExitCode(), p.tail())
		default:
		}
		return
	}
	select {
	case <-p.dead:
	case <-time.After(patience):
		c.t.Fatalf("it did not end: %v", p.tail())
	}
	if took := time.Since(at); took > prompt {
		c.t.Errorf("it took %v to end", took)
	}
	c.book.cut(time.Now())
	if code := p.cmd.ProcessState.ExitCode(); code != want.code() {
		c.t.Errorf("exit %d, want %d: it %s; %v", code, want.code(), want, p.tail())
	}
}

// leave ends the last life and looks at what is left.
func (c *crashes) leave() {
	c.t.Helper()
	c.tidy()
	c.settle(true)
	if code := c.bot.current().stop(c.t); code != 0 {
		c.t.Errorf("stop: exit %d", code)
	}
	checkFile(c.t, c.store())
}

// report prints the matrix: a line for each point, with the hits by action.
func report(t *testing.T, all []place, hits map[cell]int) {
	t.Helper()
	var b strings.Builder
	for _, p := range all {
		last := ""
		if hits[p.cells()[0]] == 0 {
			continue // not reached, or not asked for
		}
		for _, c := range p.cells() {
			if c.point != last {
				fmt.Fprintf(&b, "\n%-20s", c.point)
				last = c.point
			}
			fmt.Fprintf(&b, "  %s %d", c.action, hits[c])
		}
	}
	t.Logf("hits:%s", &b)
}
