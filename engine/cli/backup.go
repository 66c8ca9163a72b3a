package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"time"

	"bot/engine/config"
	"bot/store"
)

// backupStall is when an engine that sends nothing any more counts as stuck.
const backupStall = time.Minute

// backedUp is what -json tells of a backup.
type backedUp struct {
	File string `json:"file"`
	store.Contents
	TookMS int64 `json:"took_ms"`
}

// backupVerb writes a copy of the store: 0 there is one and it is good, 1 there is
// none, and what was there before is as it was.
func backupVerb(ctx context.Context, c *call) int {
	force := c.flags.Bool("force", false, "replace FILE, once the new copy is good")
	if code, ok := c.parse(1, 1); !ok {
		return code
	}
	cfg, code := c.engineOf()
	if cfg == nil {
		return code
	}
	to := c.args[0]
	if to == "-" {
		return c.backupToStdout(ctx, cfg)
	}
	if sameFile(to, cfg.Store.Path) {
		c.say(fmt.Errorf("%s is the store itself; give the backup a name of its own", to))
		return exitUsage
	}
	start := c.Now()
	got, err := c.Files.Save(to, *force, func(w io.Writer) error { return c.copyStore(ctx, cfg, w) })
	switch {
	case errors.Is(err, fs.ErrExist):
		c.say(fmt.Errorf("%s is there already; -force replaces it once the new one is good", to))
		return exitFailed
	case err != nil:
		return c.sayStore(cfg, err, "it does not answer")
	}
	took := c.Now().Sub(start)
	if c.json {
		json.NewEncoder(c.Out).Encode(backedUp{to, got, took.Milliseconds()})
		return exitOK
	}
	fmt.Fprintf(c.Out, "%s: %s in %s, checked; %s\n", to, megabytes(got.Bytes), inSeconds(took), c.waiting(got))
	return exitOK
}

// sameFile tells whether two names are of one file, whether it is there or not.
func sameFile(a, b string) bool {
	x, errA := filepath.Abs(a)
	y, errB := filepath.Abs(b)
	return errA == nil && errB == nil && x == y || same(a, b)
}

// backupToStdout writes a copy for another program, which has to check it.
func (c *call) backupToStdout(ctx context.Context, cfg *config.Config) int {
	if terminal(c.Out) {
		fmt.Fprintln(c.Err, "a backup is no text: name a file, or send it on (bot backup - | …)")
		return exitUsage
	}
	var n counter
	if err := c.copyStore(ctx, cfg, io.MultiWriter(c.Out, &n)); err != nil {
		fmt.Fprintf(c.Err, "what was written is no backup (%d bytes):\n", n)
		return c.sayStore(cfg, err, "it does not answer")
	}
	fmt.Fprintf(c.Err, "%s; it was not checked: `bot restore -check FILE` does that\n", megabytes(int64(n)))
	return exitOK
}

type counter int64

func (n *counter) Write(b []byte) (int, error) {
	*n += counter(len(b))
	return len(b), nil
}

// copyStore writes the store as it is now: by itself where nobody has it open,
// else the engine that has does.
func (c *call) copyStore(ctx context.Context, cfg *config.Config, w io.Writer) error {
	err := c.Files.Copy(ctx, cfg.Store.Path, func(int64) io.Writer { return w })
	if !errors.Is(err, store.ErrHeld) {
		return err
	}
	a, unreached := c.reach(cfg)
	if unreached != nil {
		return err
	}
	return a.backup(ctx, w)
}

// backup has the running engine write its store.
func (a *adminClient) backup(ctx context.Context, w io.Writer) error {
	ctx, give := context.WithCancelCause(ctx)
	defer give(nil)
	stuck := time.AfterFunc(backupStall, func() { give(fmt.Errorf("the engine has sent nothing for %v", backupStall)) })
	defer stuck.Stop()
	patient := *a
	patient.http = &http.Client{}
	resp, err := patient.ask(ctx, http.MethodPost, "/api/v1/backup", "application/json", nil)
	if err != nil {
		return causeOf(ctx, err)
	}
	defer resp.Body.Close()
	_, err = io.Copy(w, &alive{resp.Body, stuck})
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the engine broke off in the midst of it; its log has the reason")
	}
	return causeOf(ctx, err)
}

// causeOf is why ctx ended, where it did and something failed.
func causeOf(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// alive puts off the end with whatever comes.
type alive struct {
	r     io.Reader
	stuck *time.Timer
}

func (a *alive) Read(b []byte) (int, error) {
	n, err := a.r.Read(b)
	a.stuck.Reset(backupStall)
	return n, err
}
