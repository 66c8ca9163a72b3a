package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"text/tabwriter"
)

func initVerb(_ context.Context, c *call) int {
	force := c.flags.Bool("force", false, "overwrite the file if it is there")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	how := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if *force {
		how = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	// 0600: secrets will be written here.
	f, err := os.OpenFile(c.config, how, 0o600)
	if errors.Is(err, fs.ErrExist) {
		fmt.Fprintf(c.Err, "%s is there already; -force overwrites it\n", c.config)
		return exitFailed
	}
	if err == nil {
		_, err = f.Write(c.Example)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		c.say(fmt.Errorf("write configuration: %w", err))
		return exitFailed
	}
	fmt.Fprintf(c.Out, "%s is written; it starts as it is.\n", c.config)
	of := " -config " + c.config
	w := tabwriter.NewWriter(c.Out, 0, 0, 4, ' ', 0)
	for _, line := range [][2]string{
		{" check" + of, "is it right, and do its skills do what their tests say"},
		{" chat" + of, "talk to it here"},
		{" stub", "play the platform: prints what the bot sends"},
		{of, "run it; then talk to it in the browser: http://127.0.0.1:8081/chat"},
	} {
		fmt.Fprintf(w, "  %s%s\t%s\n", c.Name, line[0], line[1])
	}
	w.Flush()
	return exitOK
}

func versionVerb(_ context.Context, c *call) int {
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	if c.json {
		c.indented(map[string]string{"version": c.Version})
	} else {
		fmt.Fprintln(c.Out, "bot "+c.Version)
	}
	return exitOK
}
