// Command crash is the engine with a store and a client to whom something
// happens at a point that a test names: the process is killed there, a
// goroutine panics, an act is refused or takes its time. No line of the engine
// knows of it. See order for how a test says what and where.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/skills"
	"bot/skills/kind"
	"bot/store/boltstore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	log := slog.New(slog.NewJSONHandler(os.Stderr, nil))
	if err := run(ctx, log, os.Args[len(os.Args)-1]); err != nil {
		log.Error("ended", "error", err)
		os.Exit(1)
	}
}

// run is `bot run` with everything that can be named put around the store and
// the client.
func run(ctx context.Context, log *slog.Logger, path string) error {
	nap, err := time.ParseDuration(os.Getenv("BOT_CRASH_NAP"))
	if err != nil {
		return fmt.Errorf("BOT_CRASH_NAP: %w", err)
	}
	points := &points{file: os.Getenv("BOT_CRASH"), nap: nap}
	client := channel.NewClient()
	client.Transport = &requests{points, client.Transport}
	load := func() (*config.Config, error) { return config.Load(path, os.LookupEnv, app.Channels()) }
	plan, err := app.Prepare(load, buildSkills, client)
	if err != nil {
		return fmt.Errorf("prepare: %w", err)
	}
	return app.New(app.Options{
		Plan: plan, Load: load, BuildSkills: buildSkills,
		OpenStore: points.openStore,
		Announce: func(storePath, callback, admin string) error {
			return points.around("Announce", func() error {
				return boltstore.WriteRun(storePath, boltstore.Run{PID: os.Getpid(), Callback: callback, Admin: admin})
			})
		},
		Version: "crash", Log: log,
		// The waits before another attempt are short, not nought.
		Chance: func() float64 { return rand.Float64() / 20 },
	}).Run(ctx)
}

func buildSkills(sections []engine.Section, accounts app.Accounts) (app.Skills, error) {
	set, err := skills.Build(sections, skills.Options{
		Accounts: accounts.Names, Can: accounts.Can,
		Kinds: []kind.Kind{{Key: "hindrance", Name: "hindered", New: build}},
	})
	if err != nil {
		return nil, err
	}
	return set, nil
}
