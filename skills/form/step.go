package form

import (
	"regexp"
	"slices"
	"strings"

	"bot/skills/kind"
	"bot/skills/render"
)

// stepConfig is one question of a form ([forms](skills.md#what-step)).
//
//	[[skill]]
//	name = "visit"
//	keywords = ["预约"]
//
//	[[skill.step]]
//	save = "kind"
//	ask = "哪种服务？"
//	choices = ["到店", "上门"]
//	next = {"到店" = "day", "上门" = "name"}
//
//	[[skill.step]]
//	save = "name"
//	ask = "怎么称呼您？"
//	min_length = 2
//
//	[[skill.step]]
//	save = "address"
//	type = "text"
//	ask = "请输入地址"
//	max_length = 100
//	attempts = 3
//
//	[[skill.step]]
//	save = "day"
//	ask = "哪一天？"
//	validate = "date"
//	min = "today"
//	max = "today+30d"
//	optional = true
type stepConfig struct {
	// The name of the answer in templates: a letter, then letters, digits and `_`.
	Save string `toml:"save" default:"required"`
	// The question, a template.
	Ask string `toml:"ask" default:"required"`
	// What the step wants.
	Type string `toml:"type" is:"text|image|file|voice|video" default:"'\"text\"'"`
	// The answers to choose from, shown with their numbers.
	Choices []string `toml:"choices"`
	// A sort of answer.
	Validate string `toml:"validate" is:"mobile_cn|id_card_cn|date|number|email"`
	// The least number (`18`) or date (`"2026-01-31"`, `"today+30d"`).
	Min any `toml:"min" is:"$text|$number"`
	// The most.
	Max any `toml:"max" is:"$text|$number"`
	// Of the answer, in characters.
	MinLength int `toml:"min_length" is:"1.."`
	// Of the answer, in characters.
	MaxLength int `toml:"max_length" is:"1.."`
	// A regular expression for the answer as it would be saved; write `^…$` for the whole of it.
	Pattern string `toml:"pattern"`
	// An answer that fits, which is tried.
	Example string `toml:"example"`
	// What a bad answer gets.
	Invalid string `toml:"invalid" default:"a line that says what is wanted"`
	// As in the form, for this step alone.
	NotText string `toml:"not_text" default:"the form's"`
	// Bad answers before the form ends.
	Attempts int `toml:"attempts" is:"1..100" default:"'3'"`
	// A word of `skip` leaves the step out.
	Optional bool `toml:"optional"`
	// As in the form, for this step alone.
	Skip []string `toml:"skip" default:"the form's"`
	// Asked only if earlier answers are among these.
	When map[string]any `toml:"when" default:"always"`
	// Where to go on: the `save` of a step, `"done"`, or a table of them by the answer.
	Next any `toml:"next" is:"$text|$table" default:"the step beneath"`
}

// step is one question.
type step struct {
	save     string
	ask      *render.Template
	typed    string // the question as the operator wrote it
	wants    wants
	invalid  *render.Template
	notText  *render.Template
	attempts int
	optional bool
	skip     words
	route
}

// defaultNotText is what a picture gets where words are wanted.
const defaultNotText = "这里只能看文字，请打字回答。\nI can only read text here, please type your answer."

// defaultSkip are the words that leave an optional step out.
var defaultSkip = []string{"跳过", "skip"}

// newSteps reads all but the questions and the ways between them.
func newSteps(d *kind.Draft, c *config, later render.Scope) []step {
	if d.Lacks("step", len(c.Steps) == 0) {
		d.Problem("step", "a form needs at least one step")
	}
	skip := wordsOr(d, "skip", c.Skip, defaultSkip)
	if d.Has("skip") && !slices.ContainsFunc(c.Steps, func(s stepConfig) bool { return s.Optional }) {
		d.Problem("skip", "skip does nothing where no step is optional (optional = true)")
	}
	var steps []step
	for i := range c.Steps {
		s := newStep(d, i, &c.Steps[i], later)
		s.notText = textOr(d, kind.Path("step", i, "not_text"), c.Steps[i].NotText, later, defaultNotText, c.NotText)
		if at := kind.Path("step", i, "skip"); s.optional {
			s.skip = skip
			if d.Has(at) {
				s.skip = wordsOr(d, at, c.Steps[i].Skip, nil)
			}
		}
		steps = append(steps, s)
	}
	unique(d, c.Steps)
	return steps
}

// identifier is what a template can name: {{.Data.phone}}.
var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func newStep(d *kind.Draft, i int, c *stepConfig, later render.Scope) step {
	at := func(key string) string { return kind.Path("step", i, key) }
	s := step{save: c.Save, typed: c.Ask, wants: newWants(d, at, c), attempts: c.Attempts, optional: c.Optional}
	s.invalid = textOr(d, at("invalid"), c.Invalid, later, s.wants.plea(c.Example))
	if d.Lacks(at("save"), !identifier.MatchString(c.Save)) {
		d.Problem(at("save"), `save names the answer in templates: a letter, then letters, digits and _ (save = "phone"), not %q`, c.Save)
	}
	if !d.Has(at("attempts")) {
		s.attempts = defaultAttempts
	}
	if d.Lacks(at("attempts"), s.attempts < 1 || s.attempts > maxAttempts) {
		d.Problem(at("attempts"), "attempts must be between 1 and %d, not %d", maxAttempts, c.Attempts)
	}
	if d.Has(at("not_text")) && s.wants.medium != "" {
		d.Problem(at("not_text"), "not_text is for steps that take a text; what does not fit here gets invalid")
	}
	if d.Has(at("skip")) && !s.optional {
		d.Problem(at("skip"), "skip does nothing in a step that must be answered (optional = true)")
	}
	return s
}

// textOr is the text at a key, else the last of the others that is not blank.
func textOr(d *kind.Draft, key, text string, s render.Scope, others ...string) *render.Template {
	for i := len(others) - 1; i >= 0 && strings.TrimSpace(text) == ""; i-- {
		text = others[i]
	}
	return d.Text(key, text, s)
}

// question reads what is asked, with the choices beneath.
func (s *step) question(d *kind.Draft, i int, c *stepConfig, scope render.Scope) {
	at := kind.Path("step", i, "ask")
	if d.Lacks(at, strings.TrimSpace(c.Ask) == "") {
		d.Problem(at, `a step needs a question (ask = "…")`)
		return
	}
	ask := c.Ask
	if s.wants.choices != nil && ask != "" {
		ask = strings.TrimRight(ask, "\n") + "\n" + literal(s.wants.choices.List())
	}
	s.ask = d.Text(at, ask, scope)
}

// literal is a text to stand in a template as it is.
func literal(s string) string { return strings.ReplaceAll(s, "{{", `{{"{{"}}`) }

func unique(d *kind.Draft, steps []stepConfig) {
	for i, s := range steps {
		earlier := slices.IndexFunc(steps, func(o stepConfig) bool { return o.Save == s.Save })
		if s.Save != "" && earlier < i {
			d.Problem(kind.Path("step", i, "save"), "%q is already saved by the step at %s", s.Save, d.At(kind.Path("step", earlier, "save")))
		}
	}
}
