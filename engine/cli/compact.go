package cli

import (
	"context"
	"encoding/json"
	"fmt"
)

// compactVerb writes the store anew: 0 done, 1 not done and the store is as it
// was, 3 an engine has it.
func compactVerb(_ context.Context, c *call) int {
	if code, ok := c.parse(0, 0); !ok {
		return code
	}
	cfg, code := c.storeOf()
	if cfg == nil {
		return code
	}
	start := c.Now()
	before, after, err := c.Files.Compact(cfg.Store.Path)
	if err != nil {
		return c.sayStore(cfg, err, stop+"; while it runs it uses free room again by itself")
	}
	took := c.Now().Sub(start)
	if c.json {
		json.NewEncoder(c.Out).Encode(map[string]any{"store": cfg.Store.Path, "before": before, "after": after, "took_ms": took.Milliseconds()})
		return exitOK
	}
	fmt.Fprintf(c.Out, "%s: %s before, %s now, in %s\n", cfg.Store.Path, megabytes(before), megabytes(after), inSeconds(took))
	return exitOK
}
