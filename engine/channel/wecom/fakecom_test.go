package wecom

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// clock is a time that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// heard is a request as the platform got it.
type heard struct {
	path string // below /cgi-bin/
	body string
	json map[string]any
}

// fakeCom is the platform: one corp whose apps are known by their secrets. It
// answers every failure with HTTP 200, as the real one does.
type fakeCom struct {
	*httptest.Server
	clock   *clock
	instead atomic.Pointer[http.HandlerFunc] // of all of it

	mu      sync.Mutex
	agents  map[string]int // of the apps' secrets
	tokens  map[string]int // agent of each token that is good
	issued  int            // tokens
	stick   string         // the token that gettoken insists on
	calls   []heard        // but gettoken
	answers map[string]func(q *heard) string
	// What is answered before anything else is looked at, and for how long.
	block      string
	blockUntil time.Time
}

func newFakeCom(t *testing.T) *fakeCom {
	f := &fakeCom{
		clock: &clock{at: noon}, agents: map[string]int{appAccount.Secret: appAccount.AgentID},
		tokens: make(map[string]int), answers: make(map[string]func(*heard) string),
	}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h := f.instead.Load(); h != nil {
			(*h)(w, r)
			return
		}
		f.serve(w, r)
	}))
	t.Cleanup(f.Close)
	return f
}

// refuses is an answer as the platform words it.
func refuses(code int, why string) string {
	return fmt.Sprintf(`{"errcode":%d,"errmsg":"%s, hint: [1767225600_1_abc], from ip: 203.0.113.7, more info at https://open.work.weixin.qq.com/devtool/query?e=%d"}`, code, why, code)
}

const allOK = `{"errcode":0,"errmsg":"ok"}`

func (f *fakeCom) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(r.URL.Path, "/cgi-bin/")
	if strings.HasPrefix(path, "files/") {
		f.file(w, path)
		return
	}
	body, _ := io.ReadAll(r.Body)
	q := heard{path: path, body: string(body)}
	json.Unmarshal(body, &q.json)
	f.mu.Lock()
	defer f.mu.Unlock()
	answer := f.answer(r, &q)
	if answer == "" { // done, and then hung up
		panic(http.ErrAbortHandler)
	}
	io.WriteString(w, answer)
}

func (f *fakeCom) answer(r *http.Request, q *heard) string {
	if q.path == "gettoken" {
		return f.gettoken(r.URL.Query().Get("corpid"), r.URL.Query().Get("corpsecret"))
	}
	f.calls = append(f.calls, *q)
	if f.clock.now().Before(f.blockUntil) {
		return f.block
	}
	if !strings.HasPrefix(q.path, "webhook/") && q.path != "aibot/response" {
		agent, ok := f.tokens[r.URL.Query().Get("access_token")]
		switch {
		case r.URL.Query().Get("access_token") == "":
			return refuses(41001, "access_token missing")
		case !ok:
			return refuses(40014, "invalid access_token")
		case q.json["agentid"] != nil && q.json["agentid"] != float64(agent):
			return refuses(301002, "not allow operate another agent with this accesstoken")
		}
	}
	if says := f.answers[q.path]; says != nil {
		return says(q)
	}
	return allOK
}

func (f *fakeCom) gettoken(corp, secret string) string {
	f.issued++
	if f.clock.now().Before(f.blockUntil) && strings.Contains(f.block, "45009") {
		return f.block
	}
	agent, ok := f.agents[secret]
	switch {
	case corp != appAccount.CorpID:
		return refuses(40013, "invalid corpid")
	case !ok:
		return refuses(40001, "invalid credential")
	}
	token := f.stick
	if token == "" {
		token = fmt.Sprintf("token-%d-of-%d", f.issued, agent)
		f.tokens[token] = agent
	}
	return `{"errcode":0,"errmsg":"ok","access_token":"` + token + `","expires_in":7200}`
}

// expire ends the life of all tokens.
func (f *fakeCom) expire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.tokens)
}

// answersEverything takes the platform's place.
func (f *fakeCom) answersEverything(h http.HandlerFunc) { f.instead.Store(&h) }

// on sets what a path answers.
func (f *fakeCom) on(path string, says func(q *heard) string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answers[path] = says
}

func (f *fakeCom) says(path, answer string) { f.on(path, func(*heard) string { return answer }) }

// to are the calls of a path.
func (f *fakeCom) to(path string) (all []heard) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range f.calls {
		if q.path == path {
			all = append(all, q)
		}
	}
	return all
}

func (f *fakeCom) tokensIssued() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.issued
}

// blocked answers everything with one refusal for a time.
func (f *fakeCom) blocked(answer string, d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.block, f.blockUntil = answer, f.clock.now().Add(d)
}

// rig is a platform, and what an account of it needs.
type rig struct {
	*fakeCom
	host    channel.Host
	memory  *channeltest.Memory
	account channel.Account
}

func newRig(t *testing.T, a channel.Account) *rig {
	f := newFakeCom(t)
	r := &rig{fakeCom: f, host: channeltest.Host(t), memory: &channeltest.Memory{Now: f.clock.now}, account: a}
	r.host.Memory, r.host.Now = r.memory, f.clock.now
	r.account.BaseURL = f.URL
	return r
}

func (r *rig) sender(t *testing.T) channel.Sender {
	t.Helper()
	s, err := Adapter.Sender(r.account, r.host)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sent wants the command carried out, and returns what is to be noted of it.
func sent(t *testing.T, s channel.Sender, c engine.Command) (note string) {
	t.Helper()
	return sentBy(t.Context(), t, s, c)
}

// sentAfterDoubt is sent for a command of which an earlier attempt may have arrived.
func sentAfterDoubt(t *testing.T, s channel.Sender, c engine.Command) (note string) {
	t.Helper()
	return sentBy(channel.WithDoubt(t.Context()), t, s, c)
}

func sentBy(ctx context.Context, t *testing.T, s channel.Sender, c engine.Command) (note string) {
	t.Helper()
	note, err := s.Send(ctx, &c)
	if err != nil {
		t.Fatalf("%s: %v", c.TaskID, err)
	}
	return note
}

// failed wants the command to fail so, and returns the failure.
func failed(t *testing.T, s channel.Sender, c engine.Command, want channel.Class) *channel.SendError {
	t.Helper()
	note, err := s.Send(t.Context(), &c)
	e, ok := err.(*channel.SendError)
	if !ok {
		t.Fatalf("%s: noted %q and got %v, want it %s", c.TaskID, note, err, want)
	}
	if e.Class != want {
		t.Fatalf("%s: got %v, want it %s", c.TaskID, e, want)
	}
	return e
}

func says(task, to, text string) engine.Command {
	return engine.Command{TaskID: task, Account: "corp", Conversation: to, Action: engine.SendText, Text: text}
}

func does(task, to string, a engine.Action, params map[string]any) engine.Command {
	return engine.Command{TaskID: task, Account: "corp", Conversation: to, Action: a, Params: params}
}

// wantBody compares the last call of a path with the JSON it should have been.
func (f *fakeCom) wantBody(t *testing.T, path, want string) {
	t.Helper()
	calls := f.to(path)
	if len(calls) == 0 {
		t.Fatalf("no call of %s", path)
	}
	if got := calls[len(calls)-1].body; got != want {
		t.Errorf("%s got\n%s\nwant\n%s", path, got, want)
	}
}

func wantCalls(t *testing.T, f *fakeCom, path string, want int) {
	t.Helper()
	if got := len(f.to(path)); got != want {
		t.Errorf("%d calls of %s, want %d", got, path, want)
	}
}
