package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// manner is how a platform repeats a callback that was not answered with
// success.
type manner struct {
	name   string
	within time.Duration   // it waits so long for the answer
	pauses []time.Duration // before each repeat; after the last it gives up
}

var (
	wechat = manner{"wechat", 5 * time.Second, []time.Duration{0, 0}}
	slack  = manner{"slack", 3 * time.Second, []time.Duration{0, time.Minute, 5 * time.Minute}}
	feishu = manner{"feishu", 3 * time.Second, []time.Duration{15 * time.Second, 5 * time.Minute, time.Hour, 6 * time.Hour}}
)

// callers post callbacks as platforms do, and note what became of each.
type callers struct {
	t     testing.TB
	url   string
	haste int // pauses are so much shorter than the platforms'

	calling sync.RWMutex // held for reading while a request is on its way
	clients map[string]*http.Client

	mu      sync.Mutex
	acked   map[string]int         // messages by user
	took    []time.Duration        // until the answer of success, or in vain
	answers map[string]map[int]int // by manner and status; 0 = none in time
	lost    map[string]int         // messages that were given up, by manner
}

// connections is how many the callers of one manner have.
const connections = 32

func newCallers(t testing.TB, p *process, haste int) *callers {
	c := &callers{
		t: t, url: "http://" + p.callback + "/in", haste: haste, clients: make(map[string]*http.Client),
		acked: make(map[string]int), answers: make(map[string]map[int]int), lost: make(map[string]int),
	}
	for _, m := range []manner{wechat, slack, feishu} {
		wires := &http.Transport{MaxConnsPerHost: connections, MaxIdleConnsPerHost: connections}
		t.Cleanup(wires.CloseIdleConnections)
		c.clients[m.name], c.answers[m.name] = &http.Client{Transport: wires, Timeout: m.within}, make(map[int]int)
	}
	return c
}

// post sends one request and returns its status, 0 when no answer came in time.
func (c *callers) post(m manner, body []byte) int {
	c.calling.RLock()
	defer c.calling.RUnlock()
	at, status := time.Now(), 0
	resp, err := c.clients[m.name].Post(c.url, "application/json", bytes.NewReader(body))
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	if err == nil {
		status = resp.StatusCode
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers[m.name][status]++
	if status == http.StatusOK || status == 0 {
		c.took = append(c.took, time.Since(at))
	}
	if status == http.StatusServiceUnavailable && resp.Header.Get("Retry-After") == "" {
		c.t.Error("a 503 that does not say when to come back")
	}
	return status
}

// deliver posts a message until it is acknowledged or the platform gives up.
func (c *callers) deliver(m manner, id, user, text string) bool {
	body := callback(id, user, text)
	for try := 0; c.post(m, body) != http.StatusOK; try++ {
		if try == len(m.pauses) {
			c.mu.Lock()
			c.lost[m.name]++
			c.mu.Unlock()
			return false
		}
		time.Sleep(m.pauses[try] / time.Duration(c.haste))
	}
	c.mu.Lock()
	c.acked[user]++
	c.mu.Unlock()
	return true
}

func callback(id, user, text string) []byte {
	b, err := json.Marshal(map[string]string{"msg_id": id, "sender": user, "content": text})
	if err != nil {
		panic(err)
	}
	return b
}

// auditQuiet is audit while everybody is kept from calling.
func (s *scene) auditQuiet(p *process, c *callers) balance {
	s.t.Helper()
	c.calling.Lock()
	defer c.calling.Unlock()
	return s.audit(p)
}

// total is how many messages were acknowledged.
func (c *callers) total() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for k := range maps.Values(c.acked) {
		n += k
	}
	return n
}

// agrees expects the engine to have counted what the callers saw. Nobody may be
// calling. Of a request that was not answered in time it is not known whether it
// arrived.
func (c *callers) agrees(b balance) {
	c.t.Helper()
	all := make(map[int]int) // by status
	for _, by := range c.answers {
		for status, n := range by {
			all[status] += n
		}
	}
	ok, busy, none := all[http.StatusOK], all[http.StatusServiceUnavailable], float64(all[0])
	known, again := float64(ok+busy), float64(ok-c.total())
	if b.Received < known || b.Received > known+none || b.Duplicate < again || b.Duplicate > again+none || b.Refused != float64(busy) {
		c.t.Errorf("%d messages acknowledged, answers by status %v; counted as %+v", c.total(), all, b)
	}
}

// allTaken expects that everybody called, nobody was sent away, and few waited.
// On a machine where even a bare handler's p99 is long, ten times that is
// allowed.
func (c *callers) allTaken(bare time.Duration) {
	c.t.Helper()
	if p99, bound := quantile(c.took, 0.99), max(500*time.Millisecond, 10*bare); p99 > bound {
		c.t.Errorf("acknowledgements took up to %v (p99), at most %v are allowed", p99, bound)
	}
	for m, by := range c.answers {
		if ok, none := by[http.StatusOK], by[0]; ok == 0 || len(by) > 2 || len(by) > 1 && none == 0 {
			c.t.Errorf("%s: answers by status %v, want 200 alone", m, by)
		}
	}
}

// answered expects that every user was told t1 to tn for the n messages that
// were acknowledged, and nobody anything else; the text of one whose name begins
// with hang is that.
func (c *callers) answered(s *scene) {
	c.t.Helper()
	want := make(map[string][]string)
	for user, n := range c.acked {
		if want[user] = counted(n); strings.HasPrefix(user, "hang") {
			want[user] = []string{"hang"}
		}
	}
	s.heard(want)
	if told := s.told(); len(told) != len(want) {
		c.t.Errorf("%d users were told something, %d had a message acknowledged", len(told), len(want))
	}
}

func (c *callers) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ms := func(q float64) time.Duration { return quantile(c.took, q).Round(100 * time.Microsecond) }
	return fmt.Sprintf("answers by manner and status %v, given up %v, acknowledged after p50 %v, p99 %v, max %v",
		c.answers, c.lost, ms(0.5), ms(0.99), ms(1))
}
