package cli

import (
	"context"
	"fmt"
	"net"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

// stubVerb plays the platform until it is interrupted: it prints every call as
// one line of JSON.
func stubVerb(ctx context.Context, c *call) int {
	o := stub.Options{Out: c.Out, Now: c.Now, Chance: c.Chance}
	c.flags.StringVar(&o.Channel, "channel", "generic", "whose protocol to speak")
	addr := c.flags.String("listen", "127.0.0.1:9090", "the `address` that base_url names")
	delay := c.flags.Duration("delay", 0, "wait before each answer")
	fail := c.flags.String("fail", "0%", "`share` of the calls that are answered 500")
	hang := c.flags.String("hang", "0%", "`share` of the calls that are carried out and hung up on")
	throttle := c.flags.String("throttle", "", "answer 429 beyond this `rate`, like 20/m")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	o.Delay = *delay
	var err error
	if o.Fail, err = stub.ParseShare(*fail); err == nil {
		o.Hang, err = stub.ParseShare(*hang)
	}
	if err == nil && *throttle != "" {
		var r engine.Rate
		err = r.UnmarshalText([]byte(*throttle))
		o.Throttle = r
	}
	if err != nil {
		c.say(err)
		return exitUsage
	}
	s, err := stub.New(o)
	if err != nil {
		c.say(err)
		return exitUsage
	}
	if err := c.serveStub(ctx, s, *addr); err != nil {
		c.say(err)
		return exitFailed
	}
	return exitOK
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
