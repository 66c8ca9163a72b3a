package cli

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"bot/engine/api"
)

// scheduleVerb lists what the running engine does by the clock, or has some of it
// done now.
func scheduleVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(0, 1000); !ok {
		return code
	}
	what := "list"
	if len(c.args) > 0 {
		what = c.args[0]
	}
	switch {
	case what == "list" && len(c.args) < 2:
		return c.scheduleList(ctx)
	case what == "run" && len(c.args) > 1:
		a, code := c.admin()
		if a == nil {
			return code
		}
		return c.each("schedule", c.args[1:], "begun", func(name string) error {
			return a.do(ctx, http.MethodPost, "/api/v1/schedules/"+url.PathEscape(name)+"/run", nil, nil)
		})
	}
	c.flags.Usage()
	return exitUsage
}

func (c *call) scheduleList(ctx context.Context) int {
	a, code := c.admin()
	if a == nil {
		return code
	}
	var list struct{ Schedules []api.Schedule }
	if err := a.do(ctx, http.MethodGet, "/api/v1/schedules", nil, &list); err != nil {
		c.say(err)
		return exitFailed
	}
	return printList(c, list.Schedules, "there are no schedules", "NAME\tWHEN\tDOES\tNEXT\tLAST\tSTATE\tTOOK\tNOTE", c.scheduleLine)
}

func (c *call) scheduleLine(s api.Schedule) string {
	took, note := "-", "-"
	for _, r := range s.Runs {
		if r.Due.Equal(s.Due) && r.State == s.State {
			took, note = (time.Duration(r.TookMS) * time.Millisecond).String(), r.Note
			break
		}
	}
	next := c.moment(s.Next)
	if !s.Enabled {
		next = "disabled"
	}
	return s.Name + "\t" + s.When + "\t" + s.Does + "\t" + next + "\t" + c.moment(s.Due) + "\t" + string(s.State) + "\t" + took + "\t" + note
}
