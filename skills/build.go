// Package skills turns the [[skill]] tables of a configuration into the set
// that answers events, and decides which of them answers which event.
package skills

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/fetch"
	"bot/engine/hours"
	"bot/skills/do"
	"bot/skills/form"
	"bot/skills/handoff"
	"bot/skills/kind"
	"bot/skills/later"
	"bot/skills/llm"
	"bot/skills/match"
	"bot/skills/relay"
	"bot/skills/reply"
	"bot/skills/sensitive"
	"bot/skills/service"
	"bot/skills/split"
)

// kinds is the registration table. A new kind of skill is a package of its own
// and one line here; where a section holds the keys of two, the first wins if
// it has a use for the other's.
var kinds = []kind.Kind{
	form.Kind,
	handoff.Kind,
	do.Kind,
	relay.Kind,
	llm.Kind,
	service.Kind,
	reply.Kind,
}

// Kinds are the kinds of skill that are shipped, in the order in which they are tried.
func Kinds() []kind.Kind { return slices.Clone(kinds) }

// Options is what skills are checked against.
type Options struct {
	// Accounts are the names in the configuration.
	Accounts []string
	// Selves are the accounts' own ids on their platforms, as far as they are
	// known: what these say is never relayed.
	Selves []string
	// Can tells whether an account's platform has an action; nil: all have all.
	Can func(account string, a engine.Action) bool
	// Cannot says why an account's platform cannot do an action in answer to an
	// event of the kind, or lacks the action ("" as the kind); "" when there is no
	// such reason. nil: never.
	Cannot func(account string, on engine.Kind, a engine.Action) string
	// Within says how long after an event of the kind an account's platform takes
	// the one answer to it, and why; 0 where it sets no such limit. nil: never.
	Within func(account string, on engine.Kind) (limit time.Duration, reason string)
	// Takes are the params that an account's platform cannot do an action
	// without; nil: none.
	Takes func(account string, a engine.Action) []string
	// Fetch makes the clients by which skills call other systems; nil:
	// fetch.NewClient.
	Fetch func(allow func(host string) bool) *http.Client
	// Kinds are kinds besides the shipped ones; they come first.
	Kinds []kind.Kind
	// Folding is how texts are compared.
	Folding match.Folding
	// Hours are lists of times by the names that skills refer to.
	Hours map[string]hours.Times
	// Location is where an account is, for hours; nil: UTC.
	Location func(account string) *time.Location
	// TextLimit is the longest text in bytes; 0: split.Bytes.
	TextLimit int
	// Audiences are the names of audiences that broadcasts may reach.
	Audiences []string
	// Schedules are the [[schedule]] tables.
	Schedules []engine.Section
	// Now tells what is over already; nil: time.Now.
	Now func() time.Time
}

// builder collects skills and problems while it goes through the sections.
type builder struct {
	opts     Options
	kinds    []kind.Kind
	problems []error
	entries  []*entry
	timers   []timer
}

// Build makes a Set of all sections, in their order, or returns everything
// that is wrong with any of them, joined, each problem with its position.
func Build(sections []engine.Section, opts Options) (*Set, error) {
	if opts.TextLimit == 0 {
		opts.TextLimit = split.Bytes
	}
	if opts.Can == nil {
		opts.Can = func(string, engine.Action) bool { return true }
	}
	if opts.Cannot == nil {
		opts.Cannot = func(string, engine.Kind, engine.Action) string { return "" }
	}
	if opts.Within == nil {
		opts.Within = func(string, engine.Kind) (time.Duration, string) { return 0, "" }
	}
	if opts.Takes == nil {
		opts.Takes = func(string, engine.Action) []string { return nil }
	}
	if opts.Fetch == nil {
		opts.Fetch = fetch.NewClient
	}
	if opts.Location == nil {
		opts.Location = func(string) *time.Location { return time.UTC }
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	b := builder{opts: opts, kinds: slices.Concat(opts.Kinds, kinds)}
	for _, s := range sections {
		if e := b.entry(s); e != nil {
			b.entries = append(b.entries, e)
		}
	}
	b.names()
	for _, e := range b.entries {
		b.problems = append(b.problems, e.draft.Err())
	}
	b.schedules()
	if err := errors.Join(b.problems...); err != nil {
		return nil, err
	}
	conflicts(b.entries, opts.Accounts)
	return newSet(b.entries, b.timers, opts.Folding), nil
}

// entry builds one skill, nil when no kind is to be found in the section.
func (b *builder) entry(s engine.Section) *entry {
	k, err := b.kind(s)
	if err != nil {
		b.problems = append(b.problems, err)
		return nil
	}
	d := b.draft(s)
	skill := k.New(d)
	b.accounts(d)
	e := &entry{skill: skill, run: skill, kind: k, draft: d, location: b.opts.Location}
	b.later(e)
	switch {
	case d.Sensitive && k.Holds:
		d.Problem("sensitive", "a hand-off needs no second question: nothing is lost by it")
	case d.Sensitive && d.Has("cooldown"):
		d.Problem("cooldown", "a sensitive skill asks before it runs: cooldown would swallow the answer to its own question (leave one of them out)")
	case d.Sensitive:
		e.run = sensitive.Around(d, e.run)
	}
	return e
}

// later lets a skill's commands be called off.
func (b *builder) later(e *entry) {
	switch d := e.draft; {
	case !d.CallOff.Any():
	case !e.kind.Later:
		key := "unless"
		if !d.Has(key) {
			key = "unless_keywords"
		}
		d.Problem(key, "a skill with %s does more than wait to send, and cannot be called off (of `reply` and `do` alone)", e.kind.Key)
	default:
		e.later = later.Around(d, e.run)
		e.run = e.later
	}
}

func (b *builder) draft(s engine.Section) *kind.Draft {
	return kind.NewDraft(s, kind.World{
		Limit: b.opts.TextLimit, Accounts: b.opts.Accounts, Selves: b.opts.Selves, Can: b.opts.Can,
		Fetch: b.opts.Fetch, Folding: b.opts.Folding, Hours: b.opts.Hours, Audiences: b.opts.Audiences,
		Location: b.opts.Location, Now: b.opts.Now,
	})
}

// kind finds out by its keys what a section is.
func (b *builder) kind(s engine.Section) (kind.Kind, error) {
	var found kind.Kind
	for _, k := range b.kinds {
		switch {
		case !s.Has(k.Key):
		case found.Key == "":
			found = k
		case !slices.Contains(found.Also, k.Key):
			return found, s.Errorf(k.Key, "a skill does one thing: this one holds both %s and %s (write two skills)", found.Key, k.Key)
		}
	}
	if found.Key == "" {
		return found, unkind(s, b.kinds)
	}
	return found, nil
}

// accounts checks what only the whole configuration can tell: that the
// accounts exist, and that their platforms can do what the skill asks for.
func (b *builder) accounts(d *kind.Draft) {
	for i, a := range d.Accounts {
		d.Account(kind.Path("accounts", i), a)
	}
	for _, n := range d.Needs {
		b.can(d, n)
	}
	b.late(d)
}

// late warns of answers that come when the account's platform takes none any more, or
// has had its one: each would be a dead letter.
func (b *builder) late(d *kind.Draft) {
	says := slices.ContainsFunc(d.Needs, func(n kind.Need) bool { return n.Account == "" && n.Action.Place() == "to" })
	if !d.Enabled || !says {
		return
	}
	of := d.Accounts
	if len(of) == 0 {
		of = b.opts.Accounts
	}
	for _, a := range of {
		limit, why := b.opts.Within(a, engine.Kind(d.On))
		switch {
		case limit == 0:
		case d.Delay.Max > limit:
			d.Warn("delay", "the platform of account %q takes no answer to %s that comes after %v: %s; this is a dead letter there (enabled = false, or accounts = […] says where the skill works)", a, d.On, limit, why)
		case d.Has("step"):
			d.Warn("step", "the platform of account %q takes one answer to %s, within %v: %s; only the first question is asked there (accounts = […] says where the skill works)", a, d.On, limit, why)
		}
	}
}

// can refuses a skill that names an account whose platform lacks its action,
// or that no account at all can run; for one that takes whichever accounts
// there are, some being unable is worth a warning.
func (b *builder) can(d *kind.Draft, n kind.Need) {
	if !d.Enabled {
		return
	}
	of, named := d.Accounts, true
	switch {
	case n.Account != "":
		of = []string{n.Account}
	case len(of) == 0:
		of, named = b.opts.Accounts, false
	}
	var unable []string
	var reason string
	for _, a := range of {
		why := b.opts.Cannot(a, engine.Kind(d.On), n.Action)
		switch {
		case !slices.Contains(b.opts.Accounts, a): // which is said elsewhere
		case !b.opts.Can(a, n.Action):
			unable = append(unable, fmt.Sprintf("%q", a))
			reason = b.opts.Cannot(a, "", n.Action)
		case why != "" && n.Account == "" && n.Action.Place() == "to":
			unable, reason = append(unable, fmt.Sprintf("%q", a)), why
		default:
			b.takes(d, n, a, named || len(of) == 1)
		}
	}
	names := strings.Join(unable, ", ")
	what := string(n.Action)
	if reason != "" {
		what += " on " + d.On + ": " + reason
	}
	switch {
	case len(unable) == 0:
	case named || len(unable) == len(of):
		d.Problem(n.Key, "the platform of account %s cannot %s (docs/channels.md says which can)", names, what)
	default:
		d.Warn(n.Key, "the platform of account %s cannot %s (accounts = […] says where the skill works)", names, what)
	}
}

// takes complains of a param that the account's platform cannot do without and
// that the skill does not give.
func (b *builder) takes(d *kind.Draft, n kind.Need, account string, sure bool) {
	if n.Given == nil {
		return
	}
	for _, param := range b.opts.Takes(account, n.Action) {
		switch {
		case n.Given(param):
		case sure:
			d.Problem(n.Key, "%s on the platform of account %q needs the param %s as well", n.Action, account, param)
		default:
			d.Warn(n.Key, "%s on the platform of account %q needs the param %s as well", n.Action, account, param)
		}
	}
}

// names refuses two skills of one name: states and once-keys belong to names.
func (b *builder) names() {
	first := make(map[string]*entry)
	for _, e := range b.entries {
		name := e.draft.Name
		if earlier := first[name]; earlier != nil && name != "" {
			e.draft.Problem("name", "the name %q is taken by the skill at %s", name, earlier.draft.At("name"))
			continue
		}
		first[name] = e
	}
}
