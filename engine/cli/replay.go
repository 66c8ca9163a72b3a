package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/fetch"
	"bot/engine/nearest"
	"bot/engine/recent"
	"bot/engine/replay"
)

// replayVerb plays recent intake through the configuration that the engine runs
// and through an edited one, and prints the replies that differ: 0 none do, 1
// some do, 2 it cannot be read. Nothing is sent and nothing is written.
func replayVerb(ctx context.Context, c *call) int {
	since := engine.Duration(24 * time.Hour)
	c.flags.Func("since", "how far back to `begin`, such as 90m or 7d; default 24h", func(s string) error { return since.UnmarshalText([]byte(s)) })
	against := c.flags.String("against", "", "the `file` that the engine runs; default bot.toml beside the edited one")
	account := c.flags.String("account", "", "only what this `account` received")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	if *against == "" {
		*against = filepath.Join(filepath.Dir(c.config), "bot.toml")
	}
	if same(c.config, *against) {
		c.say(fmt.Errorf("-config and -against are both %s: edit a copy and name that (bot replay -config new.toml), or name the file as it was (-against old.toml)", c.config))
		return exitUsage
	}
	running, err := c.planOf(*against)
	if err != nil {
		return c.sayConfig(err, exitUsage)
	}
	edited, err := c.plan()
	if err != nil {
		return c.sayConfig(err, exitUsage)
	}
	if _, ok := running.Setup.Accounts[*account]; *account != "" && !ok {
		fmt.Fprintf(c.Err, "there is no account %q in %s%s\n", *account, *against, nearest.Hint(*account, slices.Sorted(maps.Keys(running.Setup.Accounts))))
		return exitUsage
	}
	r := replaying{call: c, against: *against, zones: running.Setup.Accounts, from: c.Now().Add(-since.Std())}
	in, err := r.read(running)
	if err != nil {
		c.say(err)
		return exitUsage
	}
	o := replay.Options{Old: running.Trial("", false), New: edited.Trial("", false), Until: c.Now()}
	sum, err := replay.Compare(fetch.Offline(ctx), o, of(*account, in.Events()), r.change)
	if err != nil {
		c.say(err)
		return exitUsage
	}
	r.finish(sum)
	if sum.Changed > 0 {
		return exitFailed
	}
	return exitOK
}

// same tells whether two names are of one file.
func same(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// replaying is one replay and what it prints.
type replaying struct {
	*call
	against string
	zones   map[string]engine.Account
	from    time.Time
	changes []changed // for -json
}

// read returns what the engine has kept.
func (r *replaying) read(running *app.Plan) (*recent.Intake, error) {
	dir := recent.Dir(running.Config.Store.Path)
	in, err := recent.Read(dir, r.from)
	switch {
	case errors.Is(err, fs.ErrNotExist) && running.Config.Replay.Keep == 0:
		return nil, fmt.Errorf("there is no recent intake: %s says replay.keep = \"0s\"", r.against)
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("there is no recent intake at %s: the engine keeps it there while it runs (is %s the file that it runs? -against names another one)", dir, r.against)
	case err != nil:
		return nil, err
	}
	if in.Damaged > 0 {
		fmt.Fprintf(r.Err, "note: %s cannot be read and %s left out\n", many(in.Damaged, "event", "events"), are(in.Damaged))
	}
	return in, nil
}

// of are the events of one account, of all where it is "".
func of(account string, events iter.Seq[*engine.Event]) iter.Seq[*engine.Event] {
	return func(yield func(*engine.Event) bool) {
		for e := range events {
			if (account == "" || e.Account == account) && !yield(e) {
				return
			}
		}
	}
}
