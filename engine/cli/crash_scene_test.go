package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine/channel"
	"bot/engine/channel/wecom/wecomstub"
	"bot/engine/stub"
)

// crashProgram is the program of testdata/crash, built once, beside the real one.
var crashProgram = sync.OnceValues(func() (string, error) {
	beside, err := binary()
	if err != nil {
		return "", err
	}
	return build(filepath.Join(filepath.Dir(beside), "crash"), "bot/engine/cli/testdata/crash")
})

// crashTail follows realHead. The account "away" is one that nobody answers
// for, so that what is sent there waits.
const crashTail = `
on_doubt = "resend"
[account.retry]
attempts = 20
backoff = "10ms..50ms"
[[account]]
name = "away"
channel = "generic"
path = "/away"
base_url = "http://127.0.0.1:9"
[[account]]
name = "sure"
channel = "generic"
path = "/sure"
base_url = "http://PLATFORM"
confirm = true
confirm_within = "1h"
on_doubt = "hold"
[account.retry]
attempts = 20
backoff = "10ms..50ms"
[[account]]
name = "unsure"
channel = "generic"
path = "/unsure"
base_url = "http://PLATFORM"
on_doubt = "hold"
[account.retry]
attempts = 20
backoff = "10ms..50ms"
[[account]]
name = "service"
channel = "wecom"
path = "/service"
base_url = "SERVICE"
corp_id = "ww0a1b2c3d4e5f6071"
agent_id = 1000002
secret = "S3CRET"
callback_token = "WcSyntheticToken2026"
encoding_aes_key = "wecomSyntheticVectorKeyNumberOne0123456789k"
[account.limit]
per_conversation = "1000/s"
[account.retry]
attempts = 20
backoff = "10ms..50ms"
[queue]
attempts = 3
[dedup]
command_window = "1h"
` + dialogues + `
[[skill]]
name = "late"
keywords = ["late"]
match = "exact"
expires = "200ms"
expired_reply = "LATE"
done = "x"
[[skill.step]]
save = "a"
ask = "SOON?"
[[skill]]
name = "odd"
keywords = ["odd"]
match = "prefix"
hindrance = "DIR"
`

// crashes is a store and those who use it through many lives of the program,
// each of which ends at, or survives, an order.
type crashes struct {
	*scene
	bot     *reborn
	book    *ledger
	ears    *ears
	callers []*caller
	// strangers are users that a drive talks to, and what each is to be told.
	strangers map[string][]string
	letters   int // dead ones that there are to be
	// service is a platform of which messages are fetched, and answers how many
	// there are to be.
	service *stub.Stub
	answers int
	round   int // of the drive
	orders  int // written so far

	refuse   atomic.Bool                         // the platform refuses users whose name begins with x
	stumbled sync.Map                            // users whose name begins with y, who are not found the first time; z, who hang up
	arriving atomic.Pointer[func() *stub.Answer] // what happens to what arrives next
}

func newCrashes(t *testing.T) *crashes {
	t.Helper()
	c := &crashes{
		bot: new(reborn), book: &ledger{acked: make(map[string]int), again: make(map[string][]time.Time)}, strangers: make(map[string][]string),
	}
	c.scene = newScene(t, stub.Options{Script: c.answer}, "")
	var err error
	c.service, err = stub.New(stub.Options{Protocol: wecomstub.New, Account: channel.Account{
		CorpID: "ww0a1b2c3d4e5f6071", AgentID: 1000002, Secret: "S3CRET", Form: "app",
		CallbackToken: "WcSyntheticToken2026", EncodingAESKey: "wecomSyntheticVectorKeyNumberOne0123456789k",
	}})
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(c.service)
	t.Cleanup(srv.Close)
	t.Cleanup(c.service.Close)
	c.configure(strings.NewReplacer("DIR", c.dir, "SERVICE", srv.URL).Replace(crashTail))
	c.ears = newEars(c.platform)
	for n := range 2 {
		one := newCaller(c.bot, c.book, rand.New(rand.NewPCG(1, uint64(n))), n)
		one.pause = time.Millisecond
		c.callers = append(c.callers, one)
	}
	return c
}

// answer is the platform's.
func (c *crashes) answer(call stub.Call) *stub.Answer {
	to, _ := call.JSON()["to"].(string)
	if strings.HasPrefix(to, "x") && c.refuse.Load() {
		return &stub.Answer{Status: http.StatusBadRequest, Body: `{"status":"error"}`}
	}
	if strings.HasPrefix(to, "y") {
		if _, again := c.stumbled.LoadOrStore(to, true); !again {
			return &stub.Answer{Status: http.StatusInternalServerError}
		}
	}
	if strings.HasPrefix(to, "z") {
		if _, again := c.stumbled.LoadOrStore(to, true); !again {
			return &stub.Answer{Done: true} // and nobody hears of it
		}
	}
	if do := c.arriving.Load(); do != nil {
		return (*do)()
	}
	return nil
}

func (c *crashes) file(name string) string { return filepath.Join(c.dir, name) }

func (c *crashes) put(name string) { write(c.t, c.dir, name, "") }

func (c *crashes) remove(name string) {
	c.t.Helper()
	if err := os.Remove(c.file(name)); err != nil && !os.IsNotExist(err) {
		c.t.Fatal(err)
	}
}

// launch begins a life.
func (c *crashes) launch() (*process, <-chan bool) {
	c.t.Helper()
	path, err := crashProgram()
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(path, c.config)
	cmd.Env = append(os.Environ(), "BOT_CRASH="+c.file("order"), "BOT_CRASH_NAP="+nap().String())
	p, ready := launchCommand(c.t, cmd)
	c.t.Cleanup(p.kill)
	return p, ready
}

// live begins a life and waits until it takes callbacks.
func (c *crashes) live() {
	c.t.Helper()
	p, ready := c.launch()
	c.bot.replace(await(c.t, p, ready))
}

// order writes what is to happen; see testdata/crash.
func (c *crashes) order(point, action string, count int) {
	c.t.Helper()
	c.remove("order.hit")
	c.orders++ // so that each line is another one
	write(c.t, c.dir, "order.next", fmt.Sprintln(point, action, count, c.orders))
	if err := os.Rename(c.file("order.next"), c.file("order")); err != nil {
		c.t.Fatal(err)
	}
}

// hit waits until an order was carried out and returns when that was.
func (c *crashes) hit() (at time.Time) {
	c.t.Helper()
	c.until("the order was carried out", func() bool {
		info, err := os.Stat(c.file("order.hit"))
		if err == nil {
			at = info.ModTime()
		}
		return err == nil
	})
	c.remove("order")
	return at
}

// ask makes a request to the admin listener again and again, through deaths,
// until it is answered with one of the codes.
func (c *crashes) ask(method, path, body string, codes ...int) (code int, answer []byte) {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		req, err := http.NewRequestWithContext(context.Background(), method, "http://"+c.bot.current().admin+path, strings.NewReader(body))
		if err != nil {
			panic(err)
		}
		resp, err := c.client.Do(req)
		if err != nil {
			continue
		}
		answer, err = io.ReadAll(resp.Body)
		resp.Body.Close()
		for _, want := range codes {
			if err == nil && resp.StatusCode == want {
				return want, answer
			}
		}
		code = resp.StatusCode
	}
	c.t.Errorf("%s %s: in vain, the last answer was %d %s", method, path, code, bytes.TrimSpace(answer))
	return 0, nil
}

// tell sends a message until it is acknowledged.
func (c *crashes) tell(id, user, text string) {
	c.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if status, _ := c.say(c.bot.current(), id, user, text); status == http.StatusOK {
			return
		}
	}
	c.t.Errorf("%s was never acknowledged", id)
}

// dead lists the letters.
func (c *crashes) dead() (letters []struct {
	ID     uint64 `json:"id"`
	TaskID string `json:"task_id"`
	Text   string `json:"text"`
}) {
	c.t.Helper()
	_, b := c.ask(http.MethodGet, "/api/v1/dead", "", http.StatusOK)
	var page struct{ Dead any }
	page.Dead = &letters
	if err := json.Unmarshal(b, &page); err != nil {
		c.t.Error(err)
	}
	return letters
}

// sums adds up the counters of the present life by name.
func (c *crashes) sums() map[string]float64 {
	c.t.Helper()
	_, b := c.ask(http.MethodGet, "/metrics", "", http.StatusOK)
	sums := make(map[string]float64)
	for line := range strings.Lines(string(b)) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		name, labels, _ := strings.Cut(series, "{")
		if n, err := strconv.ParseFloat(value, 64); err == nil {
			sums[strings.TrimPrefix(name, "bot_")] += n
			if strings.Contains(labels, `what="event"`) {
				sums[strings.TrimPrefix(name, "bot_")+" event"] += n
			}
		}
	}
	return sums
}

// settle waits until nothing is left to do and compares all there is to
// compare; the counters of events only where they are booked.
func (c *crashes) settle(booked bool) {
	c.t.Helper()
	p := c.bot.current()
	var st state
	if !c.eventually("everything is done", func() bool {
		var err error
		st, err = c.peek(p)
		return err == nil && st.Events == 0 && st.Commands == 0
	}) {
		c.t.Fatalf("%+v; %v", st, p.tail())
	}
	if n := len(c.dead()); st.Dead != c.letters || n != c.letters {
		c.t.Errorf("%d dead letters counted, %d there, want %d", st.Dead, n, c.letters)
	}
	if booked {
		c.eventually("the counters of events balance", c.balance)
	}
	known := make(map[string]bool)
	for user := range c.strangers {
		known[user] = true
	}
	if done := c.service.Counts().Done; done != c.answers {
		c.t.Errorf("customers were answered %d times, want %d", done, c.answers)
	}
	reconcile(c.t, c.ears, c.book, known)
	for user, want := range c.strangers {
		var said []string
		if h := c.ears.users[user]; h != nil {
			said = h.said
		}
		if fmt.Sprint(said) != fmt.Sprint(want) {
			c.t.Errorf("%s was told %s, want %s", user, brief(said), brief(want))
		}
	}
}

// balance tells whether everything that came in during this life is accounted for.
func (c *crashes) balance() bool {
	c.t.Helper()
	s := c.sums()
	in := s["events_recovered_total"] + s["events_received_total"] + s["events_replayed_total"] + s["expiries_raised_total"]
	out := s["events_handled_total"] + s["expiries_total"] + s["events_duplicate_total"] + s["events_refused_total"] +
		s["dead_letters_total event"] + s["backlog_events"]
	return in == out
}
