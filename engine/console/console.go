// Package console is the operator's pages, on the admin listener: what is going
// on, what is stuck, and the buttons that mend it. Pages are made here, complete
// and in Chinese or English; the small scripts only bring in again what changes, so
// that everything works without them. It does what it does by the same acts as the
// API (api.Options), and knows no platform but the sandbox, whose chat is one of its pages.
package console

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/api"
	"bot/engine/channel/sandbox"
	"bot/engine/talk"
	"bot/engine/trial"
)

// Options is what the console shows and acts on. All fields but Log are required.
type Options struct {
	// Desk is what the API acts on. Its Token opens the console too; without one
	// the console is open to whoever reaches the listener, which is then on loopback.
	Desk     api.Options
	Overview func() (Overview, error)
	// Accounts are the names of the accounts in their order.
	Accounts func() []string
	// Config is the configuration that runs, and its files as they are; Check tells
	// what is wrong with the files, one problem a line, and applies nothing.
	Config  func() (Config, error)
	Check   func(ctx context.Context) error
	Samples *Samples
	Version string
	// Sandboxes are the accounts on no platform. Say takes in what is typed to one:
	// refused says why it is not heard; Chat is what was said in one.
	Sandboxes func() []string
	Say       func(ctx context.Context, l sandbox.Line) (refused string, err error)
	Chat      func(account, conversation string) ([]sandbox.Message, error)
	// Talks are the conversations that were lately active, and Talk reads one.
	Talks *talk.List
	Talk  func(ctx context.Context, account, conversation string) (Talk, error)
	// Skills lists the skills and draws those that are state machines; Try asks what
	// they would do, and changes nothing.
	Skills func() ([]engine.SkillInfo, []string)
	Try    func(ctx context.Context, q Question) (trial.Reply, error)
	Now    func() time.Time
	// Zone is that of the configuration, in which all times are shown.
	Zone func() *time.Location
	Log  *slog.Logger
}

// console is the handler's insides. It is safe for concurrent use.
type console struct {
	o     Options
	door  *door
	pages pages
	talks talks
}

// New returns the handler of the console's pages.
func New(o Options) http.Handler {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	c := &console{o: o, door: newDoor(o.Desk.Token, o.Now), pages: parsePages()}
	return secured(c.guard(c.routes()))
}

// secured says to browsers what pages of ours may do: nothing but what comes from
// here. What people are called and what they wrote is on these pages.
func secured(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "+
			"connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		if !strings.HasPrefix(r.URL.Path, "/assets/") {
			h.Set("Cache-Control", "no-store")
		}
		next.ServeHTTP(w, r)
	})
}

// guard lets in who has logged in, and keeps pages of other sites from pressing our
// buttons in an operator's browser.
func (c *console) guard(next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "a page of another site may not do that", http.StatusForbidden)
	}))
	return cross.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case c.o.Desk.Token == "" && !api.LocalName(r.Host):
			http.Error(w, "without admin.token the console answers only to a loopback address", http.StatusForbidden)
		case open(r.URL.Path), c.door.knows(r):
			next.ServeHTTP(w, r)
		case r.Method == http.MethodGet && r.Header.Get("X-Part") == "":
			http.Redirect(w, r, "/login?to="+escape(r.URL.RequestURI()), http.StatusSeeOther)
		default:
			http.Error(w, "log in again", http.StatusUnauthorized)
		}
	}))
}

// open tells whether a path can be seen without logging in.
func open(path string) bool {
	return path == "/login" || path == "/settings" || strings.HasPrefix(path, "/assets/")
}

func (c *console) notFound(w http.ResponseWriter, r *http.Request) {
	c.render(w, r, http.StatusNotFound, "missing", nil)
}
