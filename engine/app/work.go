package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"bot/engine/api"
	"bot/engine/config"
	"bot/engine/ingress"
	"bot/engine/schedule"
)

// mostStages is more than work ever starts, so that none waits to say that it failed.
const mostStages = 64

// crew is what runs while the engine works, in groups that stop together.
type crew struct {
	failures  chan error
	receiving *group // callbacks
	fetching  *group // what platforms give only when asked
	handling  *group // events and what raises them
	sending   *group
	keeping   *group // records of what happens
	serving   *group // the operator
	telling   *group // alerts, to the last
	door      *ingress.Server
	desk      *http.Server
}

// work runs the stages until the end, then stops them in the order of the
// road: what lies upstream first.
func (a *App) work(ctx context.Context, cfg *config.Config, callbacks, admin net.Listener) error {
	stats, err := a.store.Stats()
	if err != nil {
		return fmt.Errorf("read store: %w", err)
	}
	a.metrics.Recovered.Add(float64(stats.Events))
	c := a.start(cfg, callbacks, admin)
	a.ready.Store(true)
	err = a.announce(cfg, callbacks, admin)
	if err == nil {
		err = a.wait(ctx, c.failures)
	}

	a.ready.Store(false)
	if a.o.Stopping != nil {
		a.o.Stopping()
	}
	a.o.Log.Info("stopping", "grace", cfg.ShutdownGrace.String())
	callbacks.Close()
	errs := append([]error{err}, c.stop(cfg.ShutdownGrace.Std()/5)...)
	if err == nil { // else it has been said
		errs = append(errs, a.store.Err())
	}
	return errors.Join(errs...)
}

// start sets everything going, intake last.
func (a *App) start(cfg *config.Config, callbacks, admin net.Listener) *crew {
	c := &crew{
		failures: make(chan error, mostStages),
		door:     ingress.NewServer(a.ingress, a.o.Log), desk: api.NewServer(a.adminHandler(cfg), a.o.Log),
	}
	for _, g := range []**group{&c.receiving, &c.fetching, &c.handling, &c.sending, &c.keeping, &c.serving, &c.telling} {
		*g = newGroup(c.failures)
	}
	timers := schedule.New(schedule.Options{Store: a.store, Log: a.o.Log, Fired: a.raised})

	c.telling.start("alerts", a.desk.Run)
	c.keeping.start("recent intake", a.recent.Run)
	c.keeping.start("trace", a.trace.Run)
	c.keeping.start("console", a.samples.Run)
	c.keeping.start("health", a.board.Run)
	c.keeping.start("lookout", a.watch)
	c.keeping.start("conversations", a.recallTalks)
	c.keeping.start("silence", a.watchSilence)
	c.sending.start("egress", a.egress.Run)
	c.handling.start("queue", a.queue.Run)
	c.handling.start("dispatch", a.dispatch.Run)
	c.handling.start("schedule", timers.Run)
	c.handling.start("calendar", a.calendar.Run)
	c.handling.start("presence", a.presence.Run)
	c.handling.start("broadcasts", a.casts.Run)
	c.fetching.start("pull", a.porter.Run)
	c.serving.start("admin", serve(c.desk, admin))
	c.receiving.start("callbacks", serve(c.door.Server, callbacks))
	return c
}

// stop ends all in this order: what was accepted within drain is answered, and
// those that come later wait, where the listener was passed on.
func (c *crew) stop(drain time.Duration) (errs []error) {
	c.receiving.stop()
	errs = append(errs, c.door.Drain(drain))
	c.fetching.stop()
	c.handling.stop()
	c.sending.stop()
	c.keeping.stop()
	errs = append(errs, shutdown(c.desk, time.Second))
	c.serving.stop()
	c.telling.stop()
	close(c.failures)
	for err := range c.failures {
		errs = append(errs, err)
	}
	return errs
}

// wait returns nil when the engine is asked to stop, or the first failure.
func (a *App) wait(ctx context.Context, failures <-chan error) error {
	select {
	case <-ctx.Done():
		return nil
	case <-a.store.Failed():
		a.failedStore()
		return fmt.Errorf("the store cannot be trusted any more, ending at once: %w", a.store.Err())
	case err := <-failures:
		return err
	}
}
