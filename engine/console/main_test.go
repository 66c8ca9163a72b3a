package console

import (
	"context"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/broadcast"
	"bot/engine/contacts"
	"bot/engine/health"
	"bot/engine/risk"
	"bot/store"
	"bot/store/boltstore"
)

// shanghai is the zone that configurations have unless they name another.
var shanghai = time.FixedZone("Asia/Shanghai", 8*60*60)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a-token-of-the-console"

// rig is a console over a real store.
type rig struct {
	testing.TB
	store     store.Store
	options   Options
	handler   http.Handler
	mu        sync.Mutex
	now       time.Time
	overview  Overview
	paused    map[string]bool
	casts     *broadcast.Manager
	plans     []api.Schedule
	ran       []string // schedules
	config    Config
	checked   error // what is wrong with the files on disk
	reloads   int
	cookies   []*http.Cookie
	alerts    api.Alerts
	audiences []contacts.Audience
	tried     map[string]string // what came of a test of alerts, by way
	mutes     mutes
	conversing
}

func newRig(tb testing.TB) *rig {
	st, err := boltstore.Open(context.Background(), boltstore.Options{Path: filepath.Join(tb.TempDir(), "bot.db")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { st.Close() })
	r := &rig{TB: tb, store: st, now: time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC), paused: make(map[string]bool)}
	r.overview.Accounts = []Account{account("shop", health.OK)}
	r.casts = r.newCasts()
	r.audiences = []contacts.Audience{{Name: "vip", Account: "shop"}}
	r.config = Config{Generation: 3, Applied: r.now.Add(-time.Hour)}
	r.options = Options{
		Desk: api.Options{
			Token: token, Letters: st, Outbox: st, Contacts: st, Now: st.Now, Replayed: func(store.Letter) {}, Log: slog.New(slog.DiscardHandler),
			Resolved: func(store.Delivery) {}, Cancelled: func(*engine.Command) {},
			Directory: people(st), Audiences: func() []contacts.Audience { return r.audiences },
			Alerts: func() api.Alerts { return r.alerts }, Mutes: &r.mutes,
			TryAlerts: func(context.Context) map[string]string { return r.tried },
			Pause: func(_ context.Context, account string, on bool, _ string) ([]string, error) {
				r.mu.Lock()
				defer r.mu.Unlock()
				r.paused[account] = on
				return []string{account}, nil
			},
			Needs:      func(string, engine.Action) (params []string, known, able bool) { return nil, true, true },
			Broadcasts: r.casts, Audience: r.audience, Chosen: r.chosen,
			Schedules:   func() ([]api.Schedule, error) { return r.plans, nil },
			RunSchedule: r.runSchedule,
			Reload: func(context.Context) error {
				if r.checked == nil {
					r.reloads++
				}
				return r.checked
			},
		},
		Overview: func() (Overview, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.overview, nil
		},
		Accounts: func() []string {
			r.mu.Lock()
			defer r.mu.Unlock()
			var names []string
			for _, a := range r.overview.Accounts {
				names = append(names, a.Name)
			}
			return names
		},
		Zone:    func() *time.Location { return shanghai },
		Config:  func() (Config, error) { return r.config, nil },
		Check:   func(context.Context) error { return r.checked },
		Samples: NewSamples(prometheus.NewRegistry()),
		Now: func() time.Time {
			r.mu.Lock()
			defer r.mu.Unlock()
			return r.now
		},
	}
	r.talkative()
	r.build()
	return r
}

func account(name, state string) Account {
	return Account{Row: health.Row{Name: name, Channel: "generic", Health: state}}
}

// people is a directory of contacts in which nobody is barred.
func people(st store.Store) *contacts.Directory {
	return contacts.New(contacts.Options{Store: st, Now: st.Now, Log: slog.New(slog.DiscardHandler)})
}

// mutes are who is muted.
type mutes []risk.Muted

func (m *mutes) Mute(_ context.Context, account, id string, lasts time.Duration) error {
	*m = append(*m, risk.Muted{Account: account, User: id, Until: time.Now().Add(lasts)})
	return nil
}

func (m *mutes) Unmute(_ context.Context, account, id string) error {
	*m = slices.DeleteFunc(*m, func(one risk.Muted) bool { return one.Account == account && one.User == id })
	return nil
}

func (m *mutes) Status(_ string, limit int) risk.Status {
	return risk.Status{Muted: (*m)[:min(len(*m), limit)], Total: len(*m)}
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

// wait puts commands into the outbox.
func (r *rig) wait(commands ...engine.Command) {
	r.Helper()
	if _, err := r.store.Submit(r.Context(), commands, time.Hour); err != nil {
		r.Fatal(err)
	}
}

// doubt puts commands into the outbox of which nobody knows whether they arrived.
func (r *rig) doubt(commands ...engine.Command) {
	r.Helper()
	r.wait(commands...)
	for _, c := range commands {
		d, _, err := r.store.Find(c.TaskID)
		if err != nil {
			r.Fatal(err)
		}
		err = r.store.Settle(r.Context(), store.Settlement{ID: d.ID, Progress: store.Progress{Phase: store.InDoubt, Attempts: 1, Reason: "no answer within 10s"}})
		if err != nil {
			r.Fatal(err)
		}
	}
}

var nextLink = regexp.MustCompile(`<a href="([^"]+)">Next page</a>`)

// nextOf is the address of the page that follows.
func nextOf(tb testing.TB, page string) string {
	tb.Helper()
	m := nextLink.FindStringSubmatch(page)
	if m == nil {
		tb.Fatal("there is no next page")
	}
	return html.UnescapeString(m[1])
}

func cookieOf(name, value string) *http.Cookie { return &http.Cookie{Name: name, Value: value} }
