package console

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
)

// router takes down which path is whose.
type router struct{ *httprouter.Router }

func (r router) get(path string, h http.HandlerFunc)  { r.HandlerFunc(http.MethodGet, path, h) }
func (r router) post(path string, h http.HandlerFunc) { r.HandlerFunc(http.MethodPost, path, h) }

// routes are the paths of all pages, in the order of the head.
func (c *console) routes() http.Handler {
	r := router{httprouter.New()}
	r.HandleOPTIONS = false
	c.routeDoor(r)
	c.routeOverview(r)
	c.routeTalks(r)
	c.routeWaiting(r)
	c.routeAlerts(r)
	c.routeCasts(r)
	c.routeContacts(r)
	c.routeSkills(r)
	c.routeConfig(r)
	r.NotFound = http.HandlerFunc(c.notFound)
	r.MethodNotAllowed = http.HandlerFunc(c.notFound)
	r.PanicHandler = c.broken
	return r
}

func (c *console) routeDoor(r router) {
	r.Handler(http.MethodGet, "/assets/:name", assets())
	r.get("/login", c.loginPage)
	r.post("/login", c.login)
	r.post("/logout", c.logout)
	r.post("/settings", c.settings)
}

func (c *console) routeOverview(r router) {
	r.get("/", c.page("overview", c.overview))
	r.get("/live", c.part("overview", "live", c.overview))
	r.post("/pause", c.act(c.pause(true)))
	r.post("/resume", c.act(c.pause(false)))
}

func (c *console) routeTalks(r router) {
	r.get("/conversations", c.page("conversations", c.conversations))
	r.get("/conversations/live", c.part("conversations", "rows", c.conversations))
	r.get("/conversation", c.page("conversation", c.conversation))
	r.get("/conversation/live", c.part("conversation", "timeline", c.conversation))
	r.get("/conversation/standing", c.part("conversation", "standing", c.conversation))
	r.post("/conversation/mute", c.toConversation("said.muted", c.muteTalk))
	r.post("/conversation/unmute", c.toConversation("said.heard", c.unmuteTalk))
	r.post("/conversation/block", c.toConversation("said.blocked", c.standing(engine.Block)))
	r.post("/conversation/unblock", c.toConversation("said.unblocked", c.standing(engine.Unblock)))
	r.post("/conversation/release", c.toConversation("said.released", c.release))
	r.get("/chat", c.page("chat", c.chat))
	r.get("/chat/live", c.part("chat", "dialogue", c.chat))
	r.post("/chat", c.act(c.chatSay))
}

// routeWaiting are the pages of what was given up, is in doubt, or waits.
func (c *console) routeWaiting(r router) {
	r.get("/dead", c.page("dead", c.dead))
	r.post("/dead/replay", c.act(c.deadReplay))
	r.post("/dead/drop", c.act(c.deadDrop))
	r.get("/doubts", c.page("doubts", c.doubts))
	r.post("/doubts/resend", c.act(c.resolve(false)))
	r.post("/doubts/resend-all", c.act(c.resendAll))
	r.post("/doubts/delivered", c.act(c.resolve(true)))
	r.get("/commands", c.page("commands", c.commands))
	r.post("/commands/cancel", c.act(c.cancel))
}

func (c *console) routeAlerts(r router) {
	r.get("/alerts", c.page("alerts", c.alerts))
	r.post("/alerts/test", c.act(c.tryAlerts))
	r.post("/alerts/unmute", c.act(c.unmute))
}

// routeCasts are the pages of what is done to many, or by the clock.
func (c *console) routeCasts(r router) {
	b := c.o.Desk.Broadcasts
	r.get("/broadcasts", c.page("broadcasts", c.casts))
	r.get("/broadcasts/live", c.part("broadcasts", "live", c.casts))
	r.get("/broadcasts/new", c.page("compose", c.compose))
	r.post("/broadcasts/new", c.castMake)
	r.get("/broadcast", c.page("broadcast", c.cast))
	r.get("/broadcast/live", c.part("broadcast", "live", c.cast))
	r.get("/broadcast/failures", c.page("failures", c.failures))
	r.post("/broadcast/start", c.act(c.castStart))
	r.post("/broadcast/delete", c.act(c.castDelete))
	r.post("/broadcast/pause", c.act(c.castAct("said.cast.paused", b.Pause)))
	r.post("/broadcast/resume", c.act(c.castAct("said.cast.resumed", b.Resume)))
	r.post("/broadcast/cancel", c.act(c.castAct("said.cast.cancelled", b.Cancel)))
	r.get("/schedules", c.page("schedules", c.schedules))
	r.get("/schedules/live", c.part("schedules", "live", c.schedules))
	r.post("/schedules/run", c.act(c.scheduleRun))
}

func (c *console) routeContacts(r router) {
	r.get("/contacts", c.page("contacts", c.contacts))
	r.post("/contacts/labels", c.act(c.label))
	r.post("/contacts/forget", c.act(c.forget))
}

func (c *console) routeSkills(r router) {
	r.get("/skills", c.page("skills", c.skills))
	r.get("/trace", c.page("trace", c.trace))
}

func (c *console) routeConfig(r router) {
	r.get("/config", c.page("config", c.config))
	r.post("/config", c.reload)
}

// broken answers a request whose handler panicked; it harms no other.
func (c *console) broken(w http.ResponseWriter, r *http.Request, v any) {
	c.o.Log.Error("console request failed", "path", r.URL.Path, "panic", v)
	http.Error(w, "this request failed; the log has the reason", http.StatusInternalServerError)
}
