package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"bot/engine/app"
	"bot/engine/config"
	"bot/store"
)

func runVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	plan, err := c.plan()
	if err != nil {
		return c.sayConfig(err, exitUsage)
	}
	direct := logger(c.Err, plan.Config.Log)
	pipe := newLogPipe(c.Err, func(n int64) {
		direct.Warn("log lines were dropped: whoever reads the log is too slow", "lines", n)
	})
	defer pipe.close(logPatience)
	log := logger(pipe, plan.Config.Log)
	for _, w := range plan.Config.Warnings {
		log.Warn("configuration", "problem", w.Error())
	}
	// A dialogue that fails refuses a reload, which has something better to
	// fall back on. After a reboot there is nothing better than to serve.
	if err := plan.Test(ctx); err != nil {
		log.Error("a skill does not do what its test says; `bot check` shows it", "error", err)
	}

	manager, err := newService(c.Env, os.Getpid(), plan.Config, log)
	if err != nil {
		c.say(err)
		return exitUsage
	}
	defer manager.close()
	o := c.Options
	o.Plan, o.Load, o.Log = plan, c.load, log
	var engine *app.App
	manager.attach(&o, func(ctx context.Context) error { return engine.Alive(ctx) })
	engine = app.New(o)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	wishes := c.Reloads()
	go func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-wishes:
				engine.Reload(ctx) // it logs its own outcome
			}
		}
	}()
	if c.Prepare != nil {
		c.Prepare()
	}
	err = engine.Run(ctx)
	switch {
	case err == nil:
		log.Info("stopped")
		return exitOK
	case errors.Is(err, store.ErrHeld):
		c.say(err)
		return exitHeld
	default:
		log.Error("ended", "error", err)
		return exitFailed
	}
}

// logPatience is how long the end of the process waits for a slow reader of its log.
const logPatience = time.Second

// logger writes records to w as the configuration asks; config has checked the names.
func logger(w io.Writer, l config.Log) *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(l.Level)); err != nil {
		panic(fmt.Sprintf("log level %q passed the check: %v", l.Level, err))
	}
	o := &slog.HandlerOptions{Level: level}
	if l.Format == "text" {
		return slog.New(slog.NewTextHandler(w, o))
	}
	return slog.New(slog.NewJSONHandler(w, o))
}
