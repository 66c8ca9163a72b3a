package api

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"bot/engine"
	"bot/store"
	"bot/store/boltstore"
	"bot/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rig is an API on a real store, and what it told its surroundings.
type rig struct {
	*testing.T
	o         Options
	st        *boltstore.Store
	clock     *storetest.Clock
	log       bytes.Buffer
	replayed  []store.Letter
	submitted []engine.Command
	repeats   []bool
	cancelled []*engine.Command
	paused    []any // what Pause was asked for last: account, on
	pauseErr  error
	resolved  []store.Delivery
}

// newRig makes an API without a token whose account "shop" has every action
// and whose account "mute" has none. Options may be changed before the first call.
func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{T: t, clock: storetest.NewClock()}
	st, err := boltstore.Open(t.Context(), boltstore.Options{
		Path: filepath.Join(t.TempDir(), "bot.db"), MapSize: 1 << 20,
		Now: r.clock.Now, Uptime: r.clock.Uptime,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	r.st = st
	r.o = Options{
		Letters: st, Outbox: st,
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "bot_up 1\n") }),
		Ready:   func() error { return nil },
		Reload:  func(context.Context) error { return nil },
		Status:  func() (any, error) { return map[string]any{"generation": 1}, nil },
		Replayed: func(l store.Letter) {
			r.replayed = append(r.replayed, l)
		},
		Needs: func(account string, a engine.Action) (params []string, known, able bool) {
			return needs[a], account == "shop" || account == "mute", account == "shop"
		},
		CommandWindow: func() time.Duration { return 15 * time.Second },
		Submitted: func(cmds []engine.Command, duplicate []bool) {
			r.submitted, r.repeats = append(r.submitted, cmds...), append(r.repeats, duplicate...)
		},
		Pause:     r.pause,
		Resolved:  func(d store.Delivery) { r.resolved = append(r.resolved, d) },
		Cancelled: func(c *engine.Command) { r.cancelled = append(r.cancelled, c) },
		Now:       st.Now,
		Log:       slog.New(slog.NewTextHandler(&r.log, nil)),
	}
	return r
}

// answer is a response whose body is JSON.
type answer struct {
	code   int
	header http.Header
	text   string
	body   map[string]any
}

// request is what a client on this machine sends.
func request(method, path, body string) *http.Request {
	req := httptest.NewRequest(method, path, strings.NewReader(body))
	req.Host = "127.0.0.1:8081"
	return req
}

// call sends a request as a client on this machine.
func (r *rig) call(method, path, body string) answer {
	r.Helper()
	return r.serve(request(method, path, body))
}

// serve fails the test where the answer is no JSON object.
func (r *rig) serve(req *http.Request) answer {
	r.Helper()
	w := httptest.NewRecorder()
	New(r.o).ServeHTTP(w, req)
	a := answer{code: w.Code, header: w.Header(), text: w.Body.String()}
	if strings.HasPrefix(req.URL.Path, "/metrics") && w.Code == http.StatusOK {
		return a
	}
	if err := json.Unmarshal(w.Body.Bytes(), &a.body); err != nil {
		r.Fatalf("%s %s answers %d %q, no JSON object", req.Method, req.URL.Path, w.Code, a.text)
	}
	if got := w.Header().Get("Content-Type"); got != "application/json" {
		r.Errorf("%s %s: the content type is %q", req.Method, req.URL.Path, got)
	}
	return a
}

// failure is the error's code, or "".
func (a answer) failure() string {
	e, _ := a.body["error"].(map[string]any)
	code, _ := e["code"].(string)
	if message, _ := e["message"].(string); code != "" && message == "" {
		return code + " without a message"
	}
	return code
}

// message is the error's, or "".
func (a answer) message() string {
	e, _ := a.body["error"].(map[string]any)
	message, _ := e["message"].(string)
	return message
}

// wants checks a status and, for errors, the code ("" for success).
func (a answer) wants(t testing.TB, status int, code string) {
	t.Helper()
	if a.code != status || a.failure() != code {
		t.Errorf("answers %d %s, want %d %q", a.code, a.text, status, code)
	}
}

// envelopeOf is a valid envelope, with more members if wanted.
func envelopeOf(taskID string, more ...string) string {
	return fmt.Sprintf(`{%s}`, strings.Join(append([]string{
		fmt.Sprintf(`"task_id":%q,"account_id":"shop","action":"send_text","timestamp":1772600000,"params":{"to":"u1","content":"hello"}`, taskID),
	}, more...), ","))
}

// submit stores one command and returns its id in the outbox.
func (r *rig) submit(taskID string) uint64 {
	r.Helper()
	r.call("POST", "/api/v1/commands", envelopeOf(taskID)).wants(r, http.StatusAccepted, "")
	d, _, err := r.st.Find(taskID)
	if err != nil {
		r.Fatal(err)
	}
	return d.ID
}

func (r *rig) settle(id uint64, f store.Final, p store.Progress) {
	r.Helper()
	if err := r.st.Settle(r.Context(), store.Settlement{ID: id, Final: f, Progress: p}); err != nil {
		r.Fatal(err)
	}
}

// needs are the params that the channel of the accounts cannot do without.
var needs = map[engine.Action][]string{
	engine.SendImage: {"url"}, engine.SendFile: {"url"}, engine.AcceptFriend: {"scene"}, engine.AddMember: {"invited_wxid"},
}
