package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// healthPatience is less than what those who ask regularly wait: Docker 30
// seconds, unless it is told otherwise.
const healthPatience = 5 * time.Second

// healthVerb is for what has no curl, such as a container without a shell. Whatever
// keeps the engine from being asked, it is 1: Docker knows no other code.
func healthVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	a, _ := c.admin()
	if a == nil {
		return exitFailed
	}
	ctx, cancel := context.WithTimeout(ctx, healthPatience)
	defer cancel()
	if err := a.do(ctx, http.MethodGet, "/readyz", nil, nil); err != nil {
		c.say(err)
		return exitFailed
	}
	if c.json {
		_ = json.NewEncoder(c.Out).Encode(map[string]string{"status": "ready"})
		return exitOK
	}
	fmt.Fprintln(c.Out, "ready")
	return exitOK
}
