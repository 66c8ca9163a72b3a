package app

import (
	"errors"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/engine/ingress"
	"bot/engine/pace"
)

// connect makes the platforms' side of the plan. Everything that is wrong with
// any account is in its error.
func (p *Plan) connect() error {
	p.Setup.Accounts = make(map[string]engine.Account)
	var errs []error
	for i := range p.Config.Accounts {
		a := &p.Config.Accounts[i]
		sender, err := speaks(a.Channel).Sender(channelAccount(a), p.hostOf(a))
		if err != nil {
			errs = append(errs, p.located(a, err))
			continue
		}
		out := outbound(a, sender)
		if err := out.Check(); err != nil { // a channel's default: what the file says was checked
			errs = append(errs, a.Errorf("", "%v", err))
			continue
		}
		p.senders[a.Name], p.policies[a.Name] = out, policy(a)
		p.Setup.Accounts[a.Name] = engine.Account{
			Name: a.Name, Channel: a.Channel, Location: a.Location, Names: a.Names, MentionAll: a.MentionAll,
			Meets: speaks(a.Channel).meets, TextLimit: textLimit(a), StaffQuiet: a.StaffQuiet.Std(), Hears: hears(a),
		}
	}
	if len(errs) == 0 {
		errs = append(errs, p.route())
	}
	return errors.Join(errs...)
}

// hostOf is what the account's sender works with: the client that all share, or
// one of its own where a proxy stands between.
func (p *Plan) hostOf(a *config.Account) channel.Host {
	host := p.host
	if proxy := a.ProxyURL(); proxy != nil {
		host.Client = channel.NewClientThrough(proxy)
		p.clients = append(p.clients, host.Client)
	}
	return host
}

// located puts what an adapter says of an account beside the key it is about.
func (p *Plan) located(a *config.Account, err error) error {
	wrong, ok := errors.AsType[*channel.SettingError](err)
	if !ok {
		return a.Errorf("", "%v", err)
	}
	for i := range p.Config.Accounts {
		if p.Config.Accounts[i].Name == wrong.Account {
			a = &p.Config.Accounts[i]
		}
	}
	return a.Errorf(wrong.Key, "%s", wrong.Problem)
}

func outbound(a *config.Account, s channel.Sender) egress.Account {
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
		ConfirmWithin: a.ConfirmWithin.Std(),
		Quota:         quotas(a), LateReply: a.LateReply,
	}
}

// route groups the accounts by path: those that share one are told apart by
// their adapter. config made sure that they are of one channel. Accounts that
// are never called have no path.
func (p *Plan) route() error {
	var paths []string
	byPath := make(map[string][]*config.Account)
	for i := range p.Config.Accounts {
		a := &p.Config.Accounts[i]
		if speaks(a.Channel).Calls != nil && !speaks(a.Channel).Calls(channelAccount(a)) {
			continue
		}
		if byPath[a.Path] == nil {
			paths = append(paths, a.Path)
		}
		byPath[a.Path] = append(byPath[a.Path], a)
	}
	var errs []error
	for _, path := range paths {
		r, err := p.routeTo(path, byPath[path])
		if err != nil {
			errs = append(errs, err)
			continue
		}
		p.routes = append(p.routes, r)
	}
	return errors.Join(errs...)
}

func (p *Plan) routeTo(path string, group []*config.Account) (ingress.Route, error) {
	first := group[0]
	speaker := speaks(first.Channel)
	r := ingress.Route{
		Path: path, Channel: first.Channel, Account: first.Name, Methods: speaker.Methods,
		Accounts: make(map[string]ingress.Policy), Secrets: []string{p.Config.Admin.Token.Reveal()},
	}
	seen := make([]channel.Account, len(group))
	for i, a := range group {
		seen[i] = channelAccount(a)
		r.Secrets = append(r.Secrets, seen[i].Secrets()...)
		r.Accounts[a.Name] = p.policies[a.Name]
	}
	if shownPath(first) != path {
		r.Secrets = append(r.Secrets, path)
	}
	var err error
	if r.Receiver, err = speaker.Receiver(seen, p.host); err != nil {
		return r, p.located(first, err)
	}
	return r, nil
}

func policy(a *config.Account) ingress.Policy {
	return ingress.Policy{
		Window: a.Window.Std(), MaxAge: a.MaxAge.Std(), ComesBack: speaks(a.Channel).comesBack,
	}
}
