package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	soakSenders = 32
	soakUsers   = 8 // of each sender
)

// soakLoad sends at a rate, whoever is slow. It keeps no message, so that it
// can go on for days.
type soakLoad struct {
	t       *testing.T
	rate    int
	wires   *http.Transport
	client  *http.Client
	ctx     context.Context
	leave   func() // ends the load when every message under way is acknowledged
	begin   sync.Once
	senders sync.WaitGroup
	calling sync.RWMutex // held for reading while a message is on its way

	mu    sync.Mutex
	p     *process
	acked map[string]int
	count int             // of them since the last chapter
	took  []time.Duration // likewise, of the answers with success
	all   []time.Duration // of earlier chapters
}

func newSoakLoad(t *testing.T, rate int) *soakLoad {
	wires := &http.Transport{MaxIdleConnsPerHost: soakSenders}
	l := &soakLoad{
		t: t, rate: rate, wires: wires, client: &http.Client{Transport: wires, Timeout: 5 * time.Second},
		acked: make(map[string]int),
	}
	var stop func()
	l.ctx, stop = context.WithCancel(context.Background())
	l.leave = func() { stop(); l.senders.Wait() }
	t.Cleanup(func() { l.leave(); l.hangUp() })
	return l
}

// meet has the load call another process; the first time it begins.
func (l *soakLoad) meet(p *process) {
	l.mu.Lock()
	l.p = p
	l.mu.Unlock()
	l.begin.Do(func() {
		for n := range soakSenders {
			l.senders.Go(func() { l.send(n) })
		}
	})
}

// send sends the messages of some users, each user's in order. Every tenth goes
// out again.
func (l *soakLoad) send(n int) {
	var sent [soakUsers]int
	every := soakSenders * time.Second / time.Duration(l.rate)
	next := time.Now().Add(time.Duration(n) * every / soakSenders)
	for i := 0; l.ctx.Err() == nil; i++ {
		time.Sleep(time.Until(next))
		if next = next.Add(every); time.Since(next) > time.Second {
			next = time.Now() // what an outage kept back is not made up for at once
		}
		k := i % soakUsers
		sent[k]++
		user := fmt.Sprintf("u%d-%d", n, k)
		text, _ := soakLine(sent[k])
		l.deliver(user, callback(fmt.Sprint(user, "/", sent[k]), user, text), i%10 == 9)
	}
}

func (l *soakLoad) deliver(user string, body []byte, again bool) {
	l.calling.RLock()
	defer l.calling.RUnlock()
	for began := time.Now(); !l.post(body); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			l.t.Errorf("a message of %s was not taken within %v", user, patience)
			return
		}
	}
	if again {
		l.post(body)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acked[user]++
	l.count++
}

func (l *soakLoad) post(body []byte) bool {
	l.mu.Lock()
	url := "http://" + l.p.callback + "/in"
	l.mu.Unlock()
	at := time.Now()
	resp, err := l.client.Post(url, "application/json", strings.NewReader(string(body)))
	if err != nil {
		return false
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.took = append(l.took, time.Since(at))
	return true
}

// hush keeps everybody from calling until it is ended.
func (l *soakLoad) hush() (end func()) {
	l.calling.Lock()
	return l.calling.Unlock
}

// hangUp ends the connections; nobody may be calling.
func (l *soakLoad) hangUp() { l.wires.CloseIdleConnections() }

// chapter is what happened since the last one.
func (l *soakLoad) chapter() (messages int, p99 time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	messages, p99 = l.count, quantile(l.took, 0.99)
	l.all = append(l.all, l.took...)
	l.count, l.took = 0, nil
	return messages, p99
}

// soakPlatform hears the answers and compares each at once with the only one
// that can come next.
type soakPlatform struct {
	address string
	server  *http.Server

	mu      sync.Mutex
	users   map[string]*soakUser
	heard   int // answers, repeats not counted
	repeats int
	kill    time.Time // the last one
	wrong   []string
}

// soakUser is what one user has heard.
type soakUser struct {
	n   int       // answers
	key string    // idempotency key of the last one
	at  time.Time // when it came
}

func newSoakPlatform(t *testing.T) *soakPlatform {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &soakPlatform{address: l.Addr().String(), users: make(map[string]*soakUser)}
	p.server = &http.Server{Handler: p}
	var serving sync.WaitGroup
	serving.Go(func() { p.server.Serve(l) })
	t.Cleanup(func() { p.server.Close(); serving.Wait() })
	return p
}

func (p *soakPlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var c struct{ To, Content string }
	if r.Method != http.MethodPost { // somebody measures how fast this is
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		return
	}
	p.hear(c.To, c.Content, r.Header.Get("Idempotency-Key"))
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"success"}`)
}

func (p *soakPlatform) hear(user, content, key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.users[user]
	if u == nil {
		u = &soakUser{}
		p.users[user] = u
	}
	now := time.Now()
	_, next := soakLine(u.n + 1)
	switch {
	case key != u.key && content == next:
		p.heard++
		*u = soakUser{n: u.n + 1, key: key, at: now}
	case key == u.key && p.kill.After(u.at.Add(-100*time.Millisecond)):
		// Sent before the kill, which came before the settlement.
		p.repeats++
		u.at = now
	default:
		if p.wrong = append(p.wrong, fmt.Sprintf("%s was told %q after %d answers, want %q", user, content, u.n, next)); len(p.wrong) > 20 {
			p.wrong = p.wrong[:20]
		}
	}
}

func (p *soakPlatform) killed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.kill = time.Now()
}

func (p *soakPlatform) total() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.heard
}

// hangUp ends the connections that are idle.
func (p *soakPlatform) hangUp() {
	p.server.SetKeepAlivesEnabled(false)
	p.server.SetKeepAlivesEnabled(true)
}

// judge compares what was acknowledged with what was heard.
func (l *soakLoad) judge(p *soakPlatform) {
	l.t.Helper()
	for _, w := range p.wrong {
		l.t.Errorf("lost, doubled or out of order: %s", w)
	}
	acked := 0
	for user, n := range l.acked {
		acked += n
		if u := p.users[user]; u == nil || u.n != n {
			l.t.Errorf("%s: %d messages acknowledged, answers %+v", user, n, u)
		}
	}
	l.t.Logf("%d messages acknowledged, %d answered, %d sends repeated after a kill", acked, p.heard, p.repeats)
	if acked == 0 {
		l.t.Error("there was no load")
	}
}
