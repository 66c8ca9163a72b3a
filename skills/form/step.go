package form

import (
	"regexp"
	"slices"
	"strings"

	"bot/skills/kind"
	"bot/skills/render"
)

type stepConfig struct {
	Save      string         `toml:"save"`
	Ask       string         `toml:"ask"`
	Type      string         `toml:"type"`
	Choices   []string       `toml:"choices"`
	Validate  string         `toml:"validate"`
	Min       any            `toml:"min"`
	Max       any            `toml:"max"`
	MinLength int            `toml:"min_length"`
	MaxLength int            `toml:"max_length"`
	Pattern   string         `toml:"pattern"`
	Example   string         `toml:"example"`
	Invalid   string         `toml:"invalid"`
	NotText   string         `toml:"not_text"`
	Attempts  int            `toml:"attempts"`
	Optional  bool           `toml:"optional"`
	Skip      []string       `toml:"skip"`
	When      map[string]any `toml:"when"` // earlier answers: a value, or a list of values
	Next      any            `toml:"next"` // a name, or a table of names by the answer
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
