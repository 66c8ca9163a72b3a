package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/nearest"
	"bot/engine/trial"
)

// Reload reads the configuration again and applies it whole, or refuses it
// whole: everything that can fail, the skills' own tests included, happens
// before anything live is touched. Turns that have begun end with the skills
// they began with; conversations, limiters and connections live on.
func (a *App) Reload(ctx context.Context) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	if a.ingress == nil {
		return errors.New("the engine did not start; there is nothing to reload")
	}
	if a.o.Reloading != nil {
		defer a.o.Reloading()()
	}
	plan, err := a.prepare(ctx)
	if err == nil {
		err = a.apply(plan)
	}
	if err != nil {
		a.o.Log.Error("reload refused", "problems", strings.Split(err.Error(), "\n"))
		return err
	}
	for _, w := range plan.Config.Warnings {
		a.o.Log.Warn("configuration", "problem", w.Error())
	}
	a.appliedNow()
	a.o.Log.Info("reloaded", "generation", a.generation.Add(1),
		"accounts", len(plan.Config.Accounts), "skills", plan.Skills.Len())
	return nil
}

// appliedNow notes when the live configuration came to be so.
func (a *App) appliedNow() {
	now := time.Now()
	a.applied.Store(&now)
}

func (a *App) prepare(ctx context.Context) (*Plan, error) {
	plan, err := prepare(a.o.Load, a.o.BuildSkills, a.o.Plan.host, a.o.Plan.memory)
	if err != nil {
		return nil, err
	}
	if keys := config.Changed(a.live.Load().Config, plan.Config); len(keys) > 0 {
		return nil, fmt.Errorf("changed settings that need a restart: %s", strings.Join(keys, ", "))
	}
	return plan, plan.Test(ctx)
}

func (a *App) apply(plan *Plan) error {
	takeRoutes, err := a.ingress.Routes(plan.routes)
	if err != nil {
		return err
	}
	// An account that comes back may have been held when it went.
	if err := a.recoverHolds(plan); err != nil {
		return err
	}
	defer a.live.Swap(plan).hangUp()
	a.guard.SetRules(plan.risk)
	a.egress.Reconfigure(plan.senders, plan.Config.Limit.Rate)
	takeRoutes() // callbacks for accounts come in once all that guards them is there
	a.dispatch.Reconfigured()
	a.calendar.Set(plan.Skills.Schedules())
	a.casts.Reconfigured()
	a.porter.Wake()
	a.keepAlerts(plan)
	a.beginCounts(plan)
	return nil
}

// Test plays the dialogues that stand beside the skills and returns every one
// that does not go as written, in one error.
func (p *Plan) Test(ctx context.Context) error { return p.play(ctx, p.Skills.Tests()) }

// TestOnly is Test for one skill; it also tells how many dialogues there are.
func (p *Plan) TestOnly(ctx context.Context, skill string) (tests int, err error) {
	var its []engine.Script
	var names []string
	for _, s := range p.Skills.Tests() {
		if s.Skill == skill {
			its = append(its, s)
		} else if !slices.Contains(names, s.Skill) {
			names = append(names, s.Skill)
		}
	}
	if its == nil {
		return 0, fmt.Errorf("there is no skill %q with a test%s", skill, nearest.Hint(skill, names))
	}
	return len(its), p.play(ctx, its)
}

func (p *Plan) play(ctx context.Context, scripts []engine.Script) error {
	var errs []error
	for _, s := range scripts {
		errs = append(errs, trial.Run(ctx, p.Trial(s.Account, s.Group), s))
	}
	return errors.Join(errs...)
}

// trialGroup is where the tests of group skills take place.
const trialGroup = "test-group"

// Trial is a stage for trying the plan's skills: on the named account, or the
// first one; where no account is configured yet, on an imagined one. It begins on
// a Monday at 09:00 there.
func (p *Plan) Trial(account string, group bool) trial.Options {
	o := trial.Options{Setup: p.Setup, Account: account, Timeout: skillTimeout, Chance: func() float64 { return 0.5 }, Schedules: p.Skills.Schedules()}
	o.Vet = func(c *engine.Command) (*engine.Command, string) {
		v := p.Vet(c)
		return v.Command, v.Refused
	}
	if o.Account == "" && len(p.Config.Accounts) > 0 {
		o.Account = p.Config.Accounts[0].Name
	}
	if o.Account == "" {
		o.Account = "trial"
		o.Setup.Accounts = map[string]engine.Account{"trial": {Name: "trial", Location: p.Config.Location()}}
	}
	if group {
		o.Group = trialGroup
	}
	o.Start = trialStart(o.Setup.Accounts[o.Account].Location)
	return o
}

// trialStart is when tests begin: a Monday at nine in the morning, so that those
// of skills that have hours come out the same whenever they are run.
func trialStart(l *time.Location) time.Time {
	if l == nil {
		l = time.UTC
	}
	return time.Date(2026, time.March, 2, 9, 0, 0, 0, l)
}
