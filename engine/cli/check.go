package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// checkVerb says all that is wrong with a configuration: 0 nothing, 1
// something, 2 it cannot be read.
func checkVerb(ctx context.Context, c *call) int {
	only := c.flags.String("run", "", "run the tests of this `skill` alone")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	tests := 0
	plan, err := c.plan()
	switch {
	case err != nil:
	case *only != "":
		tests, err = plan.TestOnly(ctx, *only)
	default:
		tests, err = len(plan.Skills.Tests()), plan.Test(ctx)
	}
	var unread *fs.PathError
	if c.json && !errors.As(err, &unread) {
		return c.checkJSON(err)
	}
	if err != nil {
		return c.sayConfig(err, exitFailed)
	}
	for _, w := range plan.Config.Warnings {
		fmt.Fprintln(c.Err, "warning: "+w.Error())
	}
	fmt.Fprintf(c.Out, "%s is fine (accounts: %d, skills: %d, tests passed: %d)\n",
		c.config, len(plan.Config.Accounts), plan.Skills.Len(), tests)
	return exitOK
}

func (c *call) checkJSON(err error) int {
	problems := []string{}
	if err != nil {
		problems = strings.Split(err.Error(), "\n")
	}
	json.NewEncoder(c.Out).Encode(map[string]any{"ok": err == nil, "problems": problems})
	if err != nil {
		return exitFailed
	}
	return exitOK
}
