package cli_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
)

var (
	unrulyFor   = flag.Duration("unruly.for", 3*time.Second, "how long the neighbours of something unruly are watched")
	unrulyQueue = flag.Int("unruly.queue", 2000, "events that wait in the conversation with the long queue")
)

// Beside something unruly, a conversation's way from the callback to the
// platform may take this many times as long as without it, or as a bare request
// takes on the machine just then, and a second in any case: on a busy machine
// that happens. To wait for the unruly would be longer.
const (
	unrulyRatio = 10
	unrulyFloor = time.Second
)

// deadCommands is how many commands wait for a platform that is not there.
const deadCommands = 200

const quickSkill = `
[queue]
attempts = 1
max_commit_wait = "10s" # a disk that stalls is not what this is about
[[skill]]
name = "quick"
match = "any"
poison = "-"
`

const otherAccount = `
[[account]]
name = "other"
channel = "generic"
base_url = "http://%s"
`

// TestTheUnrulyDelayNobodyElse is guarantee G4 with the worst that one
// conversation, one skill or one account can do to its neighbours.
func TestTheUnrulyDelayNobodyElse(t *testing.T) {
	tests := []struct {
		name   string
		config func(t *testing.T) string
		// unruly makes it so and returns when it is; end lets it go.
		unruly func(s *scene, p *process) (end func())
		// proof tells, while it still is, whether it was.
		proof func(b balance, st state) bool
	}{
		{
			"a conversation with a long queue before a slow skill",
			func(*testing.T) string {
				return "[[skill]]\nname = \"hot\"\nkeywords = [\"hot\"]\nmatch = \"prefix\"\npoison = \"-\"\ntakes = \"100ms\"\n"
			},
			(*scene).longQueue,
			func(_ balance, st state) bool { return st.Events > *unrulyQueue/2 },
		},
		{
			"a skill that hangs on a quarter of the events",
			func(*testing.T) string {
				return "[[skill]]\nname = \"hangs\"\nkeywords = [\"hang\"]\nmatch = \"exact\"\npoison = \"-\"\nhangs = \"hang\"\ntimeout = \"2s\"\n"
			},
			(*scene).hangingQuarter,
			func(b balance, st state) bool { return b.Dead > 0 && st.Events > neighbours/3 },
		},
		{
			"a platform that cannot be reached",
			func(t *testing.T) string { return fmt.Sprintf(otherAccount, nobody(t)) },
			(*scene).sendToOther,
			func(_ balance, st state) bool { return st.Commands >= deadCommands },
		},
		{
			"a platform that never answers",
			func(t *testing.T) string { return fmt.Sprintf(otherAccount, silent(t)) },
			(*scene).sendToOther,
			func(_ balance, st state) bool { return st.Commands >= deadCommands },
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t, stub.Options{}, "")
			s.configure(tt.config(t) + quickSkill)
			p, ready := launchProgram(t, poisonProgram(t), s.config)
			await(t, p, ready)
			calm := quantile(s.chat(p, "calm", *unrulyFor/2), 0.99)
			end := tt.unruly(s, p)
			machine := s.yardstick()
			beside := quantile(s.chat(p, "beside", *unrulyFor), 0.99)
			bare := machine()
			b, st := s.audit(p), s.state(p)
			end()
			if !tt.proof(b, st) {
				t.Errorf("that was not unruly: %+v, %+v", b, st)
			}
			bound := max(unrulyRatio*max(calm, bare), unrulyFloor)
			t.Logf("callback to platform, p99: %v calm, %v beside it, at most %v are allowed; a bare request %v", calm, beside, bound, bare)
			if beside > bound {
				t.Error("the neighbours wait for the unruly")
			}
		})
	}
}

// neighbours is how many conversations mind their own business, each with a
// message every half second.
const (
	neighbours = 20
	chatEvery  = 500 * time.Millisecond
)

// chat has them talk for so long and returns how long each message took from
// the callback to the platform.
func (s *scene) chat(p *process, about string, long time.Duration) []time.Duration {
	s.t.Helper()
	var mu sync.Mutex
	said := make(map[string]time.Time) // by text
	var talking sync.WaitGroup
	begin := time.Now()
	for n := range neighbours {
		talking.Go(func() {
			next := begin.Add(time.Duration(n) * chatEvery / neighbours)
			for i := 0; next.Before(begin.Add(long)); i++ {
				time.Sleep(time.Until(next))
				next = next.Add(chatEvery)
				text := fmt.Sprintf("%s-%d-%d", about, n, i)
				mu.Lock()
				said[text] = time.Now()
				mu.Unlock()
				s.said(p, text, fmt.Sprint("neighbour", n), text)
			}
		})
	}
	talking.Wait()
	took := make(map[string]time.Duration)
	s.until("all of it has reached the platform", func() bool {
		for _, c := range s.platform.Calls(stub.Text("")) {
			text := c.JSON()["content"].(string)
			if at, ours := said[text]; ours && took[text] == 0 {
				took[text] = c.Time.Sub(at)
			}
		}
		return len(took) == len(said)
	})
	all := make([]time.Duration, 0, len(took))
	for _, d := range took {
		all = append(all, d)
	}
	return all
}

// longQueue fills one conversation faster than it will ever be done.
func (s *scene) longQueue(p *process) (end func()) {
	var posting sync.WaitGroup
	for k := range 16 {
		posting.Go(func() {
			for i := k; i < *unrulyQueue; i += 16 {
				s.said(p, fmt.Sprint("hot", i), "hot", fmt.Sprint("hot", i))
			}
		})
	}
	posting.Wait()
	return func() {}
}

// hangingQuarter adds a third to what the neighbours say, of a kind that hangs
// for two seconds, each in a conversation of its own.
func (s *scene) hangingQuarter(p *process) (end func()) {
	over := make(chan struct{})
	var posting sync.WaitGroup
	posting.Go(func() {
		tick := time.NewTicker(3 * chatEvery / neighbours)
		defer tick.Stop()
		for i := 0; ; i++ {
			select {
			case <-tick.C:
				s.said(p, fmt.Sprint("hang", i), fmt.Sprint("hang", i), "hang")
			case <-over:
				return
			}
		}
	})
	s.until("the first has hung as long as it may", func() bool { return s.state(p).Dead > 0 })
	return func() { close(over); posting.Wait() }
}

// sendToOther gives the other account something to send.
func (s *scene) sendToOther(p *process) (end func()) {
	for i := range deadCommands {
		body := callback(fmt.Sprint("other", i), fmt.Sprint("other", i%50), "t1")
		resp, err := s.client.Post("http://"+p.callback+"/callback/other", "application/json", bytes.NewReader(body))
		if err != nil {
			s.t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			s.t.Fatalf("status %d", resp.StatusCode)
		}
	}
	s.until("all its commands wait", func() bool { return s.state(p).Commands >= deadCommands })
	return func() {}
}

// nobody is an address at which connections are refused.
func nobody(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// silent is the address of somebody who listens and says nothing.
func silent(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var listening sync.WaitGroup
	listening.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			listening.Go(func() {
				io.Copy(io.Discard, conn) // until the caller gives up
				conn.Close()
			})
		}
	})
	t.Cleanup(func() { l.Close(); listening.Wait() })
	return l.Addr().String()
}
