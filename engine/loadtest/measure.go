package loadtest

import (
	"cmp"
	"context"
	"errors"
	"time"
)

// measurement is one server, one load, and whether replies are waited for.
type measurement struct {
	start   starter
	load    load // its addr is the server's
	replies bool
	manners Manners // of the platform, where Options.Manners leave them open
}

// trial wraps a measurement for a group.
func (b *bench) trial(name string, m measurement) trial {
	return trial{name: name, replies: m.replies, run: func(ctx context.Context) (Sample, error) { return b.measure(ctx, m) }}
}

// engineTrial is a trial whose losses are failures.
func (b *bench) engineTrial(name string, m measurement) trial {
	t := b.trial(name, m)
	t.engine = true
	return t
}

// measure starts the server, lets the load run warm, measures for the
// duration, and where replies are waited for goes on until the last has come.
func (b *bench) measure(ctx context.Context, m measurement) (Sample, error) {
	r, err := b.rig(ctx, b.Manners.or(m.manners), m.load.conversations, m.load.connections)
	if err != nil {
		return Sample{}, err
	}
	defer r.close()
	srv, err := m.start(ctx, r.platform.url())
	if err != nil {
		return Sample{}, err
	}
	defer srv.kill()
	m.load.addr = srv.addr
	s, err := b.observe(ctx, r, srv, newGenerator(m.load, r.ledger, b.Now()), m.replies)
	s.Malformed, s.Platform = int(r.platform.malformed.Load()), r.platform.counts()
	return s, err
}

// rig is the surroundings of a server under test.
type rig struct {
	ledger   *ledger
	platform *platform
	patience time.Duration
	close    func()
}

// rig sets a platform up for conversations spread over connections.
func (b *bench) rig(ctx context.Context, m Manners, conversations, connections int) (*rig, error) {
	led := newLedger()
	p, err := newPlatform(m, spread(conversations, connections), led)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); p.run(ctx) }()
	return &rig{led, p, cmp.Or(b.patience, patience), func() { cancel(); <-ended }}, nil
}

// source is where callbacks come from.
type source interface {
	// run sends until ctx is done or there is nothing left to send.
	run(ctx context.Context) (*traffic, error)
	// measure makes answers to what is sent from now on count.
	measure()
}

// observe drives the load against a running server and sums up.
func (b *bench) observe(ctx context.Context, r *rig, srv *server, g source, replies bool) (Sample, error) {
	if r.platform != nil {
		r.platform.begin()
	}
	loading := b.begin(ctx, g)
	defer loading.stop()
	stopWatch := watch(r.ledger, b.progress.during)
	defer stopWatch()

	if loading.wait(ctx, b.Warmup); loading.ended() {
		return Sample{}, errors.Join(loading.err, ctx.Err(), srv.ended(), errTooFew)
	}
	before, err := b.look(ctx, r, srv)
	if err != nil {
		return Sample{}, err
	}
	r.ledger.restart()
	g.measure()
	loading.wait(ctx, b.Duration)
	sent := loading.stop()
	ended := r.ledger.now()
	if err := errors.Join(loading.err, ctx.Err()); err != nil {
		return Sample{}, err
	}
	if replies {
		if err := r.drain(ctx, srv); err != nil {
			return Sample{}, err
		}
	}
	after, err := b.look(ctx, r, srv)
	if err != nil {
		return Sample{}, err
	}
	s := between(before, after, sent, time.Duration(ended-before.at), replies)
	s.Ack, s.Way = sent.answered.latency(), r.ledger.latency()
	if backlog := stopWatch(); replies {
		s.Backlog = backlog
	}
	return s, srv.ended()
}

// loading is a source at work.
type loading struct {
	cancel context.CancelFunc
	done   chan struct{}
	sent   *traffic // valid after done
	err    error
}

func (b *bench) begin(ctx context.Context, g source) *loading {
	ctx, cancel := context.WithCancel(ctx)
	l := &loading{cancel: cancel, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		l.sent, l.err = g.run(ctx)
	}()
	return l
}

// wait lets time pass, but not beyond the end of the load.
func (l *loading) wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-l.done:
	case <-ctx.Done():
	}
}

func (l *loading) ended() bool {
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// errTooFew is a load that had nothing left to be measured by.
var errTooFew = errors.New("the load ended before the measurement began (were there too few -events for the warm-up?)")

// stop ends the load and returns what it was answered. It may be called twice.
func (l *loading) stop() *traffic {
	l.cancel()
	<-l.done
	return l.sent
}

// patience is how long nothing may move before what is missing is lost.
const patience = 15 * time.Second

// drain waits until every acked event's reply has come, or nothing comes any more.
func (r *rig) drain(ctx context.Context, srv *server) error {
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	last, since := r.ledger.sum().Waiting, time.Now()
	for last > 0 && time.Since(since) < r.patience {
		select {
		case <-poll.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := srv.ended(); err != nil {
			return err
		}
		if now := r.ledger.sum().Waiting; now != last {
			last, since = now, time.Now()
		}
	}
	return nil
}

// watchEvery is how often the backlog is looked at.
const watchEvery = 50 * time.Millisecond

// watch notes the backlog twenty times a second and tells of it, until the func
// that it returns is called, which may happen twice.
func watch(l *ledger, tell func(at time.Duration, t Totals, course []int)) (stop func() []int) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	var course []int
	go func() {
		defer close(done)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				t := l.sum()
				course = append(course, t.Waiting)
				tell(time.Duration(l.now()), t, course)
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() []int { cancel(); <-done; return course }
}
