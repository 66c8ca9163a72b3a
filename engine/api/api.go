// Package api is the admin listener's programs' side: health, metrics, dead
// letters, reload and status, for the team's own systems and for the verbs of
// the command line. It is closed without the token unless it is on loopback,
// and answers JSON.
package api

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"strings"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
	"bot/engine/broadcast"
	"bot/engine/contacts"
	"bot/engine/trace"
	"bot/store"
)

// Options is what the API acts on. Funcs may be called by many goroutines at once.
type Options struct {
	// Token opens everything but the health checks; empty leaves the API open
	// to whoever reaches the listener, which is then on loopback.
	Token    string
	Letters  store.DeadLetters
	Outbox   store.Outbox
	Contacts store.Contacts
	Mutes    Mutes
	// Directory is who can be reached, and Audiences the [[audience]] tables in the
	// order of their names.
	Directory Directory
	Audiences func() []contacts.Audience
	Metrics   http.Handler
	// Ready returns why no callback can be taken now, nil when all is well.
	Ready func() error
	// Reload applies the configuration's files; an error says what is wrong
	// with them, one problem a line.
	Reload func(ctx context.Context) error
	// Backup copies the store (store.Copier); nil where that cannot be done while it
	// is in use.
	Backup func(ctx context.Context, begin func(bytes int64) io.Writer) error
	// Status is shown as JSON.
	Status func() (any, error)
	// Replayed is told that a letter went back into the pipeline.
	Replayed func(l store.Letter)
	// Revived is what is counted where a command's letter goes back; nil for nothing.
	Revived func(c *engine.Command) []engine.Count
	// Needs tells whether there is such an account, whether its channel has the
	// action, and what params it cannot do without.
	Needs func(account string, a engine.Action) (params []string, known, able bool)
	// CommandWindow is how long a settled task id is remembered.
	CommandWindow func() time.Duration
	// Submitted is told of commands that were stored (where not a duplicate).
	Submitted func(cmds []engine.Command, duplicate []bool)
	// Pause stops an account's commands, all accounts' for "", or lets them go
	// again, and returns which. by is who asked for it, "" when unknown.
	Pause func(ctx context.Context, account string, on bool, by string) ([]string, error)
	// Release gives a conversation back to the bot that people had taken over.
	Release func(ctx context.Context, account, conversation string) error
	// Schedules lists the schedules of the configuration with their runs, and
	// RunSchedule has one come now: store.ErrGone where there is none of that name,
	// ErrDisabled where it is not enabled.
	Schedules   func() ([]Schedule, error)
	RunSchedule func(ctx context.Context, name string) error
	// Trace returns the steps of whatever the id names, none where nothing is known
	// of it, and whether there are more.
	Trace func(ctx context.Context, id string) (steps []trace.Step, more bool, err error)
	// Arrived is what is learned of a command that a person knows to have arrived.
	// nil = nothing.
	Arrived func(c *engine.Command) []engine.Note
	// Resolved is told that a person ended the doubt about a command.
	Resolved func(d store.Delivery)
	// Alerts is what goes on, what was told lately, and to whom; TryAlerts tells a
	// test, and returns what came of it by the name of each way.
	Alerts    func() Alerts
	TryAlerts func(ctx context.Context) map[string]string
	// Waits says why a command that waits does not leave now, "" when there is no
	// more to say. nil = nobody knows.
	Waits func(d store.Delivery) string
	// Cancelled is told that a waiting command was taken out.
	Cancelled func(c *engine.Command)
	// Broadcasts keeps the broadcasts; Audience finds whom one that goes to a named
	// audience of the account's reaches, and Chosen whom one to chosen contacts does.
	Broadcasts Broadcasts
	Audience   func(account, name string) (broadcast.Audience, error)
	Chosen     func(account string, q contacts.Query) broadcast.Audience
	Now        func() time.Time
	Log        *slog.Logger
}

// New returns the handler of the admin listener.
func New(o Options) http.Handler {
	r := httprouter.New()
	a := &api{o: o}
	for _, method := range []string{http.MethodGet, http.MethodHead} { // uptime checks ask for the status alone
		r.HandlerFunc(method, "/healthz", a.healthz)
		r.HandlerFunc(method, "/readyz", a.readyz)
	}
	r.Handler(http.MethodGet, "/metrics", a.guard(o.Metrics))
	r.Handler(http.MethodGet, "/api/v1/status", a.guard(http.HandlerFunc(a.status)))
	r.Handler(http.MethodPost, "/api/v1/reload", a.guard(http.HandlerFunc(a.reload)))
	r.Handler(http.MethodPost, "/api/v1/commands", a.guard(http.HandlerFunc(a.submit)))
	r.Handler(http.MethodGet, "/api/v1/commands", a.guard(http.HandlerFunc(a.outbox)))
	r.Handler(http.MethodGet, "/api/v1/commands/*id", a.guard(http.HandlerFunc(a.command)))
	r.Handler(http.MethodDelete, "/api/v1/commands/*id", a.guard(http.HandlerFunc(a.cancel)))
	r.Handler(http.MethodGet, "/api/v1/trace/*id", a.guard(http.HandlerFunc(a.trace)))
	r.Handler(http.MethodGet, "/api/v1/dead", a.guard(http.HandlerFunc(a.letters)))
	r.Handler(http.MethodGet, "/api/v1/dead/:id", a.guard(a.withID(a.letter)))
	r.Handler(http.MethodDelete, "/api/v1/dead/:id", a.guard(a.withID(a.drop)))
	r.Handler(http.MethodPost, "/api/v1/dead/:id/replay", a.guard(a.withID(a.replay)))
	r.Handler(http.MethodGet, "/api/v1/in-doubt", a.guard(http.HandlerFunc(a.doubts)))
	r.Handler(http.MethodPost, "/api/v1/in-doubt/*id", a.guard(http.HandlerFunc(a.resolve)))
	r.Handler(http.MethodPost, "/api/v1/pause", a.guard(a.pause(true)))
	r.Handler(http.MethodPost, "/api/v1/resume", a.guard(a.pause(false)))
	r.Handler(http.MethodPost, "/api/v1/release", a.guard(http.HandlerFunc(a.release)))
	r.Handler(http.MethodGet, "/api/v1/blocked", a.guard(http.HandlerFunc(a.barred)))
	r.Handler(http.MethodPut, "/api/v1/blocked/:account/*user", a.guard(a.standing(engine.Block, "blocked")))
	r.Handler(http.MethodDelete, "/api/v1/blocked/:account/*user", a.guard(a.standing(engine.Unblock, "unblocked")))
	r.Handler(http.MethodGet, "/api/v1/muted", a.guard(http.HandlerFunc(a.muted)))
	r.Handler(http.MethodPut, "/api/v1/muted/:account/*user", a.guard(http.HandlerFunc(a.mute)))
	r.Handler(http.MethodDelete, "/api/v1/muted/:account/*user", a.guard(http.HandlerFunc(a.unmute)))
	r.Handler(http.MethodGet, "/api/v1/contacts", a.guard(http.HandlerFunc(a.contacts)))
	r.Handler(http.MethodPost, "/api/v1/contacts/:account", a.guard(http.HandlerFunc(a.importContacts)))
	r.Handler(http.MethodPut, "/api/v1/contacts/:account/*user", a.guard(http.HandlerFunc(a.changeContact)))
	r.Handler(http.MethodDelete, "/api/v1/contacts/:account/*user", a.guard(http.HandlerFunc(a.forgetContact)))
	r.Handler(http.MethodGet, "/api/v1/audiences", a.guard(http.HandlerFunc(a.audiences)))
	r.Handler(http.MethodGet, "/api/v1/audiences/:name", a.guard(http.HandlerFunc(a.audience)))
	r.Handler(http.MethodGet, "/api/v1/schedules", a.guard(http.HandlerFunc(a.schedules)))
	r.Handler(http.MethodPost, "/api/v1/schedules/:name/run", a.guard(http.HandlerFunc(a.runSchedule)))
	r.Handler(http.MethodGet, "/api/v1/alerts", a.guard(http.HandlerFunc(a.alerts)))
	r.Handler(http.MethodPost, "/api/v1/alerts/test", a.guard(http.HandlerFunc(a.tryAlerts)))
	r.Handler(http.MethodPost, "/api/v1/backup", a.guard(http.HandlerFunc(a.backup)))
	a.routeBroadcasts(r)
	r.Handler(http.MethodGet, "/debug/pprof/*name", a.guard(http.HandlerFunc(profile)))
	r.NotFound = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "not_found", "there is nothing at this path")
	})
	r.MethodNotAllowed = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusMethodNotAllowed, "method", "this path does not take that method")
	})
	r.PanicHandler = func(w http.ResponseWriter, req *http.Request, v any) {
		o.Log.Error("admin request failed", "path", req.URL.Path, "panic", v)
		fail(w, http.StatusInternalServerError, "internal", "this request failed; the log has the reason")
	}
	return r
}

// profile serves the Go runtime's profiles, so that a slow engine can be looked
// into where it runs: go tool pprof http://127.0.0.1:8081/debug/pprof/profile
func profile(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/debug/pprof/profile":
		pprof.Profile(w, r)
	case "/debug/pprof/trace":
		pprof.Trace(w, r)
	case "/debug/pprof/symbol":
		pprof.Symbol(w, r)
	default: // the index, and heap, goroutine, mutex, … by name; the command line is nobody's business
		pprof.Index(w, r)
	}
}

// NewServer wraps the handler with the time-outs of the admin listener: a slow
// or silent client holds no connection for ever.
func NewServer(h http.Handler, log *slog.Logger) *http.Server {
	return &http.Server{
		Handler:           h,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    16 << 10,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
}

type api struct {
	o         Options
	backingUp sync.Mutex // one copy at a time
}

// guard lets in who knows the token. Without one the listener is on loopback,
// where the danger is a web page in the operator's own browser: a request that
// a page of another site caused, or that came by a name made to point at
// loopback, is refused.
func (a *api) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusForbidden, "cross_site", "a page of another site may not do that")
	}))
	safe := cross.Handler(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if a.o.Token == "" {
			if !LocalName(r.Host) {
				fail(w, http.StatusForbidden, "host", "without admin.token the API answers only to a loopback address")
				return
			}
			safe.ServeHTTP(w, r)
			return
		}
		given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || subtle.ConstantTimeCompare([]byte(given), []byte(a.o.Token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			fail(w, http.StatusUnauthorized, "unauthorized", "send Authorization: Bearer with admin.token")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// LocalName tells whether a host, as a request names it, is a loopback address: a name
// that was made to point there is none.
func LocalName(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.Trim(host, "[]")
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (a *api) healthz(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]string{"status": "alive"})
}

func (a *api) readyz(w http.ResponseWriter, _ *http.Request) {
	if err := a.o.Ready(); err != nil {
		fail(w, http.StatusServiceUnavailable, "not_ready", err.Error())
		return
	}
	reply(w, http.StatusOK, map[string]string{"status": "ready"})
}

func (a *api) status(w http.ResponseWriter, _ *http.Request) {
	s, err := a.o.Status()
	if err != nil {
		a.storeError(w, err)
		return
	}
	reply(w, http.StatusOK, s)
}

func (a *api) reload(w http.ResponseWriter, r *http.Request) {
	err := a.o.Reload(r.Context())
	if err == nil {
		reply(w, http.StatusOK, map[string]string{"status": "reloaded"})
		return
	}
	problems := strings.Split(err.Error(), "\n")
	reply(w, http.StatusUnprocessableEntity, map[string]any{
		"error":    apiError{"refused", "the configuration was refused; the running one stays"},
		"problems": problems,
	})
}

// storeError translates what a store's act answered; the one place where that
// is done for this listener.
func (a *api) storeError(w http.ResponseWriter, err error) {
	switch {
	case errors.Is(err, store.ErrGone):
		fail(w, http.StatusNotFound, "not_found", "it is not there (any more)")
	case errors.Is(err, store.ErrFull):
		w.Header().Set("Retry-After", "2")
		fail(w, http.StatusServiceUnavailable, "full", "the disk is nearly full; free some space and try again")
	default:
		a.o.Log.Error("admin request failed", "error", err)
		fail(w, http.StatusInternalServerError, "internal", "the store could not do that; the log has the reason")
	}
}

type apiError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
}

func fail(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, map[string]apiError{"error": {code, message}})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.Encode(v) // the client may be gone; there is nobody left to tell
}
