package form

import (
	"slices"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/render"
)

// Kind is a skill with [[skill.step]] tables.
var Kind = kind.Kind{Key: "step", Name: "form", Config: config{}, Stateful: true, New: build}

type config struct {
	kind.Keys
	Steps        []stepConfig    `toml:"step"`
	Cancel       []string        `toml:"cancel"`
	CancelReply  string          `toml:"cancel_reply"`
	Exit         []string        `toml:"exit"` // leave the form and let the other skills answer
	Back         []string        `toml:"back"` // return to the question before
	Skip         []string        `toml:"skip"` // leave an optional step out
	NotText      string          `toml:"not_text"`
	Expires      engine.Duration `toml:"expires"`
	ExpiredReply string          `toml:"expired_reply"`
	TooMany      string          `toml:"too_many"`
	Confirm      string          `toml:"confirm"`
	Yes          []string        `toml:"yes"`
	No           []string        `toml:"no"`
	ConfirmNo    string          `toml:"confirm_no"`
	Done         string          `toml:"done"`
	Failed       string          `toml:"failed"`
	Then         []thenConfig    `toml:"then"`
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

func build(d *kind.Draft) engine.Skill {
	c := config{
		Expires: engine.Duration(defaultExpires), CancelReply: defaultCancelled,
		TooMany: defaultTooMany, Done: defaultDone, ConfirmNo: noAgain,
		Failed: defaultFailed,
	}
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
