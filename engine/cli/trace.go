package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"text/tabwriter"
	"time"

	"bot/engine/trace"
)

// traceVerb tells the life of one message, event or command.
func traceVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(1, 1); !ok {
		return code
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	var life struct {
		ID    string       `json:"id"`
		Steps []trace.Step `json:"steps"`
		More  bool         `json:"more,omitempty"`
	}
	if err := a.do(ctx, http.MethodGet, "/api/v1/trace/"+escapedPath(c.args[0]), nil, &life); err != nil {
		c.say(err)
		return exitFailed
	}
	if c.json {
		c.indented(life)
		return exitOK
	}
	w := tabwriter.NewWriter(c.Out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tAFTER\tSTEP\tACCOUNT\tSKILL\tTASK\tNOTE")
	for _, s := range life.Steps {
		after := s.Time.Sub(life.Steps[0].Time)
		if after > time.Second {
			after = after.Round(time.Millisecond)
		} else {
			after = after.Round(10 * time.Microsecond)
		}
		fmt.Fprintf(w, "%s\t%v\t%s\t%s\t%s\t%s\t%s\n", c.in(s.Time).Format("2006-01-02T15:04:05.000Z07:00"), after, s.Step, dash(s.Account), dash(s.Skill), dash(s.TaskID), oneLine(s.Note))
	}
	w.Flush()
	if life.More {
		fmt.Fprintln(c.Err, "there are more steps than are shown; ask for the id of one message or task")
	}
	return exitOK
}

// escapedPath is an id as a part of a path; its slashes stay, which those paths take.
func escapedPath(id string) string {
	parts := strings.Split(id, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}
