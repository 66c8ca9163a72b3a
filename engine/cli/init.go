package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	fmt.Fprintf(c.Out, `%[1]s is written; it starts as it is.
  bot check -config %[1]s    is it right, and do its skills do what their tests say
  bot chat  -config %[1]s    talk to it here
  bot stub                   play the platform: prints what the bot sends
  bot       -config %[1]s    run it; then talk to it in the browser: http://127.0.0.1:8081/chat
`, c.config)
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
