package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"time"

	"bot/engine/config"
	"bot/store"
)

// StoreFiles is what can be done to the files of a store, and of copies of it,
// while no engine has them open. The errors are those of package store, and of fs.
type StoreFiles struct {
	// Copy writes the store at path. ErrHeld at once, where somebody has it open.
	Copy func(ctx context.Context, path string, begin func(bytes int64) io.Writer) error
	// Save has write make a copy at path, whole and checked or not at all. ErrExist
	// where there is a file and force is not given.
	Save func(path string, force bool, write func(io.Writer) error) (store.Contents, error)
	// Inspect checks a copy.
	Inspect func(path string) (store.Contents, error)
	// Restore puts a backup in the place of a store, and returns where it keeps the
	// store that was there, "" for none. ErrExist where there is one and force is not given.
	Restore func(backup, storePath string, force bool) (c store.Contents, kept string, err error)
	// Compact writes the store at path anew and returns its sizes.
	Compact func(path string) (before, after int64, err error)
}

// storeOf loads the configuration for the place of its store. Faults elsewhere in
// the file do not matter to that. A nil one has been explained to the user.
func (c *call) storeOf() (*config.Config, int) {
	cfg, err := c.load()
	if cfg == nil {
		return nil, c.sayConfig(err, exitUsage)
	}
	return cfg, exitOK
}

// engineOf is storeOf for what is asked of a running engine. That goes on with what it
// has while its file is no TOML any more, and must be told to stop sending then too.
func (c *call) engineOf() (*config.Config, int) {
	cfg, err := c.load()
	if cfg != nil {
		return cfg, exitOK
	}
	found, lost := config.FindEngine(c.config, c.Env)
	var unread *fs.PathError
	switch {
	case errors.As(lost, &unread):
		return nil, c.sayConfig(err, exitUsage)
	case lost != nil:
		return nil, c.sayConfig(fmt.Errorf("%w\n%s: %w", err, c.config, lost), exitUsage)
	}
	c.say(fmt.Errorf("warning: %w", err))
	fmt.Fprintf(c.Err, "warning: %s cannot be read as a whole; an engine that runs by it goes on with what it has, and is looked for beside %s\n", c.config, found.Store)
	cfg = new(config.Config)
	cfg.Store.Path, cfg.Admin.Token = found.Store, found.Token
	return cfg, exitOK
}

// sayStore explains why something could not be done to the files of a store, and
// what to do, and returns the exit code.
func (c *call) sayStore(cfg *config.Config, err error, hint string) int {
	var unknown *fs.PathError
	switch held := (*store.HeldError)(nil); {
	case errors.As(err, &held):
		who := "another process"
		if held.PID != 0 {
			who = fmt.Sprintf("process %d", held.PID)
		}
		c.say(fmt.Errorf("%s is in use by %s; %s", held.Path, who, hint))
		return exitHeld
	case errors.As(err, &unknown) && errors.Is(err, fs.ErrNotExist) && unknown.Path == cfg.Store.Path:
		c.say(fmt.Errorf("there is no store at %s (store.path of %s); `bot run` makes one", cfg.Store.Path, c.config))
	default:
		c.say(err)
	}
	return exitFailed
}

// stop is what to do about an engine that has the store.
const stop = "stop it first (under systemd: systemctl stop bot.socket bot-admin.socket bot.service)"

// megabytes is a size for people.
func megabytes(n int64) string {
	if n < 1<<20 {
		return fmt.Sprintf("%d KiB", (n+1023)>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}

// waiting is what of a copy an operator should know, in a line.
func (c *call) waiting(s store.Contents) string {
	of := "as of " + c.moment(s.AsOf)
	if s.AsOf.Unix() <= 0 { // no change bears a time yet
		of = "of a store in which nothing has happened"
	}
	return fmt.Sprintf("%s; %s and %s wait in it, %s", of,
		many(s.Events, "event", "events"), many(s.Commands, "command", "commands"), many(s.Letters, "dead letter", "dead letters"))
}

// inSeconds is how long something took, for people.
func inSeconds(d time.Duration) string {
	return strings.TrimSuffix(fmt.Sprintf("%.2f", d.Seconds()), "0") + " s"
}
