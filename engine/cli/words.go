package cli

import (
	"context"
	"fmt"
	"strings"

	"bot/engine"
)

// wordsVerb prints a text as the word filter would let it go.
func wordsVerb(_ context.Context, c *call) int {
	if code, ok := c.parse(1, 1000); !ok {
		return code
	}
	plan, err := c.plan()
	if err != nil {
		return c.sayConfig(err, exitUsage)
	}
	if len(plan.Config.Words.Listed) == 0 {
		fmt.Fprintf(c.Err, "there is no [words] in %s: every text is sent as it is\n", c.config)
		return exitUsage
	}
	v := plan.Vet(&engine.Command{Action: engine.SendText, Text: strings.Join(c.args, " ")})
	if v.Found != "" {
		fmt.Fprintln(c.Err, "found: "+v.Found)
	}
	if v.Refused != "" {
		fmt.Fprintln(c.Err, "it would not be sent")
		return exitFailed
	}
	fmt.Fprintln(c.Out, v.Command.Text)
	return exitOK
}
