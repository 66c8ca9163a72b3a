package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"bot/engine/channel"
	"bot/engine/config"
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
	if u.Path == "" || u.Path == "/" {
		u.Path = a.Path
	}
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	if err := r.Register(ctx, u.String()); err != nil {
		c.say(fmt.Errorf("register callback of account %q: %w (the engine must be reachable there now: platforms try the address)", a.Name, err))
		return exitFailed
	}
	fmt.Fprintf(c.Out, "the platform of account %q calls %s://%s%s from now on\n", a.Name, u.Scheme, u.Host, hidden(u.Path, a.Path))
	return exitOK
}

// hidden keeps a path that may hold a secret out of what is printed, unless the
// operator typed it.
func hidden(path, configured string) string {
	if path == configured {
		return "/… (the account's path)"
	}
	return path
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
		d := json.NewDecoder(strings.NewReader(c.args[1]))
		d.UseNumber()
		if err := d.Decode(&params); err != nil {
			c.say(fmt.Errorf("the parameters are no JSON object: %w", err))
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
	c.say(errors.New("-account: name an account of the configuration"))
	return nil, nil, exitUsage
}
