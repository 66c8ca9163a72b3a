package handoff

import (
	"strings"
	"time"

	"bot/engine"
	"bot/engine/nearest"
	"bot/skills/kind"
	"bot/skills/match"
	"bot/skills/render"
	"bot/skills/webcall"
)

// Kind is a skill with a [skill.handoff] table.
var Kind = kind.Kind{
	Key: "handoff", Name: "handoff", Also: []string{"reply"}, Config: defaults(), Stateful: true, Holds: true, New: build,
}

// config is a skill that hands the conversation over to people.
//
//	[[skill]]
//	name = "staff"
//	keywords = ["人工"]
//	reply = "正在为您转接客服"
//
//	[skill.handoff]
//	notify = {account = "shop", to = "staff-room"}
//	until = "2h"
//	release = ["/release"]
//	meanwhile = "relay"
//
//	[[account]]
//	name = "shop"
//	channel = "generic"
//	base_url = "https://api.example.com"
type config struct {
	kind.Keys
	// What the customer hears: that somebody will come.
	Reply   string `toml:"reply"`
	Handoff table  `toml:"handoff"`
}

// table is who is told, and when the bot is back.
type table struct {
	Notify notify `toml:"notify"`
	// What staff are told, a template.
	Text string `toml:"text" default:"who asks, and their words"`
	// So long after the last word of either side the bot is back.
	Until engine.Duration `toml:"until"`
	// Words that give the conversation back.
	Release []string `toml:"release"`
	// What customers say meanwhile: carried to staff, or only counted.
	Meanwhile string `toml:"meanwhile" is:"relay|count" default:"'\"relay\"' with 'notify', else '\"count\"'"`
	// What the customer hears when it is given back; `""` says nothing.
	Released string `toml:"released_reply" default:"a line in both languages"`
	// What they hear when the time is over.
	Expired string        `toml:"expired_reply"`
	HTTP    webcall.Table `toml:"http"` // opens a ticket
}

// notify is whom to tell.
type notify struct {
	// The account that speaks to staff.
	Account string `toml:"account" default:"the one that was spoken to"`
	// The id of the staff's conversation.
	To string `toml:"to" default:"required"`
}

// The values of `meanwhile`.
const (
	relay = "relay" // what is said goes to staff
	count = "count" // staff see it in the chat itself
)

const (
	defaultUntil    = 2 * time.Hour
	defaultText     = "{{.UserName | default .User}} 需要人工服务 / asks for a person：{{.Text}}"
	defaultReleased = "机器人已恢复服务。\nThe bot is back."
)

func defaults() config {
	return config{Handoff: table{
		Until: engine.Duration(defaultUntil), Release: []string{"/release"}, Text: defaultText, Released: defaultReleased,
		HTTP: webcall.Defaults(),
	}}
}

func build(d *kind.Draft) engine.Skill {
	c := defaults()
	d.Decode(&c)
	h := &c.Handoff
	// People hand over a conversation, whoever of them asked for it.
	if d.Has("scope") && d.Scope != "conversation" {
		d.Problem("scope", `a hand-off is always of the whole conversation (leave scope out)`)
	}
	d.Scope = "conversation"
	seen, later := d.Seen(), render.Scope{Saves: saved}
	opened := seen // what may be said once the ticket is there, or is not
	opened.Response = d.Has("handoff.http")
	s := &skill{
		Base: d.Base(seen), until: h.Until.Std(), account: h.Notify.Account, staff: h.Notify.To,
		reply: d.Text("reply", c.Reply, opened), notice: d.Text("handoff.text", h.Text, opened),
		released: d.Text("handoff.released_reply", h.Released, later), expired: d.Text("handoff.expired_reply", h.Expired, later),
		changed: d.Text("", kind.Changed, later), accounts: d.World.Accounts, limit: d.World.Limit, can: d.World.Can, folding: d.World.Folding,
	}
	s.relays = meanwhile(d, h)
	if d.Has("handoff.http") {
		s.ticket = webcall.New(d, "handoff.http", h.HTTP, seen)
	}
	for i, w := range h.Release {
		k, err := d.World.Folding.NewKeyword(w, match.Exact)
		if err != nil {
			d.Problem(kind.Path("handoff", "release", i), "%v", err)
			continue
		}
		s.release.Keywords = append(s.release.Keywords, k)
	}
	if d.Lacks("handoff.release", len(h.Release) == 0) {
		d.Problem("handoff.release", `without a word that ends it only time and the operator end a hand-off (release = ["/release"])`)
	}
	if d.Lacks("handoff.until", h.Until == 0) {
		d.Problem("handoff.until", `a hand-off that ends at once hands nothing over (until = "2h")`)
	}
	place(d, h)
	if d.On != string(engine.Message) {
		d.Problem("on", "a hand-off answers messages: people ask for it")
	}
	d.Need(engine.SendText, "handoff")
	return s
}

// meanwhile reads what becomes of what is said while staff are there.
func meanwhile(d *kind.Draft, h *table) (relays bool) {
	switch h.Meanwhile {
	case "":
		return h.Notify.To != ""
	case relay:
		if h.Notify.To == "" {
			d.Problem("handoff.meanwhile", `there is nobody to relay to (notify = {to = "…"})`)
		}
		return true
	case count:
		return false
	}
	d.Problem("handoff.meanwhile", "unknown meanwhile %q%s", h.Meanwhile, nearest.Hint(h.Meanwhile, []string{relay, count}))
	return false
}

// place checks where staff are.
func place(d *kind.Draft, h *table) {
	switch {
	case !d.Has("handoff.notify") && d.Has("handoff.http"):
		return
	case !d.Has("handoff.notify"):
		d.Warn("handoff", `nobody is told of a hand-off (notify = {to = "id of the staff's conversation"}); staff must watch the chats themselves`)
		return
	case d.Lacks("handoff.notify.to", strings.TrimSpace(h.Notify.To) == ""):
		d.Problem("handoff.notify", `notify needs the id of the staff's conversation (notify = {to = "12345@chatroom"})`)
	}
	if h.Notify.Account != "" {
		d.Account("handoff.notify.account", h.Notify.Account)
		d.NeedOf(h.Notify.Account, engine.SendText, "handoff.notify")
	}
}
