// Package console is the operator's pages, on the admin listener: what is going
// on, what is stuck, and the buttons that mend it. Pages are made here, complete
// and in Chinese or English; the small scripts only bring in again what changes, so
// that everything works without them. It does what it does by the same acts as the
// API (api.Options), and knows no platform.
package console

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

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
	Log    *slog.Logger
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
	r := httprouter.New()
	r.HandleOPTIONS = false
	get := func(path string, h http.HandlerFunc) { r.HandlerFunc(http.MethodGet, path, h) }
	post := func(path string, h http.HandlerFunc) { r.HandlerFunc(http.MethodPost, path, h) }

	r.Handler(http.MethodGet, "/assets/:name", assets())
	get("/login", c.loginPage)
	post("/login", c.login)
	post("/logout", c.logout)
	post("/settings", c.settings)

	get("/", c.page("overview", c.overview))
	get("/live", c.part("overview", "live", c.overview))
	post("/pause", c.act(c.pause(true)))
	post("/resume", c.act(c.pause(false)))

	get("/dead", c.page("dead", c.dead))
	post("/dead/replay", c.act(c.deadReplay))
	post("/dead/drop", c.act(c.deadDrop))

	get("/doubts", c.page("doubts", c.doubts))
	post("/doubts/resend", c.act(c.resolve(false)))
	post("/doubts/resend-all", c.act(c.resendAll))
	post("/doubts/delivered", c.act(c.resolve(true)))

	get("/commands", c.page("commands", c.commands))
	post("/commands/cancel", c.act(c.cancel))

	get("/contacts", c.page("contacts", c.contacts))
	post("/contacts/labels", c.act(c.label))
	post("/contacts/forget", c.act(c.forget))

	get("/alerts", c.page("alerts", c.alerts))
	post("/alerts/test", c.act(c.tryAlerts))
	post("/alerts/unmute", c.act(c.unmute))
	get("/chat", c.page("chat", c.chat))
	get("/chat/live", c.part("chat", "dialogue", c.chat))
	post("/chat", c.act(c.chatSay))
	get("/conversations", c.page("conversations", c.conversations))
	get("/conversations/live", c.part("conversations", "rows", c.conversations))
	get("/conversation", c.page("conversation", c.conversation))
	get("/conversation/live", c.part("conversation", "timeline", c.conversation))
	get("/conversation/standing", c.part("conversation", "standing", c.conversation))
	post("/conversation/mute", c.toConversation("said.muted", c.muteTalk))
	post("/conversation/unmute", c.toConversation("said.heard", c.unmuteTalk))
	post("/conversation/block", c.toConversation("said.blocked", c.standing(engine.Block)))
	post("/conversation/unblock", c.toConversation("said.unblocked", c.standing(engine.Unblock)))
	post("/conversation/release", c.toConversation("said.released", c.release))
	get("/trace", c.page("trace", c.trace))
	get("/skills", c.page("skills", c.skills))
	c.routeCasts(get, post)

	get("/schedules", c.page("schedules", c.schedules))
	get("/schedules/live", c.part("schedules", "live", c.schedules))
	post("/schedules/run", c.act(c.scheduleRun))

	get("/config", c.page("config", c.config))
	post("/config", c.reload)

	r.NotFound = http.HandlerFunc(c.notFound)
	r.MethodNotAllowed = http.HandlerFunc(c.notFound)
	r.PanicHandler = func(w http.ResponseWriter, r *http.Request, v any) {
		o.Log.Error("console request failed", "path", r.URL.Path, "panic", v)
		http.Error(w, "this request failed; the log has the reason", http.StatusInternalServerError)
	}
	return secured(c.guard(r))
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
