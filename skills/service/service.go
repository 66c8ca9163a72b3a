// Package service is the kind of skill that asks another system, or tells it
// something, and answers with what comes back: an order looked up, a ticket
// opened, a coupon granted.
package service

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
	"bot/skills/webcall"
)

// Kind is a skill with a [skill.http] table.
var Kind = kind.Kind{Key: "http", Name: "web service", Also: []string{"reply"}, Config: defaults(), New: build}

// config is a skill that asks a web service.
//
//	[[skill]]
//	name = "order"
//	match = "regex"
//	patterns = ['^查订单\s*(\w+)$']
//
//	[skill.http]
//	method = "GET"
//	url = "https://erp.example.com/orders/{{index .Match 1 | urlquery}}"
//	headers = {Authorization = "Bearer ${ERP_TOKEN:-}"}
//	timeout = "5s"
//	retries = 2
//	max_response = "1MiB"
//	reply = "订单 {{index .Match 1}}：{{.Response.status}}"
//	replies = {"404" = "没有找到这个订单"}
//	fallback = "系统忙，请稍后再试"
type config struct {
	kind.Keys
	HTTP table `toml:"http"`
	// Misplaced: it stands in the table.
	Reply any `toml:"reply" is:"-"`
}

// table is the request, and what is made of its answer.
type table struct {
	webcall.Table
	// What is said to a status of 2xx, a template.
	Reply string `toml:"reply"`
	// What is said to others, by number (`"404"`) or class (`"4xx"`).
	Replies map[string]string `toml:"replies"`
	// What is said where nothing else can be; `""` says nothing.
	Fallback string `toml:"fallback" default:"a line in both languages"`
}

// defaultFallback is what is said where nothing came and the operator wrote
// nothing.
const defaultFallback = "系统忙，请稍后再试。\nThe system is busy, please try again later."

// skill makes one call for every event it answers.
type skill struct {
	kind.Base
	call     *webcall.Service
	reply    *render.Template            // to a status of 2xx
	replies  map[string]*render.Template // by status and class; nil ones say nothing
	fallback *render.Template
}

func defaults() config {
	return config{HTTP: table{Table: webcall.Defaults(), Fallback: defaultFallback}}
}

func build(d *kind.Draft) engine.Skill {
	c := defaults()
	d.Decode(&c)
	answered := d.Seen()
	answered.Response, answered.Strict = true, true
	s := &skill{
		Base:     d.Base(d.Seen()),
		call:     webcall.New(d, "http", c.HTTP.Table, d.Seen()),
		reply:    d.Text("http.reply", c.HTTP.Reply, answered),
		replies:  make(map[string]*render.Template),
		fallback: d.Text("http.fallback", c.HTTP.Fallback, d.Seen()),
	}
	if d.Has("reply") {
		d.Problem("reply", `the reply to what a web service answers stands in its table ([skill.http], then reply = "…")`)
	}
	for _, status := range slices.Sorted(maps.Keys(c.HTTP.Replies)) {
		key := kind.Path("http.replies", status)
		if !isStatus.MatchString(status) {
			d.Problem(key, `%q is no status: replies are by a number ("404") or by a class of them ("4xx", "5xx"); reply is for all of 2xx`, status)
			continue
		}
		s.replies[status] = d.Text(key, c.HTTP.Replies[status], answered)
	}
	if d.Has("once") && !d.Has("http.fallback") && strings.Contains(c.HTTP.Reply, ".Response") && !strings.Contains(c.HTTP.Reply, "default") {
		d.Warn("http.reply", `where the service says yes and its answer lacks what this shows, the once-key is taken, since the service may have granted, and "please try again later" is said to somebody who cannot (write a fallback of your own, such as "已登记，有问题请联系我们", or {{.Response.code | default "…"}})`)
	}
	d.Need(engine.SendText, "http")
	return s
}

var isStatus = regexp.MustCompile(`^([2-5]\d\d|[345]xx)$`)

// Handle implements engine.Skill. The once-key of a skill that grants is the key
// that the service knows the grant by, and is taken only where the service said
// yes. Whoever hears the fallback after a no, or after no answer, may ask again; where
// only the words for a yes are missing the grant may have been made, and a second one is
// what a once-key is there to refuse.
func (s *skill) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	due, data := s.Due(t), render.Of(t)
	out, granted, err := s.Guard(t, due, data)
	if err != nil || !granted {
		return out, err
	}
	r, err := s.call.Call(ctx, data, webcall.KeyOf(t, &s.Base, out))
	if err != nil {
		return engine.Outcome{}, err
	}
	if !r.OK() {
		out.Once = nil
	}
	var said bool
	out.Commands, out.Note, said, err = s.answer(due, data, &r)
	if s.Grants() && r.OK() && !said {
		out.Note += "; the service said yes, so the once-key is taken"
	}
	return out, err
}

// answer says what came back, or the fallback where that cannot be said; said tells
// which.
func (s *skill) answer(due time.Time, data *render.Data, r *webcall.Result) (commands []engine.Command, note string, said bool, err error) {
	text, why := s.text(r)
	if why == "" {
		data.Response = r.Response
		commands, err := s.Say(due, text, data)
		if err == nil {
			return commands, "answered " + strconv.Itoa(r.Status), true, nil
		}
		why = err.Error()
		if !r.JSON {
			why += " (the answer is not JSON)"
		}
		data.Response = nil
	}
	commands, err = s.Say(due, s.fallback, data)
	return commands, "fallback: " + why, false, err
}

// text is what is said to a result, or why nothing of it can be.
func (s *skill) text(r *webcall.Result) (text *render.Template, why string) {
	status := strconv.Itoa(r.Status)
	if r.Why != "" {
		return nil, r.Why
	}
	for _, of := range []string{status, status[:1] + "xx"} {
		if text, ok := s.replies[of]; ok {
			return text, ""
		}
	}
	if !r.OK() {
		return nil, "status " + status
	}
	return s.reply, ""
}
