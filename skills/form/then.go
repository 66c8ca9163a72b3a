package form

import (
	"context"
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/act"
	"bot/skills/kind"
	"bot/skills/render"
	"bot/skills/webcall"
)

// thenConfig is one thing done at the end of a form: an action, a text to somebody else, or a call of a web
// service, of which there may be one.
type thenConfig struct {
	// An action; see [skills](skills.md).
	Do string `toml:"do" is:"@plain actions"`
	// What it needs.
	Params map[string]any `toml:"params"`
	// A message to another conversation, a template; with `to`.
	Text string `toml:"text"`
	// That conversation, a template.
	To string `toml:"to"`
	// The account that sends it.
	Account string        `toml:"account" default:"the one that heard the answers"`
	HTTP    webcall.Table `toml:"http"` // see call
}

// deed is one thing that a form does when all answers are collected. It is
// safe for concurrent use.
type deed interface {
	// Do makes the commands. It may be called again for the same event, as
	// engine.Skill.Handle is. note says in a few words what was not done; "" when
	// all was.
	Do(ctx context.Context, t *engine.Turn, d *render.Data) (commands []engine.Command, note string, err error)
	// String is the deed in a few words, for people.
	String() string
}

// deeds are the sorts that there are, by the key that tells them apart. at names
// a key of the table that the deed is read from.
var deeds = []struct {
	key  string
	with []string // keys that go with it
	read func(d *kind.Draft, at func(string) string, c *thenConfig, s render.Scope) deed
}{
	{"do", []string{"params"}, newAction},
	{"text", []string{"to", "account"}, newMessage},
}

func newThen(d *kind.Draft, c []thenConfig, s render.Scope) (all []deed) {
	for i := range c {
		if d.Has(kind.Path("then", i, "http")) && !oneOf(d, i) {
			continue // a call
		}
		at := func(key string) string { return kind.Path("then", i, key) }
		given := 0
		for _, sort := range deeds {
			if !d.Has(at(sort.key)) {
				for _, key := range sort.with {
					if d.Has(at(key)) {
						d.Problem(at(key), "%s does nothing without %s", key, sort.key)
					}
				}
				continue
			}
			if given++; given == 1 {
				all = append(all, sort.read(d, at, &c[i], s))
			}
		}
		if given != 1 || d.Has(at("http")) {
			d.Problem(kind.Path("then", i), `a [[skill.then]] does one thing (do = "set_label" with params, text = "…" with to, or http = {url = "…"})`)
		}
	}
	return all
}

// oneOf tells whether a table that holds a call holds something else besides.
func oneOf(d *kind.Draft, i int) bool {
	return slices.ContainsFunc([]string{"do", "params", "text", "to", "account"}, func(key string) bool { return d.Has(kind.Path("then", i, key)) })
}

// action is `do` with its params.
type action struct{ act act.Action }

func newAction(d *kind.Draft, at func(string) string, c *thenConfig, s render.Scope) deed {
	if wishes := []string{string(engine.Unsubscribe), string(engine.Subscribe)}; slices.Contains(wishes, c.Do) {
		d.Problem(at("do"), "%s is what a skill of its own does, when people ask for it", c.Do)
		return &action{}
	}
	// It is a message that brings the last answer, whatever began the form.
	place := act.Place{Prefix: at(""), On: engine.Message, Scope: s}
	return &action{act.New(d, place, c.Do, c.Params)}
}

func (a *action) Do(_ context.Context, t *engine.Turn, d *render.Data) ([]engine.Command, string, error) {
	c, why, err := a.act.Command(t.Event, d)
	if err != nil || why != "" {
		return nil, why, err
	}
	return []engine.Command{c}, "", nil
}

func (a *action) String() string { return a.act.Name() }

// message is a text to somebody else, such as staff.
type message struct {
	text, to *render.Template
	whom     string // as the operator wrote it
	account  string // that says it; "": the one that heard the answers
	limit    int
}

func newMessage(d *kind.Draft, at func(string) string, c *thenConfig, s render.Scope) deed {
	m := &message{
		text: d.Text(at("text"), c.Text, s), to: d.Text(at("to"), c.To, s),
		whom: c.To, account: c.Account, limit: d.World.Limit,
	}
	if d.Lacks(at("text"), strings.TrimSpace(c.Text) == "") {
		d.Problem(at("text"), "an empty text says nothing to anybody")
	}
	if d.Lacks(at("to"), strings.TrimSpace(c.To) == "") {
		d.Problem(at("to"), `a text needs the id of the conversation it goes to (to = "staff-room"); what the user hears is done = "…"`)
	}
	if d.Has(at("account")) {
		d.Account(at("account"), c.Account)
	}
	d.NeedOf(c.Account, engine.SendText, at("text"))
	return m
}

func (m *message) Do(_ context.Context, _ *engine.Turn, d *render.Data) ([]engine.Command, string, error) {
	to, err := m.to.Execute(d)
	if err != nil {
		return nil, "", err
	}
	if to = strings.TrimSpace(to); to == "" {
		return nil, "no message: to came out empty", nil
	}
	text, err := m.text.Execute(d)
	if err != nil {
		return nil, "", err
	}
	out := kind.Texts(text, m.limit)
	for i := range out {
		out[i].Account, out[i].Conversation, out[i].Lane = m.account, to, engine.LanePush
	}
	return out, "", nil
}

func (m *message) String() string {
	if m.account == "" {
		return "text → " + m.whom
	}
	return "text → " + m.account + "/" + m.whom
}
