package form

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
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
	Expires      engine.Duration `toml:"expires"`
	ExpiredReply string          `toml:"expired_reply"`
	TooMany      string          `toml:"too_many"`
	Done         string          `toml:"done"`
}

type stepConfig struct {
	Save     string `toml:"save"`
	Ask      string `toml:"ask"`
	Pattern  string `toml:"pattern"`
	Invalid  string `toml:"invalid"`
	Attempts int    `toml:"attempts"`
}

// What is said where the operator wrote nothing.
const (
	defaultInvalid   = "这个回答不符合要求，请重新输入。\nThat answer does not fit, please try again."
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
		TooMany: defaultTooMany, Done: defaultDone,
	}
	d.Decode(&c)
	saves := saved(&c)
	// Past the first question the match is gone: a state holds no more than
	// what was saved.
	later := render.Scope{Saves: saves}
	f := &form{
		Base:         d.Base(later),
		expires:      time.Duration(c.Expires),
		cancel:       words(d, "cancel", c.Cancel),
		exit:         words(d, "exit", c.Exit),
		cancelReply:  d.Text("cancel_reply", c.CancelReply, later),
		expiredReply: d.Text("expired_reply", c.ExpiredReply, later),
		tooMany:      d.Text("too_many", c.TooMany, later),
		done:         d.Text("done", c.Done, later),
		changed:      d.Text("", kind.Changed, later),
	}
	if d.Lacks("expires", c.Expires == 0) {
		d.Problem("expires", `a form that expires at once can never be filled in (expires = "10m")`)
	}
	if d.Lacks("step", len(c.Steps) == 0) {
		d.Problem("step", "a form needs at least one step")
	}
	for i := range c.Steps {
		first := render.Scope{Saves: saves}
		if i == 0 {
			first.Groups = d.Seen().Groups
		}
		f.steps = append(f.steps, newStep(d, i, &c.Steps[i], first, later))
	}
	unique(d, c.Steps)
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

// identifier is what a template can name: {{.Data.phone}}.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func newStep(d *kind.Draft, i int, c *stepConfig, first, later render.Scope) step {
	at := func(key string) string { return kind.Path("step", i, key) }
	s := step{
		save:     c.Save,
		ask:      d.Text(at("ask"), c.Ask, first),
		invalid:  d.Text(at("invalid"), c.Invalid, later),
		attempts: c.Attempts,
	}
	if d.Lacks(at("save"), !identifier.MatchString(c.Save)) {
		d.Problem(at("save"), `save names the answer in templates: a letter, then letters, digits and _ (save = "phone"), not %q`, c.Save)
	}
	if d.Lacks(at("ask"), strings.TrimSpace(c.Ask) == "") {
		d.Problem(at("ask"), `a step needs a question (ask = "…")`)
	}
	if strings.TrimSpace(c.Invalid) == "" {
		s.invalid = d.Text(at("invalid"), defaultInvalid, later)
	}
	if !d.Has(at("attempts")) {
		s.attempts = defaultAttempts
	}
	if d.Lacks(at("attempts"), s.attempts < 1 || s.attempts > maxAttempts) {
		d.Problem(at("attempts"), "attempts must be between 1 and %d, not %d", maxAttempts, c.Attempts)
	}
	if c.Pattern == "" {
		return s
	}
	var err error
	if s.pattern, err = match.Compile(c.Pattern); err != nil {
		d.Problem(at("pattern"), "%v", err)
	}
	return s
}

func unique(d *kind.Draft, steps []stepConfig) {
	for i, s := range steps {
		earlier := slices.IndexFunc(steps, func(o stepConfig) bool { return o.Save == s.Save })
		if s.Save != "" && earlier < i {
			d.Problem(kind.Path("step", i, "save"), "%q is already saved by the step at %s", s.Save, d.At(kind.Path("step", earlier, "save")))
		}
	}
}

// words are said alone, in any width or case and with any punctuation.
func words(d *kind.Draft, key string, typed []string) match.Rule {
	var r match.Rule
	for i, w := range typed {
		if w == "" && !d.Lacks(kind.Path(key, i), true) {
			continue
		}
		k, err := match.NewKeyword(w, match.Exact)
		if err != nil {
			d.Problem(kind.Path(key, i), "%v", err)
			continue
		}
		r.Keywords = append(r.Keywords, k)
	}
	return r
}
