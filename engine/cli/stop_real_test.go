package cli_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"time"

	"bot/engine/stub"
)

// crowd is users who each send t1, t2, … in order, the next one only when the
// one before was acknowledged. Every third message goes out twice.
type crowd struct {
	s       *scene
	mu      sync.Mutex
	p       *process
	acked   map[string]int
	stop    context.CancelFunc
	senders sync.WaitGroup
}

func (s *scene) crowd(p *process, users int) *crowd {
	ctx, stop := context.WithCancel(context.Background())
	c := &crowd{s: s, p: p, acked: make(map[string]int), stop: stop}
	for n := range users {
		c.senders.Go(func() { c.send(ctx, fmt.Sprint("u", n)) })
	}
	s.t.Cleanup(c.leave)
	return c
}

func (c *crowd) send(ctx context.Context, user string) {
	for n := 1; ctx.Err() == nil; {
		c.mu.Lock()
		p := c.p
		c.mu.Unlock()
		taken := false
		for range 1 + n%3/2 {
			status, _ := c.s.say(p, fmt.Sprint(user, "/", n), user, fmt.Sprint("t", n))
			taken = taken || status == http.StatusOK
		}
		if !taken {
			time.Sleep(5 * time.Millisecond) // nobody is there
			continue
		}
		c.mu.Lock()
		c.acked[user] = n
		c.mu.Unlock()
		n++
	}
}

// meet has the crowd call another process.
func (c *crowd) meet(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.p = p
}

// total is how many messages were acknowledged.
func (c *crowd) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range c.acked {
		n += k
	}
	return n
}

func (c *crowd) leave() { c.stop(); c.senders.Wait() }

// answered expects that each was told what was acknowledged, once and in order.
// The last one's acknowledgement may have been lost with its connection.
func (c *crowd) answered() {
	c.s.t.Helper()
	told, want := c.s.told(), make(map[string][]string)
	for user, n := range c.acked {
		if len(told[user]) == n+1 {
			n++
		}
		want[user] = counted(n)
	}
	c.s.heard(want)
}

func TestGracefulStopsUnderLoad(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	p := start(t, s.config)
	c := s.crowd(p, 20)
	for range 3 {
		n := c.total()
		s.until("the load is on", func() bool { return c.total() > n+100 })
		if code := p.stop(t); code != 0 {
			t.Errorf("stop: exit %d", code)
		}
		p = start(t, s.config)
		c.meet(p)
	}
	c.leave()
	s.idle(p)
	c.answered()
	if n := s.platform.Counts().Repeats; n != 0 {
		t.Errorf("%d sends were repeated, with no process killed", n)
	}
	if code := p.stop(t); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
	checkFile(t, s.store())
}

// TestTwoSignalsEndAtOnce while requests are on the wire that would take longer
// than anybody waits.
func TestTwoSignalsEndAtOnce(t *testing.T) {
	t.Parallel()
	var slow sync.Map // set: the platform takes its time
	s := newScene(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		a := &stub.Answer{Status: http.StatusOK, Body: `{"status":"success"}`}
		if _, yes := slow.Load("yes"); yes {
			a.Delay = time.Minute
		}
		return a
	}}, realEcho)
	slow.Store("yes", true)
	p := start(t, s.config)
	c := s.crowd(p, 10)
	s.until("the load is on", func() bool { return c.total() > 100 && s.platform.Counts().Calls >= 10 })
	since := p.lines()
	p.cmd.Process.Signal(syscall.SIGTERM)
	p.wait(t, "stopping", since)
	began := time.Now()
	p.cmd.Process.Signal(syscall.SIGTERM)
	<-p.dead
	if took := time.Since(began); took > time.Second {
		t.Errorf("the second signal took %v", took)
	}
	c.leave()
	slow.Delete("yes")
	p = start(t, s.config)
	s.idle(p)
	c.answered()
}

// TestAStormOfReloads under load disturbs nobody, whatever the file is at the
// moment.
func TestAStormOfReloads(t *testing.T) {
	t.Parallel()
	s := newScene(t, stub.Options{}, realEcho)
	p := start(t, s.config)
	c := s.crowd(p, 5)
	const more = "[[skill]]\nname = \"more\"\nkeywords = [\"nobody says this\"]\nreply = \"x\"\n"
	for i := range 200 {
		switch i % 3 {
		case 0:
			s.configure(realEcho + more)
		case 1:
			s.configure(realEcho + "[[skil]]\n")
		case 2:
			s.configure(realEcho)
		}
		if err := p.cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
	}
	// The file is good in the end, so the last wish is granted.
	s.configure(realEcho + more)
	since := p.lines()
	p.cmd.Process.Signal(syscall.SIGHUP)
	s.until("a reload came through", func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, rec := range p.log[min(since, len(p.log)):] {
			if rec["msg"] == "reloaded" && rec["skills"] == 2.0 {
				return true
			}
		}
		return false
	})
	n := c.total()
	s.until("callbacks are taken as before", func() bool { return c.total() > n+50 })
	c.leave()
	s.idle(p)
	c.answered()
	if code := p.stop(t); code != 0 {
		t.Errorf("stop: exit %d", code)
	}
}
