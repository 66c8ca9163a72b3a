package console

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/api"
	"bot/store"
	"bot/store/boltstore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a-token-of-the-console"

// rig is a console over a real store.
type rig struct {
	testing.TB
	store    store.Store
	options  Options
	handler  http.Handler
	mu       sync.Mutex
	now      time.Time
	overview Overview
	paused   map[string]bool
	cookies  []*http.Cookie
}

func newRig(tb testing.TB) *rig {
	st, err := boltstore.Open(context.Background(), boltstore.Options{Path: filepath.Join(tb.TempDir(), "bot.db")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	r := &rig{TB: tb, store: st, now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), paused: make(map[string]bool)}
	r.overview.Accounts = []Account{{Name: "shop", Channel: "generic"}}
	r.options = Options{
		Desk: api.Options{
			Token: token, Letters: st, Outbox: st, Contacts: st, Now: st.Now, Replayed: func(store.Letter) {},
			Pause: func(_ context.Context, account string, on bool, _ string) ([]string, error) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.paused[account] = on
				return []string{account}, nil
			},
		},
		Overview: func() (Overview, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.overview, nil
		},
		Samples: NewSamples(prometheus.NewRegistry()),
		Now: func() time.Time {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.now
		},
	}
	r.build()
	return r
}

// build takes up changed options.
func (r *rig) build() { r.handler = New(r.options) }

func (r *rig) sleep(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

// send makes a request as the rig's browser does, which keeps its cookies.
func (r *rig) send(method, path string, form url.Values, change ...func(*http.Request)) *http.Response {
	r.Helper()
	// The language is asked for with every request, as browsers do.
	req := httptest.NewRequest(method, "http://127.0.0.1:8081"+path, strings.NewReader(form.Encode()))
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	req.Header.Set("Accept-Language", "en")
	for _, c := range r.cookies {
		req.AddCookie(c)
	}
	for _, f := range change {
		f(req)
	}
	w := httptest.NewRecorder()
	r.handler.ServeHTTP(w, req)
	resp := w.Result()
	for _, c := range resp.Cookies() {
		r.keep(c)
	}
	return resp
}

func (r *rig) keep(c *http.Cookie) {
	for i, old := range r.cookies {
		if old.Name == c.Name {
			r.cookies = append(r.cookies[:i], r.cookies[i+1:]...)
			break
		}
	}
	if c.MaxAge >= 0 {
		r.cookies = append(r.cookies, c)
	}
}

func (r *rig) login() {
	r.Helper()
	if resp := r.send(http.MethodPost, "/login", url.Values{"token": {token}, "to": {"/"}}); resp.StatusCode != http.StatusSeeOther {
		r.Fatalf("login: %s", resp.Status)
	}
}

// page is what a page shows.
func (r *rig) page(path string) string {
	r.Helper()
	resp := r.send(http.MethodGet, path, nil)
	if resp.StatusCode != http.StatusOK {
		r.Fatalf("GET %s: %s: %s", path, resp.Status, text(r, resp))
	}
	return text(r, resp)
}

// press sends a form and returns the page that follows.
func (r *rig) press(path string, form url.Values) string {
	r.Helper()
	resp := r.send(http.MethodPost, path, form)
	if resp.StatusCode != http.StatusSeeOther {
		r.Fatalf("POST %s: %s: %s", path, resp.Status, text(r, resp))
	}
	return r.page(resp.Header.Get("Location"))
}

func text(tb testing.TB, resp *http.Response) string {
	tb.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

var saidForm = regexp.MustCompile(`<p class="said[^"]*" role="[a-z]+">([^<]*)</p>`)

// saidOn is what a page says of the last act.
func saidOn(page string) string {
	m := saidForm.FindStringSubmatch(page)
	if m == nil {
		return ""
	}
	return m[1]
}

// die puts commands into the dead letters.
func (r *rig) die(commands ...engine.Command) {
	r.Helper()
	if _, err := r.store.Submit(r.Context(), commands, time.Hour); err != nil {
		r.Fatal(err)
	}
	for _, c := range commands {
		d, _, err := r.store.Find(c.TaskID)
		if err != nil {
			r.Fatal(err)
		}
		err = r.store.Settle(r.Context(), store.Settlement{ID: d.ID, Final: store.Dead, Progress: store.Progress{Attempts: 3, Reason: "permanent, status 400: no such user"}})
		if err != nil {
			r.Fatal(err)
		}
	}
}

func say(task, conversation, text string) engine.Command {
	return engine.Command{TaskID: task, Account: "shop", Conversation: conversation, Action: engine.SendText, Text: text, Lane: engine.LanePush, Submitted: true}
}
