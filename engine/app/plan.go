package app

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/generic"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/engine/ingress"
	"bot/engine/pace"
	"bot/engine/turn"
)

// adapters are the channels this engine speaks; a new one is one line here.
var adapters = []channel.Adapter{generic.Adapter}

// Channels names the platforms that accounts may be on.
func Channels() []string {
	names := make([]string, len(adapters))
	for i, a := range adapters {
		names[i] = a.Name
	}
	return names
}

// Skills is a built set of skills, as main makes it from the configuration.
type Skills interface {
	engine.Router
	Tests() []engine.Script
	Explain(e *engine.Event, sender, shared engine.State) []engine.Verdict
	Len() int
}

// Accounts is what skills are checked against.
type Accounts struct {
	Names []string
	Can   func(account string, a engine.Action) bool
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
	client  *http.Client // what the senders call with
}

// Prepare loads a configuration and builds what it describes. Its error lists
// everything that is wrong, in the skills as well as outside of them, so that
// an operator mends all of it at once; where a file could not be read it says
// that instead (config.Load). The senders call with client; so do those of
// later reloads, once the plan is an engine's.
func Prepare(load func() (*config.Config, error), build SkillBuilder, client *http.Client) (*Plan, error) {
	cfg, err := load()
	if cfg == nil {
		return nil, err
	}
	p := &Plan{Config: cfg, senders: make(map[string]egress.Account), client: client}
	can := func(string, engine.Action) bool { return true } // accounts that are wrong themselves are not asked
	if err == nil {
		err = p.connect()
		can = p.can
	}
	sections := make([]engine.Section, len(cfg.Skills))
	for i, s := range cfg.Skills {
		sections[i] = s
	}
	skills, skillErr := build(sections, Accounts{Names: accountNames(cfg.Accounts), Can: can})
	if err != nil || skillErr != nil {
		return nil, config.ProblemsIn(errors.Join(err, skillErr))
	}
	p.Skills, p.Setup.Router = skills, skills
	return p, nil
}

// connect makes the platforms' side of the plan.
func (p *Plan) connect() error {
	p.Setup.Accounts = make(map[string]engine.Account)
	for _, a := range p.Config.Accounts {
		sender, err := adapter(a.Channel).Sender(channelAccount(a), p.client)
		if err != nil {
			return fmt.Errorf("account %q: %w", a.Name, err)
		}
		p.senders[a.Name] = outbound(a, sender)
		p.Setup.Accounts[a.Name] = engine.Account{Name: a.Name, Channel: a.Channel, Location: a.Location}
	}
	var err error
	p.routes, err = routes(p.Config.Accounts)
	return err
}

func (p *Plan) can(account string, a engine.Action) bool {
	s, ok := p.senders[account]
	return ok && s.Sender.Can(a)
}

func adapter(name string) channel.Adapter {
	i := slices.IndexFunc(adapters, func(a channel.Adapter) bool { return a.Name == name })
	return adapters[i] // config refused any other name
}

func accountNames(accounts []config.Account) []string {
	names := make([]string, len(accounts))
	for i, a := range accounts {
		names[i] = a.Name
	}
	return names
}

func channelAccount(a config.Account) channel.Account {
	return channel.Account{
		Name: a.Name, BaseURL: a.BaseURL, AppID: a.AppID,
		Token: a.Token.Reveal(), Secret: a.Secret.Reveal(),
		Ack: a.Ack, MaxSkew: a.MaxSkew.Std(),
	}
}

func outbound(a config.Account, s channel.Sender) egress.Account {
	limits := pace.Limits{
		Rate: a.Limit.Rate, Burst: a.Limit.Burst, Parallel: a.Limit.Parallel,
		PerConversation: a.Limit.PerConversation,
		ReplyDelay:      a.Limit.ReplyDelay, Gap: a.Limit.Gap,
		Actions: make(map[engine.Action]pace.ActionLimit),
	}
	for name, l := range a.Limit.Action {
		limits.Actions[engine.Action(name)] = pace.ActionLimit{Rate: l.Rate, Burst: l.Burst}
	}
	return egress.Account{
		Sender: s, Limits: limits, OnDoubt: a.OnDoubt,
		Attempts: a.Retry.Attempts, Backoff: a.Retry.Backoff,
		GiveUp: a.Retry.GiveUp.Std(), Timeout: a.Retry.Timeout.Std(),
	}
}

// routes groups the accounts by path: those that share one are told apart by
// their adapter. config made sure that they are of one channel.
func routes(accounts []config.Account) ([]ingress.Route, error) {
	var paths []string
	byPath := make(map[string][]config.Account)
	for _, a := range accounts {
		if byPath[a.Path] == nil {
			paths = append(paths, a.Path)
		}
		byPath[a.Path] = append(byPath[a.Path], a)
	}
	var out []ingress.Route
	for _, path := range paths {
		group := byPath[path]
		r := ingress.Route{
			Path: path, Channel: group[0].Channel, Account: group[0].Name,
			Methods:  adapter(group[0].Channel).Methods,
			Accounts: make(map[string]ingress.Policy),
		}
		seen := make([]channel.Account, len(group))
		for i, a := range group {
			seen[i] = channelAccount(a)
			r.Accounts[a.Name] = ingress.Policy{
				Window: a.Window.Std(), MaxAge: a.MaxAge.Std(),
				ComesBack: a.Channel == generic.Adapter.Name,
			}
		}
		var err error
		if r.Receiver, err = adapter(r.Channel).Receiver(seen); err != nil {
			return nil, fmt.Errorf("account %q: %w", r.Account, err)
		}
		out = append(out, r)
	}
	return out, nil
}
