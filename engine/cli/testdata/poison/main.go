// Command poison is the engine with one kind of skill more, for tests of what
// no good skill does: it kills the process, is slow, or does not end before it
// is let.
package main

import (
	"context"
	"math/rand/v2"
	"os"
	"os/signal"
	"strings"
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

// poisonous is a skill that answers a text with its first word, with some
// exceptions.
type poisonous struct {
	kind.Base
	deadly string        // the text that kills the process at once
	until  string        // the file that ends all waiting; without takes nothing is answered before it is there
	takes  time.Duration // what each answer takes
	hangs  string        // the first word that is never answered
}

func build(d *kind.Draft) engine.Skill {
	var c struct {
		kind.Keys
		Poison string          `toml:"poison"`
		Until  string          `toml:"until"`
		Takes  engine.Duration `toml:"takes"`
		Hangs  string          `toml:"hangs"`
	}
	d.Decode(&c)
	return &poisonous{Base: d.Base(d.Seen()), deadly: c.Poison, until: c.Until, takes: c.Takes.Std(), hangs: c.Hangs}
}

func (s *poisonous) Handle(ctx context.Context, t *engine.Turn) (engine.Outcome, error) {
	if t.Event.Text == s.deadly {
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	}
	word, _, _ := strings.Cut(t.Event.Text, " ")
	for began := time.Now(); s.holds(word, time.Since(began)); {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return engine.Outcome{}, ctx.Err()
		}
	}
	return engine.Outcome{Commands: []engine.Command{{Action: engine.SendText, Text: word}}}, nil
}

// holds tells whether an answer is still held back after that time.
func (s *poisonous) holds(word string, since time.Duration) bool {
	if _, err := os.Stat(s.until); err == nil {
		return false
	}
	switch {
	case s.hangs != "" && word == s.hangs:
		return true
	case s.takes > 0:
		return since < s.takes
	default:
		return s.until != ""
	}
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
