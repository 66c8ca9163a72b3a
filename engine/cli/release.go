package cli

import (
	"context"
	"fmt"
	"net/http"
)

// releaseVerb gives conversations back to the bot that people had taken over.
func releaseVerb(ctx context.Context, c *call) int {
	account := c.flags.String("account", "", "the `account` of the conversations")
	if code, ok := c.parse(1, 1000); !ok {
		return code
	}
	if *account == "" {
		fmt.Fprintln(c.Err, "say of which account: -account NAME")
		return exitUsage
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	return c.each("conversation", c.args, "released", func(conversation string) error {
		return a.do(ctx, http.MethodPost, "/api/v1/release", map[string]string{"account": *account, "conversation": conversation}, nil)
	})
}
