package cli_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"bot/engine/stub"
)

// dialogues is what callers talk to: a skill that counts with them, and a form.
const dialogues = `
[[skill]]
name = "count"
match = "regex"
patterns = ['^n(\d+)$']
reply = "r{{index .Match 1}}"
[[skill]]
name = "form"
keywords = ["start"]
match = "exact"
done = "END {{.Data.a}} {{.Data.b}}"
[[skill.step]]
save = "a"
ask = "Q1"
pattern = '^a\d+$'
[[skill.step]]
save = "b"
ask = "Q2"
pattern = '^b\d+$'
`

// line is the i-th message of a user (from 1) and the one right answer to it.
// Users whose name begins with f walk through the form again and again, so
// that a lost or repeated state shows at once; the others count.
func line(user string, i int) (text, answer string) {
	if user[0] != 'f' {
		return fmt.Sprintf("n%d", i), fmt.Sprintf("r%d", i)
	}
	switch i % 3 {
	case 1:
		return "start", "Q1"
	case 2:
		return fmt.Sprintf("a%d", i), "Q2"
	default:
		return fmt.Sprintf("b%d", i), fmt.Sprintf("END a%d b%d", i-1, i)
	}
}

// reborn is the program in its current life.
type reborn struct {
	mu sync.Mutex
	p  *process
}

func (r *reborn) current() *process {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.p
}

func (r *reborn) replace(p *process) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.p = p
}

// ledger is what those who call know: how many of each user's messages were
// acknowledged, and when a send may have been cut off in the middle.
type ledger struct {
	mu    sync.Mutex
	acked map[string]int
	cuts  []time.Time
	again map[string][]time.Time // when somebody had a user's message sent again
}

// cut notes that now, or a moment ago, nobody knew what had been sent.
func (b *ledger) cut(at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.cuts = append(b.cuts, at)
}

// repeat notes that somebody has a user's message sent again now.
func (b *ledger) repeat(user string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.again[user] = append(b.again[user], time.Now())
}

// repeated tells whether somebody had it sent again after the one and before the other.
func (b *ledger) repeated(user string, from, to time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.ContainsFunc(b.again[user], func(at time.Time) bool { return at.After(from) && at.Before(to) })
}

// late is how long after it was sent, on a machine that is busy, the platform
// may read what a process had sent before it died.
const late = 300 * time.Millisecond

// cutBetween tells whether something was cut off after the one and before the
// other.
func (b *ledger) cutBetween(from, to time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.cuts {
		if k.After(from.Add(-late)) && k.Before(to) {
			return true
		}
	}
	return false
}

// total is how many messages were acknowledged.
func (b *ledger) total() (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, k := range b.acked {
		n += k
	}
	return n
}

// caller sends the messages of five users, each in order: the next one only
// when the one before was acknowledged. A third of them go out twice.
type caller struct {
	bot    *reborn
	book   *ledger
	chance *rand.Rand
	pause  time.Duration // between two messages
	client *http.Client
	users  [5]struct {
		name string
		sent int  // and acknowledged
		open bool // the next one was sent too, and may be on disk
	}
}

func newCaller(bot *reborn, book *ledger, chance *rand.Rand, n int) *caller {
	c := &caller{bot: bot, book: book, chance: chance, client: &http.Client{Transport: &http.Transport{}, Timeout: 3 * time.Second}}
	for k := range c.users {
		c.users[k].name = fmt.Sprintf("u%d-%d", n, k)
	}
	c.users[4].name = fmt.Sprintf("f%d-4", n)
	return c
}

// call goes on until ctx is done, and then until every message that was sent
// is acknowledged. It may be called again.
func (c *caller) call(ctx context.Context) {
	defer c.client.CloseIdleConnections()
	for ctx.Err() == nil {
		c.send(c.chance.IntN(len(c.users)))
		time.Sleep(c.pause)
	}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		open := false
		for k := range c.users {
			if c.users[k].open {
				c.send(k)
			}
			open = open || c.users[k].open
		}
		if !open {
			return
		}
	}
}

func (c *caller) send(k int) {
	u := &c.users[k]
	text, _ := line(u.name, u.sent+1)
	body := fmt.Sprintf(`{"msg_id":"%s/%d","sender":"%s","content":"%s"}`, u.name, u.sent+1, u.name, text)
	acked := false
	for range 1 + c.chance.IntN(3)/2 {
		u.open = true
		resp, err := c.client.Post("http://"+c.bot.current().callback+"/in", "application/json", strings.NewReader(body))
		if err != nil {
			break
		}
		resp.Body.Close()
		acked = acked || resp.StatusCode == http.StatusOK
	}
	if !acked {
		time.Sleep(10 * time.Millisecond)
		return
	}
	u.sent, u.open = u.sent+1, false
	c.book.mu.Lock()
	defer c.book.mu.Unlock()
	c.book.acked[u.name] = u.sent
}

// heard is what one user was told, each idempotency key once, and the copies.
type heard struct {
	said   []string
	judged int                  // of said
	last   map[string]time.Time // by key
	twins  [][2]time.Time       // not judged yet
}

// ears takes down what reaches the platform, call by call.
type ears struct {
	platform *stub.Stub
	taken    int // calls
	users    map[string]*heard
}

func newEars(platform *stub.Stub) *ears {
	return &ears{platform: platform, users: make(map[string]*heard)}
}

// listen takes down what is new. Only what was carried out counts.
func (e *ears) listen(t testing.TB) {
	t.Helper()
	say := stub.Text("")
	for _, c := range e.platform.Calls(func(c stub.Call) bool { return c.Seq > e.taken }) {
		e.taken = c.Seq
		if !say(c) || c.Status != 0 && c.Status/100 != 2 {
			continue
		}
		if c.Key == "" {
			t.Fatalf("a call without an idempotency key: %s", c.Body)
		}
		body := c.JSON()
		to := body["to"].(string)
		h := e.users[to]
		if h == nil {
			h = &heard{last: make(map[string]time.Time)}
			e.users[to] = h
		}
		if at, again := h.last[c.Key]; again {
			h.twins = append(h.twins, [2]time.Time{at, c.Time})
		} else {
			h.said = append(h.said, body["content"].(string))
		}
		h.last[c.Key] = c.Time
	}
}

// reconcile compares what callers know with what the platform was told: for
// each message acknowledged its one answer, in order, and nothing besides; sent
// again, under the same key, only where a send was cut off or somebody had asked for
// it. strangers are users that somebody else answers for.
func reconcile(t testing.TB, e *ears, book *ledger, strangers map[string]bool) {
	t.Helper()
	e.listen(t)
	for user, h := range e.users {
		for _, twin := range h.twins {
			if !book.repeated(user, twin[0], twin[1]) && !book.cutBetween(twin[0], twin[1]) {
				t.Errorf("%s: sent twice at %v and %v, and nothing was cut off between", user, twin[0], twin[1])
			}
		}
		h.twins = nil
		if book.acked[user] == 0 && !strangers[user] {
			t.Errorf("%s was told %q and never said anything", user, h.said)
		}
	}
	for user, acked := range book.acked {
		h := e.users[user]
		if h == nil {
			h = new(heard)
		}
		if len(h.said) < acked {
			t.Errorf("%s: %d messages acknowledged, %d answered: LOST", user, acked, len(h.said))
		}
		if len(h.said) > acked {
			t.Errorf("%s: %d messages acknowledged, %d answered: DOUBLED", user, acked, len(h.said))
		}
		for ; h.judged < len(h.said); h.judged++ {
			if _, want := line(user, h.judged+1); h.said[h.judged] != want {
				t.Errorf("%s: answer %d is %q, want %q: lost, doubled or out of order", user, h.judged+1, h.said[h.judged], want)
				break
			}
		}
	}
}
