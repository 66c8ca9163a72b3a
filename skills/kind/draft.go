package kind

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/hours"
	"bot/engine/nearest"
	"bot/skills/match"
	"bot/skills/render"
)

// Draft is a skill in the making. Problems are collected, so that an operator
// learns all of them at once.
type Draft struct {
	Keys
	World World
	Rule  match.Rule
	// Times are the hours in which the skill answers, or outside of which it does.
	Times   hours.Times
	CallOff CallOff // of `unless` and `unless_keywords`
	Outside bool
	Needs   []Need
	// Answers are those of Test, one list for each.
	Answers [][]engine.Answer
	// Waits says that the skill waits for another system (engine.Choice.Waits).
	// A kind that sets it sets Concurrency as well where the operator did not, so
	// that what waits is bounded.
	Waits bool

	section   engine.Section
	problems  []error
	undecoded bool // some value could not be read, and that has been said
	unsure    bool // so it is of the rule: what it would match cannot be told
}

// World is what a skill is built for, besides its own section.
type World struct {
	Limit    int      // of one text on the platforms, in bytes
	Accounts []string // their names
	Selves   []string // their own ids on the platforms, as far as they are known
	// Can tells whether an account's platform has an action.
	Can func(account string, a engine.Action) bool
	// Fetch makes a client for other systems, as fetch.NewClient does.
	Fetch func(allow func(host string) bool) *http.Client
	// Folding is how texts are compared.
	Folding match.Folding
	// Hours are the lists of [hours] by their names.
	Hours map[string]hours.Times
	// Audiences are the named audiences that broadcasts may reach.
	Audiences []string
	// Location is where an account is, and Now what time it is.
	Location func(account string) *time.Location
	Now      func() time.Time
}

// Need is an action that a skill takes and its platforms must have; Key is
// what asks for it.
type Need struct {
	Action  engine.Action
	Key     string
	Account string // that takes it; "": whichever the event came to
	// Given tells which params the skill gives; nil: those that come with its event.
	Given func(param string) bool
}

// NewDraft starts a skill from its section.
func NewDraft(s engine.Section, w World) *Draft { return &Draft{section: s, World: w} }

// Decode reads the section into the kind's own struct. The common keys in it
// get their defaults before and are checked after. It must come first in New.
func (d *Draft) Decode(v Config) {
	*v.keys() = Defaults()
	if err := d.section.Decode(v); err != nil {
		d.problems = append(d.problems, err)
		d.undecoded = true
	}
	d.Keys = *v.keys()
	d.check()
}

// DecodeTable reads a section that has none of the common keys. Keys are for the
// caller to fill in.
func (d *Draft) DecodeTable(v any) {
	if err := d.section.Decode(v); err != nil {
		d.problems = append(d.problems, err)
		d.undecoded = true
	}
}

// Has tells whether the section holds the key.
func (d *Draft) Has(key string) bool { return d.section.Has(key) }

// Lacks tells whether the value of a key, decoded as empty, is really missing:
// one that is there and could not be decoded is not complained of twice.
func (d *Draft) Lacks(key string, empty bool) bool {
	return empty && !(d.undecoded && d.Has(key))
}

// At is the file:line of the key.
func (d *Draft) At(key string) string { return d.section.At(key) }

// Position is the file:line:col of the key.
func (d *Draft) Position(key string) string { return d.section.Position(key) }

// Problem notes what is wrong with a key ("" for the whole section).
func (d *Draft) Problem(key, format string, args ...any) {
	d.problems = append(d.problems, d.section.Errorf(key, format, args...))
}

// Warn tells the operator of what is allowed but probably not meant.
func (d *Draft) Warn(key, format string, args ...any) { d.section.Warnf(key, format, args...) }

// Need notes an action that the skill takes.
func (d *Draft) Need(a engine.Action, key string) { d.NeedOf("", a, key) }

// NeedOf notes an action that the skill takes by an account of its own choice.
func (d *Draft) NeedOf(account string, a engine.Action, key string) {
	d.Needs = append(d.Needs, Need{Action: a, Key: key, Account: account})
}

// NeedWith notes an action that the skill takes with the params for which given
// is true.
func (d *Draft) NeedWith(a engine.Action, key string, given func(param string) bool) {
	d.Needs = append(d.Needs, Need{Action: a, Key: key, Given: given})
}

// Account checks that there is an account of the name that stands at a key.
func (d *Draft) Account(key, name string) {
	if !slices.Contains(d.World.Accounts, name) {
		d.Problem(key, "there is no account %q%s", name, nearest.Hint(name, d.World.Accounts))
	}
}

// Err is all that is wrong, nil when nothing is.
func (d *Draft) Err() error { return errors.Join(d.problems...) }

// Text parses the template at a key; nil where the text is blank or bad.
func (d *Draft) Text(key, text string, s render.Scope) *render.Template {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	t, err := render.Parse(text, s)
	if err != nil {
		d.Problem(key, "%v", err)
	}
	if t != nil {
		d.length(key, t)
		if t.Mute() {
			d.Problem(key, "this text comes out blank whatever is filled in, so nothing would be said")
		}
	}
	if doubt := render.Doubt(text); doubt != "" {
		d.Warn(key, "%s", doubt)
	}
	return t
}

// length warns of a text that is sent in pieces.
func (d *Draft) length(key string, t *render.Template) {
	if n, limit := t.Least(), d.World.Limit; limit > 0 && n > limit {
		d.Warn(key, "this text of %d bytes or more is sent in %d messages, since one takes %d (a link or a file reads better)", n, (n+limit-1)/limit, limit)
	}
}

// Seen is what the skill's first answer may refer to, when the rule has just
// matched.
func (d *Draft) Seen() render.Scope {
	if d.unsure {
		return render.Scope{Groups: manyGroups}
	}
	return render.Scope{Groups: d.Rule.Groups()}
}

// manyGroups stands for however many a pattern has that could not be read: to
// complain of references to its groups would lead away from the fault.
const manyGroups = 1000

// Path is the dotted key of an element: Path("step", 1, "ask") is "step.1.ask".
func Path(parts ...any) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('.')
		}
		fmt.Fprint(&b, p)
	}
	return b.String()
}
