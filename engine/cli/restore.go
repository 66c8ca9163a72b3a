package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"bot/store"
)

// restored is what -json tells of a restore.
type restored struct {
	Store string `json:"store"`
	Kept  string `json:"kept,omitempty"` // where the store is that was there
	store.Contents
}

// restoreVerb puts a backup in the place of the store: 0 it is there, 1 it is not
// and all is as it was, 3 an engine has the store.
func restoreVerb(_ context.Context, c *call) int {
	force := c.flags.Bool("force", false, "put it in the place of a store that is there, which is kept under another name")
	check := c.flags.Bool("check", false, "check the backup and say what is in it, no more")
	if code, ok := c.parse(1, 1); !ok {
		return code
	}
	backup := c.args[0]
	if *check {
		return c.checkBackup(backup)
	}
	cfg, code := c.storeOf()
	if cfg == nil {
		return code
	}
	got, kept, err := c.Files.Restore(backup, cfg.Store.Path, *force)
	switch held := (*store.HeldError)(nil); {
	case errors.As(err, &held) && sameFile(held.Path, backup):
		return c.sayInUse(backup)
	case errors.Is(err, fs.ErrExist):
		c.say(fmt.Errorf("there is a store at %s; -force puts the backup in its place, and keeps it beside under another name", cfg.Store.Path))
		return exitFailed
	case err != nil:
		return c.sayStore(cfg, err, stop)
	}
	if c.json {
		json.NewEncoder(c.Out).Encode(restored{cfg.Store.Path, kept, got})
		return exitOK
	}
	c.sayRestored(cfg.Store.Path, kept, got)
	return exitOK
}

func (c *call) checkBackup(backup string) int {
	got, err := c.Files.Inspect(backup)
	switch {
	case errors.Is(err, store.ErrHeld):
		return c.sayInUse(backup)
	case err != nil:
		c.say(err)
		return exitFailed
	case c.json:
		json.NewEncoder(c.Out).Encode(map[string]any{"file": backup, "contents": got})
	default:
		fmt.Fprintf(c.Out, "%s is good: %s, %s\n", backup, megabytes(got.Bytes), c.waiting(got))
	}
	return exitOK
}

func (c *call) sayInUse(backup string) int {
	c.say(fmt.Errorf("%s is no backup but a store in use; `bot backup FILE` makes a copy of it", backup))
	return exitHeld
}

// sayRestored tells what an operator is to look at before anything leaves.
func (c *call) sayRestored(path, kept string, got store.Contents) {
	at := c.moment(got.AsOf)
	fmt.Fprintf(c.Out, "restored to %s: %s, %s\n", path, megabytes(got.Bytes), c.waiting(got))
	if kept != "" {
		fmt.Fprintf(c.Out, "the store that was there is now %s; remove it when you need it no longer\n", kept)
	}
	fmt.Fprintf(c.Out, `
The engine starts held: it takes callbacks in, and sends nothing before you let it.
  - Commands that wait in the backup may have been sent after %[1]s: they would go out again.
  - Events of after %[1]s are forgotten: what a platform repeats is handled again.
  - Broadcasts that ran then run on from where they were then.
Start it (bot run), then look and take out what must not go twice:
  bot status; bot commands list; bot broadcast list; bot in-doubt list
  bot trace TASK       still tells what was sent since, where the trace lies beside the store
  bot commands cancel TASK…; bot broadcast cancel ID…
Then let it go:
  bot resume -all      or -account A, one after the other
`, at)
}
