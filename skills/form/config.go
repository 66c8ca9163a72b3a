package form

import (
	"slices"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is a skill with [[skill.step]] tables.
var Kind = kind.Kind{Key: "step", Name: "form", Config: defaults(), Stateful: true, New: build}

// config is a skill that asks step by step.
//
//	[[skill]]
//	name = "bind"
//	keywords = ["绑定"]
//	cancel = ["取消"]
//	expires = "10m"
//	expired_reply = "会话已过期，请重新发送“绑定”"
//	confirm = "手机号 {{.Data.phone}}，对吗？"
//	confirm_no = "again"
//	done = "绑定成功：{{.Data.phone}}"
//
//	[[skill.step]]
//	save = "phone"
//	ask = "请输入手机号"
//	validate = "mobile_cn"
//
//	[[skill.then]]
//	text = "{{.User}} 绑定了 {{.Data.phone}}"
//	to = "staff-room"
type config struct {
	kind.Keys
	Steps []stepConfig `toml:"step"`
	// Words that end the form.
	Cancel []string `toml:"cancel"`
	// What is said then; `""` says nothing.
	CancelReply string `toml:"cancel_reply" default:"a line in both languages"`
	// Words that end the form and are answered by the other skills.
	Exit []string `toml:"exit"`
	// Words that return to the question before.
	Back []string `toml:"back"`
	// Words that leave an optional step out.
	Skip []string `toml:"skip" default:"'[\"跳过\", \"skip\"]'"`
	// What a picture or a voice gets where words are wanted; it costs no attempt.
	NotText string `toml:"not_text" default:"a line in both languages"`
	// How long an answer may take.
	Expires engine.Duration `toml:"expires"`
	// What is said when it took longer.
	ExpiredReply string `toml:"expired_reply"`
	// What is said when the attempts of a step are used up.
	TooMany string `toml:"too_many" default:"a line in both languages"`
	// A last question, a template.
	Confirm string `toml:"confirm"`
	// Words that answer it, with `confirm`.
	Yes []string `toml:"yes" default:"the usual words"`
	// Words that answer it, with `confirm`.
	No []string `toml:"no" default:"the usual words"`
	// After a no: begin again, or end with `cancel_reply`.
	ConfirmNo string `toml:"confirm_no" is:"again|cancel"`
	// What is said at the end, a template.
	Done string `toml:"done" default:"a line in both languages"`
	// What is said in place of `done` when the call at the end fails.
	Failed string       `toml:"failed" default:"a line in both languages"`
	Then   []thenConfig `toml:"then"`
}

// What is said where the operator wrote nothing.
const (
	defaultCancelled = "已取消。\nCancelled."
	defaultTooMany   = "错误次数过多，已退出，请重新开始。\nToo many answers did not fit. Please start again."
	defaultDone      = "已完成，谢谢！\nDone, thank you!"
)

const (
	defaultExpires  = 10 * time.Minute
	defaultAttempts = 3
	maxAttempts     = 100
)

func defaults() config {
	return config{
		Expires: engine.Duration(defaultExpires), CancelReply: defaultCancelled,
		TooMany: defaultTooMany, Done: defaultDone, ConfirmNo: noAgain,
		Failed: defaultFailed,
	}
}

func build(d *kind.Draft) engine.Skill {
	c := defaults()
	d.Decode(&c)
	// Past the first question the match is gone: a state holds no more than
	// what was saved.
	later := render.Scope{Saves: saved(&c)}
	f := &form{
		Base:         d.Base(later),
		folding:      d.World.Folding,
		expires:      time.Duration(c.Expires),
		cancel:       newWords(d, "cancel", c.Cancel),
		exit:         newWords(d, "exit", c.Exit),
		back:         newWords(d, "back", c.Back),
		cancelReply:  d.Text("cancel_reply", c.CancelReply, later),
		expiredReply: d.Text("expired_reply", c.ExpiredReply, later),
		tooMany:      d.Text("too_many", c.TooMany, later),
		changed:      d.Text("", kind.Changed, later),
		confirm:      newConfirm(d, &c, later),
	}
	f.call = newCall(d, &c, later)
	ending := later
	ending.Response, ending.Strict = f.call != nil, f.call != nil
	f.done, f.then = d.Text("done", c.Done, ending), newThen(d, c.Then, ending)
	if d.Lacks("expires", c.Expires == 0) {
		d.Problem("expires", `a form that expires at once can never be filled in (expires = "10m")`)
	}
	f.steps = newSteps(d, &c, later)
	joined := connect(d, f.steps, c.Steps)
	f.ask(d, &c, later)
	f.lint(d, &c, joined)
	d.Need(engine.SendText, "step")
	return f
}

// saved lists what the steps save, each name once.
func saved(c *config) []string {
	var names []string
	for _, s := range c.Steps {
		if s.Save != "" && !slices.Contains(names, s.Save) {
			names = append(names, s.Save)
		}
	}
	return names
}

// ask reads the questions, once the ways between them are known: the first may
// refer to the match unless it may be asked a second time.
func (f *form) ask(d *kind.Draft, c *config, later render.Scope) {
	for i := range f.steps {
		scope := later
		if i == 0 && !f.asksAgain() {
			scope.Groups = d.Seen().Groups
		}
		f.steps[i].question(d, i, &c.Steps[i], scope)
	}
}

// asksAgain tells whether anything leads back to the first question.
func (f *form) asksAgain() bool {
	if !f.back.none() || f.confirm != nil && !f.confirm.cancels {
		return true
	}
	return slices.ContainsFunc(f.steps, func(s step) bool { return s.leadsTo(0) })
}
