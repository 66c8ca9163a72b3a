package cli

import (
	"context"
	"fmt"
	"strings"

	"bot/engine"
	"bot/engine/egress"
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
	return c.sayVetted(plan.Vet(&engine.Command{Action: engine.SendText, Text: strings.Join(c.args, " ")}))
}

// sayVetted prints what would be sent, and what was found in it.
func (c *call) sayVetted(v egress.Vetted) int {
	code := exitOK
	if v.Refused != "" {
		code = exitFailed
	}
	if c.json {
		c.indented(map[string]any{"text": v.Command.Text, "found": v.Found, "refused": v.Refused != ""})
		return code
	}
	if v.Found != "" {
		fmt.Fprintln(c.Err, "found: "+v.Found)
	}
	if v.Refused != "" {
		fmt.Fprintln(c.Err, "it would not be sent")
		return code
	}
	fmt.Fprintln(c.Out, v.Command.Text)
	return code
}
