package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/ingress"
	"bot/engine/queue"
	"bot/store"
)

// ingressOptions is what callbacks are taken in with.
func (a *App) ingressOptions(cfg *config.Config) ingress.Options {
	return ingress.Options{
		Ring:  a.porter.Ring,
		Seen:  a.traceIntake,
		Inbox: intake{a.queue, a.store}, Admit: a.admit, Heard: a.called, Backlog: a.store.Backlog,
		MaxBacklog:    func() int { return a.live.Load().Config.Queue.Backlog },
		MaxCommitWait: func() time.Duration { return a.live.Load().Config.Queue.MaxCommitWait.Std() },
		MaxBody:       int64(cfg.Server.MaxBody), Now: a.store.Now, Log: a.o.Log, Metrics: a.metrics,
	}
}

// intake is what the callback handler may do with the store: look, and append
// through the queue, which wakes the reader.
type intake struct {
	*queue.Queue
	store.Inbox
}

func (i intake) Append(ctx context.Context, events []*engine.Event, window time.Duration) (store.Appended, error) {
	return i.Queue.Append(ctx, events, window)
}

func (a *App) announce(cfg *config.Config, callbacks, admin net.Listener) error {
	at := Addrs{callbacks.Addr().String(), admin.Addr().String()}
	switch err := a.o.Announce(cfg.Store.Path, at.Callback, at.Admin); {
	case errors.Is(err, store.ErrFull): // what waits is to leave all the same
		a.o.Log.Warn("the verbs of bot may not find this process until it starts on a disk with room", "error", err)
	case err != nil:
		return fmt.Errorf("announce: %w", err)
	}
	a.o.Log.Info("ready", "callback", at.Callback, "admin", at.Admin, "console", consoleAt(at.Admin),
		"accounts", len(cfg.Accounts), "skills", a.o.Plan.Skills.Len(), "version", a.o.Version)
	if a.o.Started != nil {
		a.o.Started(at)
	}
	return nil
}

func (a *App) listen(ctx context.Context, key, addr string) (net.Listener, error) {
	if l, open := a.o.Listeners[key]; open {
		return l, nil
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("%s: %w (is another program there? choose a free port)", key, err)
	}
	return l, nil
}

func serve(s *http.Server, l net.Listener) func(context.Context) error {
	return func(context.Context) error {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			return err
		}
		return nil
	}
}

// shutdown lets requests in hand end, and cuts off those that do not in time.
func shutdown(s *http.Server, within time.Duration) error {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return s.Close()
}
