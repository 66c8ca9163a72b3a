package loadtest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"bot/engine/stub"
)

var channels = scenario{
	name: "channels",
	says: "The whole way on each channel: the platform's genuine callbacks, signed and encrypted where it does so, adapter, log, " +
		"a skill that echoes, and the adapter's request to a platform that judges it. The account's pace is opened wide. " +
		"One callback in ten is told twice, and must be answered once. The platform is the channel's stub and takes its share of the same cores: " +
		"the figures are of the whole machine, and a ratio, which is to generic, is of both sides of a channel.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		g := group{name: fmt.Sprintf("%d callers", b.Callers)}
		for _, d := range dialects {
			g.trials = append(g.trials, trial{
				name: d.name, engine: true, replies: true,
				run: func(ctx context.Context) (Sample, error) { return b.talk(ctx, d) },
			})
		}
		return []group{g}, []string{"AI bots and group robots of WeCom are left out: the first are asked and not sent to, the second hear nothing"}, nil
	},
}

// talk measures one dialect.
func (b *bench) talk(ctx context.Context, d dialect) (Sample, error) {
	led := newLedger()
	talking := newCallers(d, b.Callers, b.Events, led)
	platform, err := stub.New(stub.Options{Protocol: d.speaks, Account: d.account, Keep: 1, Script: talking.hear})
	if err != nil {
		return Sample{}, err
	}
	url, down, err := serve(ctx, platform)
	if err != nil {
		return Sample{}, err
	}
	defer down()
	srv, err := b.engine(engineSetup{workers: handling, speaks: d.configuration})(ctx, url)
	if err != nil {
		return Sample{}, err
	}
	defer srv.kill()
	talking.platform, talking.target = platform, "http://"+srv.addr+callbackPath

	s, err := b.observe(ctx, &rig{ledger: led, patience: patience}, srv, talking, true)
	if err != nil {
		return Sample{}, err
	}
	left, err := settle(ctx, srv)
	if err != nil {
		return Sample{}, err
	}
	s.Totals, s.Malformed = led.sum(), int(talking.malformed.Load())
	// What the platform refused it heard all the same; the engine knows better.
	s.Totals.Waiting = max(s.Totals.Waiting, left)
	return s, nil
}

// serve gives a platform an address until down is called.
func serve(ctx context.Context, platform *stub.Stub) (url string, down func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen for replies: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		platform.Run(ctx, l) // a platform that fails shows as replies that never come
	}()
	return "http://" + l.Addr().String(), func() { cancel(); <-ended }, nil
}

// The engine is at rest when several looks in a row find nothing: what was
// rung for and is being fetched shows in no figure.
const (
	restLooks = 3
	restEvery = 20 * time.Millisecond
)

// settle waits until the engine has nothing to do any more, so that what must
// not come would have come. It returns how much was given up or is in doubt,
// or, should there be no end, still waits.
func settle(ctx context.Context, srv *server) (left int, err error) {
	for quiet, since := 0, time.Now(); ; {
		s, err := scrape(ctx, srv.admin)
		if err != nil {
			return 0, errors.Join(err, srv.ended())
		}
		doubtful, waiting := s["bot_commands_in_doubt"], s["bot_backlog_events"]+s["bot_backlog_commands"]
		if quiet++; waiting > doubtful {
			quiet = 0
		}
		if quiet == restLooks || time.Since(since) > patience {
			return int(s["bot_dead_letters"] + waiting), nil
		}
		select {
		case <-time.After(restEvery):
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
}
