package cli

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"bot/engine/channel"
	"bot/engine/config"
	"bot/engine/nearest"
)

// askTime bounds one request that an operator makes by hand.
const askTime = 60 * time.Second

// callbackVerb tells a platform where to call. Nothing else ever does: one
// address serves all accounts of a platform's customer, so registering a test
// engine by itself would steal the callbacks of the one that works.
func callbackVerb(ctx context.Context, c *call) int {
	account := c.flags.String("account", "", "whose platform: the `name` in the configuration")
	base := c.flags.String("url", "", "where the platform reaches this engine, like https://bot.example.com; the account's path is added")
	if code, ok := c.parse(1, 1); !ok {
		return code
	}
	if c.args[0] != "register" {
		c.say(fmt.Errorf("there is no command callback %q (known: register)", c.args[0]))
		return exitUsage
	}
	sender, a, code := c.platformOf(*account)
	if code != exitOK {
		return code
	}
	r, ok := sender.(channel.Registrar)
	if !ok {
		c.say(fmt.Errorf("account %q: channel %q has no interface for this; enter the address in the platform's own console", a.Name, a.Channel))
		return exitUsage
	}
	u, err := url.Parse(*base)
	if err == nil {
		err = channel.CheckURL(u)
	}
	if err != nil {
		c.say(fmt.Errorf("-url: %w (like https://bot.example.com)", err))
		return exitUsage
	}
	if u.RawQuery != "" || u.Fragment != "" {
		c.say(errors.New("-url: it ends with the path, without ? and #"))
		return exitUsage
	}
	if !strings.HasSuffix(u.Path, a.Path) {
		u.Path = strings.TrimRight(u.Path, "/") + a.Path
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := r.Register(ctx, u.String()); err != nil {
		c.say(fmt.Errorf("register callback of account %q: %w (the engine must be reachable there now: platforms try the address)", a.Name, err))
		return exitFailed
	}
	// The account's path may hold a secret.
	fmt.Fprintf(c.Out, "the platform of account %q calls %s://%s%s from now on\n", a.Name, u.Scheme, u.Host, strings.TrimSuffix(u.Path, a.Path)+"/… (the account's path)")
	return exitOK
}

// callVerb makes any call of a platform's interface for an account, for
// operators who look something up: its contacts, its groups, a file.
func callVerb(ctx context.Context, c *call) int {
	account := c.flags.String("account", "", "whose platform: the `name` in the configuration")
	if code, ok := c.parse(1, 2); !ok {
		return code
	}
	var params map[string]any
	if len(c.args) == 2 {
		var err error
		if params, err = readParams("the argument after METHOD", c.args[1]); err != nil {
			c.say(err)
			return exitUsage
		}
	}
	sender, a, code := c.platformOf(*account)
	if code != exitOK {
		return code
	}
	caller, ok := sender.(channel.Caller)
	if !ok {
		c.say(fmt.Errorf("account %q: channel %q has no interface for this", a.Name, a.Channel))
		return exitUsage
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	data, err := caller.Call(channel.LongReplies(ctx), c.args[0], params)
	if err != nil {
		c.say(fmt.Errorf("call %s: %w", c.args[0], err))
		return exitFailed
	}
	fmt.Fprintln(c.Out, string(data))
	return exitOK
}

// platformOf returns the sender of an account, the only one if none is named.
func (c *call) platformOf(account string) (channel.Sender, *config.Account, int) {
	plan, err := c.plan()
	if err != nil {
		return nil, nil, c.sayConfig(err, exitUsage)
	}
	if account == "" && len(plan.Config.Accounts) == 1 {
		account = plan.Config.Accounts[0].Name
	}
	for i := range plan.Config.Accounts {
		if a := &plan.Config.Accounts[i]; a.Name == account {
			return plan.Sender(account), a, exitOK
		}
	}
	c.say(fmt.Errorf("-account: there is no account %q%s", account, nearest.Hint(account, slices.Sorted(maps.Keys(plan.Setup.Accounts)))))
	return nil, nil, exitUsage
}
