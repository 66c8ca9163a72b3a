package app

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"bot/engine"
	"bot/engine/alert"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/contacts"
	"bot/engine/egress"
	"bot/engine/fetch"
	"bot/engine/hours"
	"bot/engine/ingress"
	"bot/engine/risk"
	"bot/engine/turn"
	"bot/engine/wordfilter"
)

// Skills is a built set of skills, as main makes it from the configuration.
type Skills interface {
	engine.Router
	Tests() []engine.Script
	Explain(e *engine.Event, sender, shared engine.State) []engine.Verdict
	Len() int
	// Skills lists them, for people.
	Skills() []engine.SkillInfo
	// HearsSelf tells whether a skill wants to hear what an account itself said.
	HearsSelf() bool
	// Schedules are the [[schedule]] tables, whose events the set answers.
	Schedules() []engine.Schedule
	// Graphs draws the skills that are state machines, for people.
	Graphs() []string
}

// Accounts is what skills are checked against.
type Accounts struct {
	Names  []string
	Selves []string // their own ids on their platforms, as far as configured
	Can    func(account string, a engine.Action) bool
	// Cannot says why an account's platform cannot do an action in answer to an
	// event of the kind ("" any); "" when there is no such reason.
	Cannot func(account string, on engine.Kind, a engine.Action) string
	// Within says how long after an event of the kind an account's platform takes the
	// one answer to it, and why; 0 where it sets no such limit.
	Within func(account string, on engine.Kind) (limit time.Duration, reason string)
	// Takes are the params that an account's platform cannot do an action without.
	Takes func(account string, a engine.Action) []string
	// TextLimit is the longest text in bytes that all of their platforms take; 0
	// where none is known.
	TextLimit int
	// Folding says what skills overlook in texts besides what they always do.
	Folding config.Match
	// Hours are lists of times by the names that skills refer to.
	Hours map[string]hours.Times
	// Location is where an account is.
	Location func(account string) *time.Location
	// Fetch makes the clients by which skills call other systems, as
	// fetch.NewClient does; the plan lets go of their connections.
	Fetch func(allow func(host string) bool) *http.Client
	// Audiences are the names of audiences that broadcasts may reach.
	Audiences []string
	// Schedules are the [[schedule]] tables of the configuration, which are built
	// beside the skills.
	Schedules []engine.Section
}

// SkillBuilder turns sections of the configuration into skills, or reports all
// that is wrong with them in one error.
type SkillBuilder func(sections []engine.Section, accounts Accounts) (Skills, error)

// Plan is everything that a configuration can fail at, built and not yet
// live: a start and a reload both make one first and only then touch anything.
type Plan struct {
	Config  *config.Config
	Skills  Skills
	Setup   turn.Setup
	routes  []ingress.Route
	senders map[string]egress.Account
	// policies are how the events of the accounts are taken in.
	policies map[string]ingress.Policy
	people   map[string]people // by account: who is barred, or served alone
	// audiences are the [[audience]] tables by their names.
	audiences map[string]contacts.Audience
	risk      *risk.Rules
	words     *wordfilter.Filter // nil: nothing is looked for
	alerts    alert.Settings
	host      channel.Host   // what the adapters work with
	memory    *memory        // the host's
	clients   []*http.Client // of the skills, and of accounts behind a proxy
}

// Prepare loads a configuration and builds what it describes. Its error lists
// everything that is wrong, in the skills as well as outside of them, so that
// an operator mends all of it at once; where a file could not be read it says
// that instead (config.Load). The senders call with client; so do those of
// later reloads, once the plan is an engine's.
func Prepare(load func() (*config.Config, error), build SkillBuilder, client *http.Client) (*Plan, error) {
	m := &memory{}
	host := channel.Host{Client: client, Fetch: fetch.NewClient(nil), Memory: m, Now: time.Now}
	return prepare(load, build, host, m)
}

func prepare(load func() (*config.Config, error), build SkillBuilder, host channel.Host, m *memory) (*Plan, error) {
	cfg, err := load()
	if cfg == nil {
		return nil, err
	}
	p := &Plan{Config: cfg, senders: make(map[string]egress.Account), policies: make(map[string]ingress.Policy), host: host, memory: m}
	can := func(string, engine.Action) bool { return true } // accounts that are wrong themselves are not asked
	takes := func(string, engine.Action) []string { return nil }
	cannot := func(string, engine.Kind, engine.Action) string { return "" }
	within := func(string, engine.Kind) (time.Duration, string) { return 0, "" }
	if err == nil {
		err = p.connect()
		can, takes, cannot, within = p.can, p.takes, p.cannot, p.within
	}
	skills, skillErr := build(asSections(cfg.Skills), Accounts{
		Names: accountNames(cfg.Accounts), Selves: selves(cfg.Accounts), Can: can, Cannot: cannot, Within: within, Takes: takes, TextLimit: shortest(cfg.Accounts),
		Folding: cfg.Match, Hours: cfg.Hours, Location: locations(cfg),
		Fetch: p.client, Schedules: asSections(cfg.Schedules), Audiences: audienceNames(cfg.Audiences),
	})
	rules, riskErr := risk.Build(asSections(cfg.Risk), accountNames(cfg.Accounts))
	words, wordErr := filterOf(cfg)
	if err == nil {
		err = p.alerting()
	}
	if err != nil || skillErr != nil || riskErr != nil || wordErr != nil {
		return nil, config.ProblemsIn(errors.Join(err, skillErr, riskErr, wordErr))
	}
	p.Skills, p.Setup.Router, p.risk, p.words = skills, skills, rules, words
	p.people = peopleOf(cfg.Accounts)
	p.audiences = audiencesOf(cfg.Audiences)
	p.hear()
	return p, nil
}

// hear has those accounts' own messages taken in that somebody has a use for.
func (p *Plan) hear() {
	for i := range p.Config.Accounts {
		a := &p.Config.Accounts[i]
		if policy := p.policies[a.Name]; a.StaffQuiet > 0 || p.Skills.HearsSelf() {
			policy.HearsSelf = true
			p.policies[a.Name] = policy
		}
	}
	for _, r := range p.routes {
		for name := range r.Accounts {
			r.Accounts[name] = p.policies[name]
		}
	}
}

func asSections(tables []*config.Section) []engine.Section {
	sections := make([]engine.Section, len(tables))
	for i, s := range tables {
		sections[i] = s
	}
	return sections
}

// client makes a client of a skill. Skills are built by one goroutine.
func (p *Plan) client(allow func(host string) bool) *http.Client {
	c := fetch.NewClient(allow)
	p.clients = append(p.clients, c)
	return c
}

// hangUp lets go of the connections that are the plan's own, which would idle on
// without use: those of turns that still run as soon as these are done with them.
func (p *Plan) hangUp() {
	for _, c := range p.clients {
		c.CloseIdleConnections()
	}
}

// RiskRows is how many rows the risk matrix has.
func (p *Plan) RiskRows() int { return p.risk.Len() }

// Sender is what speaks to the account's platform; nil when there is no such
// account.
func (p *Plan) Sender(account string) channel.Sender { return p.senders[account].Sender }

// Spoken is an account as its platform knows it.
type Spoken struct {
	Channel string
	Account channel.Account
}

// Spoken returns the named account.
func (p *Plan) Spoken(account string) (Spoken, bool) {
	for i := range p.Config.Accounts {
		if a := &p.Config.Accounts[i]; a.Name == account {
			return Spoken{a.Channel, channelAccount(a)}, true
		}
	}
	return Spoken{}, false
}

func (p *Plan) can(account string, a engine.Action) bool {
	s, ok := p.senders[account]
	if !ok {
		return false
	}
	_, can := s.Sender.Needs(a)
	return can
}

func (p *Plan) cannot(account string, on engine.Kind, a engine.Action) string {
	if e, ok := p.senders[account].Sender.(channel.Explainer); ok {
		return e.Cannot(on, a)
	}
	return ""
}

func (p *Plan) within(account string, on engine.Kind) (limit time.Duration, reason string) {
	if h, ok := p.senders[account].Sender.(channel.Hurried); ok {
		return h.Within(on)
	}
	return 0, ""
}

func (p *Plan) takes(account string, a engine.Action) []string {
	s, ok := p.senders[account]
	if !ok {
		return nil
	}
	params, _ := s.Sender.Needs(a)
	return params
}

func selves(accounts []config.Account) (ids []string) {
	for _, a := range accounts {
		if a.Self != "" {
			ids = append(ids, a.Self)
		}
	}
	return ids
}

// textLimit is the longest text that the account's platform takes in bytes; 0
// where none is known.
func textLimit(a *config.Account) int {
	p := speaks(a.Channel)
	if p.textLimit == nil {
		return 0
	}
	return p.textLimit(a.Form)
}

// shortest is the smallest of the accounts' text limits; 0 where none has one.
func shortest(accounts []config.Account) (limit int) {
	for i := range accounts {
		if n := textLimit(&accounts[i]); n > 0 && (limit == 0 || n < limit) {
			limit = n
		}
	}
	return limit
}

// locations tells where the accounts are; those that are not there are where the
// configuration is.
func locations(cfg *config.Config) func(account string) *time.Location {
	by := make(map[string]*time.Location)
	for _, a := range cfg.Accounts {
		by[a.Name] = a.Location
	}
	otherwise := cfg.Location()
	return func(account string) *time.Location { return cmp.Or(by[account], otherwise) }
}

func accountNames(accounts []config.Account) []string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.Name
	}
	return names
}
