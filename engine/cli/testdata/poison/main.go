// Command poison is the engine with one kind of skill more, for tests of what
// no good skill does: it kills the process, or does not end before it is let.
package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/signal"
	"syscall"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/cli"
	"bot/skills"
	"bot/skills/kind"
	"bot/store"
	"bot/store/boltstore"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], cli.Parts{
		Options: app.Options{
			BuildSkills: buildSkills, OpenStore: openStore, Announce: announce,
			Version: "poison", Chance: rand.Float64,
		},
		Locate: locate,
		In:     os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Env: os.LookupEnv, Now: time.Now,
		Reloads: func() <-chan struct{} { return nil },
	}))
}

// poisonous is a skill that answers a text with itself, with two exceptions.
type poisonous struct {
	kind.Base
	deadly string // the text that kills the process at once
	until  string // nothing is answered before this file is there; "" = at once
}

func build(d *kind.Draft) engine.Skill {
	var c struct {
		kind.Keys
		Poison string `toml:"poison"`
		Until  string `toml:"until"`
	}
	d.Decode(&c)
	return &poisonous{Base: d.Base(d.Seen()), deadly: c.Poison, until: c.Until}
}

func (s *poisonous) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	if t.Event.Text == s.deadly {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
	for s.until != "" {
		if _, err := os.Stat(s.until); err == nil {
			break
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return engine.Outcome{}, ctx.Err()
		}
	}
	return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: t.Event.Text}}}, nil
}

func buildSkills(sections []engine.Section, accounts app.Accounts) (app.Skills, error) {
	set, err := skills.Build(sections, skills.Options{
		Accounts: accounts.Names, Can: accounts.Can,
		Kinds: []kind.Kind{{Key: "poison", Name: "poison", New: build}},
	})
	if err != nil {
		return nil, err
	}
	return set, nil
}

func openStore(ctx context.Context, o app.StoreOptions) (store.Store, error) {
	st, err := boltstore.Open(ctx, boltstore.Options{
		Path: o.Path, Window: o.Window, MaxKeys: o.MaxKeys, MinFree: o.MinFree, CommandWindow: o.CommandWindow,
		Now: time.Now, Log: o.Log, Observe: o.Observe,
	})
	if err != nil {
		return nil, err
	}
	return st, nil
}

func announce(path, callback, admin string) error {
	return boltstore.WriteRun(path, boltstore.Run{PID: os.Getpid(), Callback: callback, Admin: admin})
}

func locate(path string) (admin string, err error) {
	run, err := boltstore.ReadRun(path)
	return run.Admin, err
}
