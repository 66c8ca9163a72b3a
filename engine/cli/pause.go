package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// pauseVerb stops what leaves; everything is taken in and handled as before.
func pauseVerb(ctx context.Context, c *call) int { return c.pausing(ctx, "pause", "paused") }

// resumeVerb lets it leave again.
func resumeVerb(ctx context.Context, c *call) int { return c.pausing(ctx, "resume", "resumed") }

func (c *call) pausing(ctx context.Context, verb, done string) int {
	account := c.flags.String("account", "", "the `account`")
	all := c.flags.Bool("all", false, "every account")
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	if (*account == "") != *all {
		fmt.Fprintln(c.Err, "say which: -account NAME or -all")
		return exitUsage
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	var answer struct {
		Accounts []string `json:"accounts"`
		Paused   bool     `json:"paused"`
	}
	ask := map[string]string{"by": c.user()}
	if !*all { // an empty account is refused, lest it mean all by mistake
		ask["account"] = *account
	}
	if err := a.do(ctx, http.MethodPost, "/api/v1/"+verb, ask, &answer); err != nil {
		c.say(err)
		return exitFailed
	}
	if c.json {
		json.NewEncoder(c.Out).Encode(answer)
		return exitOK
	}
	fmt.Fprintf(c.Out, "%s: %s\n", done, strings.Join(answer.Accounts, ", "))
	return exitOK
}

// user is who runs the command, as far as the environment tells.
func (c *call) user() string {
	for _, name := range []string{"SUDO_USER", "USER", "USERNAME"} {
		if user, _ := c.Env(name); user != "" {
			return user
		}
	}
	return ""
}
