package loadtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

var recovery = scenario{
	name: "recover",
	says: "The process is killed (kill -9) under load with many events waiting, and started again on the same store: " +
		"how soon it takes callbacks, and how fast it works off what waits, in relation to the steady chain.",
	plan: func(_ context.Context, b *bench) ([]group, []string, error) {
		return []group{{
			name: fmt.Sprintf("%d events waiting", b.Backlog),
			trials: []trial{
				b.engineTrial("engine, steady chain", b.chained(engineSetup{workers: handling, answers: true})),
				{name: "engine after kill -9", engine: true, replies: true, run: b.killAndRecover},
			},
		}}, nil, nil
	},
}

// killAndRecover is one round of it. Its ledger spans both lives, so that what
// the kill loses or doubles shows.
func (b *bench) killAndRecover(ctx context.Context) (Sample, error) {
	r, err := b.rig(ctx, b.Manners, b.Conversations, Middle)
	if err != nil {
		return Sample{}, err
	}
	defer r.close()
	dir, err := b.folder("")
	if err != nil {
		return Sample{}, err
	}
	defer os.RemoveAll(dir)
	if err := b.fillAndKill(ctx, r, dir); err != nil {
		return Sample{}, err
	}

	// The new process begins with all its figures at zero; its start counts.
	before := look{at: r.ledger.now(), usage: usageOf(), own: ownUsage(), device: deviceWritten(b.dir), totals: r.ledger.sum()}
	srv, err := b.engineIn(ctx, dir, engineSetup{workers: handling, answers: true}, r.platform.url())
	if err != nil {
		return Sample{}, err
	}
	defer srv.kill()
	up := time.Duration(r.ledger.now() - before.at)
	if err := r.drain(ctx, srv); err != nil {
		return Sample{}, err
	}
	after, err := b.look(ctx, r, srv)
	if err != nil {
		return Sample{}, err
	}
	s := between(before, after, &traffic{}, 0, true)
	s.Ready, s.Malformed, s.Platform = up.Seconds(), int(r.platform.malformed.Load()), r.platform.counts()
	return s, srv.ended()
}

// fillAndKill leaves a store with the backlog in dir. With one worker an
// engine takes in far more than it handles; it is killed in the middle of it.
func (b *bench) fillAndKill(ctx context.Context, r *rig, dir string) error {
	srv, err := b.engineIn(ctx, dir, engineSetup{workers: 1, answers: true}, r.platform.url())
	if err != nil {
		return err
	}
	defer srv.kill()
	g := newGenerator(load{
		addr: srv.addr, connections: Middle, conversations: b.Conversations, events: 2 * b.Backlog,
	}, r.ledger, b.Now())
	loading := b.begin(ctx, g)
	defer loading.stop()
	for r.ledger.sum().Waiting < b.Backlog {
		select {
		case <-loading.done:
			return fmt.Errorf("only %d events were waiting when the load ended: %w", r.ledger.sum().Waiting,
				errors.Join(loading.err, ctx.Err(), srv.ended()))
		case <-time.After(time.Millisecond):
		}
	}
	srv.kill()
	return nil
}
