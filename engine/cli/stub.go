package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel/generic/genericstub"
	"bot/engine/channel/gewe/gewestub"
	"bot/engine/channel/qiwe/qiwestub"
	"bot/engine/channel/wecom/wecomstub"
	"bot/engine/channel/wkteam/wkteamstub"
	"bot/engine/stub"
)

// protocols are the platforms that can be played, by channel.
var protocols = map[string]stub.Maker{
	"generic": genericstub.New,
	"gewe":    gewestub.New,
	"qiwe":    qiwestub.New,
	"wecom":   wecomstub.New,
	"wkteam":  wkteamstub.New,
}

func protocolOf(channel string) (stub.Maker, error) {
	speaks, known := protocols[channel]
	if !known {
		return nil, fmt.Errorf("no stub for channel %q; there is one for %s",
			channel, strings.Join(slices.Sorted(maps.Keys(protocols)), ", "))
	}
	return speaks, nil
}

// stubFlags are the options of the stub.
type stubFlags struct {
	channel, account, callback, addr string
	fail, hang, confirm, throttle    string
	delay                            time.Duration
}

func (f *stubFlags) declare(on *flag.FlagSet) {
	on.StringVar(&f.channel, "channel", "", "whose protocol to speak: generic, wecom, …; that of -account, or generic")
	on.StringVar(&f.account, "account", "", "the `name` of an account in -config, whose ids, tokens and keys the platform has")
	on.StringVar(&f.callback, "callback", "", "the bot's `address`, to be called with what is typed: \"u1: hello\", \"u1@group: hello\", \"/friend_added u1\", \"/offline\"")
	on.StringVar(&f.addr, "listen", "127.0.0.1:9090", "the `address` that base_url names")
	on.DurationVar(&f.delay, "delay", 0, "wait before each answer")
	on.StringVar(&f.fail, "fail", "0%", "`share` of the calls that are answered 500")
	on.StringVar(&f.hang, "hang", "0%", "`share` of the calls that are carried out and hung up on")
	on.StringVar(&f.confirm, "confirm", "never", "`how` and when the bot is told what became of its calls (generic, with -callback): ok, failed, never, ok:2s, failed:2s")
	on.StringVar(&f.throttle, "throttle", "", "refuse in the platform's way what goes beyond this `rate`, like 20/m")
}

// read turns what was typed into options; the channel is known by then.
func (f *stubFlags) read(o *stub.Options) (err error) {
	generic := f.channel == "generic"
	o.Delay = f.delay
	if f.callback != "" && f.account == "" && !generic {
		return errors.New("-callback needs -account: the callbacks of " + f.channel + " bear the account's ids and keys")
	}
	if o.Confirm, err = stub.ParseConfirm(f.confirm); err != nil {
		return err
	}
	if o.Confirm != nil {
		if o.Confirm.Target = f.callback; f.callback == "" || !generic {
			return errors.New("-confirm needs -callback and the channel generic")
		}
	}
	if o.Protocol, err = protocolOf(f.channel); err != nil {
		return err
	}
	if o.Fail, err = stub.ParseShare(f.fail); err != nil {
		return err
	}
	if o.Hang, err = stub.ParseShare(f.hang); err != nil {
		return err
	}
	if f.throttle == "" {
		return nil
	}
	return o.Throttle.UnmarshalText([]byte(f.throttle))
}

// stubVerb plays the platform until it is interrupted: it prints every call as
// one line of JSON.
func stubVerb(ctx context.Context, c *call) int {
	o := stub.Options{Out: c.Out, Now: c.Now, Chance: c.Chance}
	var f stubFlags
	f.declare(c.flags)
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	if f.account != "" {
		a, code := c.stubAccount(f.account)
		if code != exitOK {
			return code
		}
		o.Account, f.channel = a.Account, cmp.Or(f.channel, a.Channel)
	}
	f.channel = cmp.Or(f.channel, "generic")
	err := f.read(&o)
	var s *stub.Stub
	if err == nil {
		s, err = stub.New(o)
	}
	if err != nil {
		c.say(err)
		return exitUsage
	}
	if f.callback != "" {
		go c.tellTyped(ctx, s, f.callback, o.Account.Form == "aibot") // ends with its input, or with the process
	}
	if err := c.serveStub(ctx, s, f.addr); err != nil {
		c.say(err)
		return exitFailed
	}
	return exitOK
}

// stubAccount finds an account of the configuration.
func (c *call) stubAccount(name string) (app.Spoken, int) {
	plan, err := c.plan()
	if err != nil {
		return app.Spoken{}, c.sayConfig(err, exitUsage)
	}
	a, ok := plan.Spoken(name)
	if !ok {
		c.say(fmt.Errorf("-account: there is no account %q", name))
		return app.Spoken{}, exitUsage
	}
	return a, exitOK
}

// ask has an AI bot told a message and prints the answer, which comes as a
// stream in answers to callbacks and not as a call.
func (c *call) ask(ctx context.Context, s *stub.Stub, callback string, said stub.Said) {
	answer, err := wecomstub.Ask(ctx, s, callback, said, time.Second)
	if err != nil {
		c.say(fmt.Errorf("callback: %w", err))
		return
	}
	json.NewEncoder(c.Out).Encode(map[string]any{"stream": answer.Text(), "finished": answer.Finished})
}

// tellTyped makes a callback of every line that is typed.
func (c *call) tellTyped(ctx context.Context, s *stub.Stub, callback string, aibot bool) {
	lines := bufio.NewScanner(c.In)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		said, err := happening(line)
		if err != nil {
			c.say(err)
			continue
		}
		if aibot && said.Kind == "" {
			c.ask(ctx, s, callback, said)
			continue
		}
		told, err := s.Tell(ctx, callback, said)
		switch {
		case err != nil:
			c.say(fmt.Errorf("callback: %w", err))
		case !told.Taken:
			c.say(fmt.Errorf("callback: answered %d %.200q after %d calls", told.Status, told.Body, told.Calls))
		}
	}
}

// happening reads a typed line: who said what, or what happened, and to whom.
func happening(line string) (s stub.Said, err error) {
	who, text, found := strings.Cut(line, ":")
	if rest, event := strings.CutPrefix(line, "/"); event {
		var kind string
		kind, who, found = strings.Cut(rest, " ")
		k, known := engine.ParseKind(kind)
		if !known {
			return s, fmt.Errorf("there is no event %q", kind)
		}
		if s.Kind, text = k, ""; k == engine.Offline || k == engine.Online {
			return s, nil // the account's own: it happens to nobody
		}
	}
	if who = strings.TrimSpace(who); !found || who == "" {
		return s, errors.New(`say who does what: "u1: hello", "u1@group: hello", "/friend_added u1", "/offline"`)
	}
	s.Text = strings.TrimSpace(text)
	s.User, s.Group, _ = strings.Cut(who, "@")
	if s.Group != "" {
		s.Mention = engine.MentionMe
	}
	if s.Kind.InGroup() {
		s.Members = []string{s.User}
	}
	return s, nil
}

func (c *call) serveStub(ctx context.Context, s *stub.Stub, addr string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("-listen: %w (choose a free port, and name it in the account's base_url)", err)
	}
	fmt.Fprintf(c.Err, "a platform on http://%s, for an account's base_url, since %s; every call is printed here, Ctrl-C ends it\n",
		l.Addr(), c.Now().Format(time.TimeOnly))
	return s.Run(ctx, l)
}
