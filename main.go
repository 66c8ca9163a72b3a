// Command bot is a bot engine for WeChat and WeCom: one process, one file of
// data. See README.md.
package main

import (
	"context"
	_ "embed"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"
	_ "time/tzdata" // for machines and containers that have no zones of their own

	"bot/engine"
	"bot/engine/app"
	"bot/engine/cli"
	"bot/skills"
	"bot/skills/match"
	"bot/store"
	"bot/store/boltstore"
)

//go:embed config.example.toml
var example []byte

func main() {
	tuneMemory()
	// The first signal stops gracefully; by then the second one has got its
	// default meaning back and ends the process at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(cli.Main(ctx, os.Args[1:], cli.Parts{
		Options: app.Options{
			BuildSkills: buildSkills,
			Template:    skills.Template,
			OpenStore:   openStore,
			Announce:    announce,
			Version:     version(),
			Chance:      rand.Float64,
		},
		Name:    os.Args[0],
		Example: example,
		Locate:  locate,
		Files: cli.StoreFiles{
			Copy: boltstore.CopyFile, Save: boltstore.Save, Inspect: boltstore.Inspect,
			Restore: restore, Compact: boltstore.Compact,
		},
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Env: os.LookupEnv, Now: time.Now,
		Prepare: spareThreads,
		Reloads: hangups,
	}))
}

// tuneMemory lets the heap of a small engine grow to five times what lives in
// it between collections, which at Go's default of two cost a fifth of the CPU
// under load; near a gibibyte, more than full tables and caches take, the
// collector works harder instead. GOGC and GOMEMLIMIT overrule it.
func tuneMemory() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(1 << 30)
	}
}

// spareThreads has Go run two threads more than there are processors. Who comes back
// from a sync needs one of Go's again, and where all are taken it stands in line behind
// every handler that is ready, twice in each commit, which everybody waits for. With
// threads to spare the kernel decides, and lets go first who slept. Where a container
// is given less than the machine has they would only use that up sooner. GOMAXPROCS
// overrules it.
func spareThreads() {
	if n := runtime.GOMAXPROCS(0); n == runtime.NumCPU() && os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(n + 2)
	}
}

// hangups delivers one element per SIGHUP from now on; several before the first
// is taken are one wish. Commands that do not ask for it end with the signal.
// A process that lives so long also outlives whoever read its log: a broken
// pipe there must not end it.
func hangups() <-chan struct{} {
	signals, wishes := make(chan os.Signal, 1), make(chan struct{})
	signal.Notify(signals, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE)
	go func() {
		for range signals {
			wishes <- struct{}{}
		}
	}()
	return wishes
}

func buildSkills(sections []engine.Section, accounts app.Accounts) (app.Skills, error) {
	set, err := skills.Build(sections, skills.Options{
		Accounts: accounts.Names, Selves: accounts.Selves, Can: accounts.Can, Cannot: accounts.Cannot, Within: accounts.Within, Takes: accounts.Takes, TextLimit: accounts.TextLimit,
		Folding: match.NewFolding(accounts.Folding.FoldTraditional), Hours: accounts.Hours, Location: accounts.Location,
		Fetch: accounts.Fetch, Schedules: accounts.Schedules, Audiences: accounts.Audiences,
	})
	if err != nil {
		return nil, err // not a nil *Set inside a non-nil interface
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

func announce(storePath, callback, admin string) error {
	return boltstore.WriteRun(storePath, boltstore.Run{PID: os.Getpid(), Callback: callback, Admin: admin})
}

func locate(storePath string) (admin string, err error) {
	run, err := boltstore.ReadRun(storePath)
	return run.Admin, err
}

func restore(backup, storePath string, force bool) (c store.Contents, kept string, err error) {
	return boltstore.Restore(backup, storePath, boltstore.RestoreOptions{Force: force, Now: time.Now(), Note: app.RestoredNote})
}

// version is the module's version: its tag, or else the time and the name of the
// commit it was built from, with +dirty behind it where files differed from that.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	v := info.Main.Version
	if v == "" || v == "(devel)" {
		v = "devel"
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				v = s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return v
}
