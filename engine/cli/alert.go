package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"bot/engine/alert"
)

// alertVerb sends a test by all ways, or lists what goes on.
func alertVerb(ctx context.Context, c *call) int {
	if code, ok := c.parse(0, 1); !ok {
		return code
	}
	what := "list"
	if len(c.args) > 0 {
		what = c.args[0]
	}
	switch what {
	case "list":
		return c.alertList(ctx)
	case "test":
		return c.alertTest(ctx)
	}
	c.flags.Usage()
	return exitUsage
}

func (c *call) alertTest(ctx context.Context) int {
	a, code := c.admin()
	if a == nil {
		return code
	}
	var answer struct{ Ways map[string]string }
	if err := a.do(ctx, http.MethodPost, "/api/v1/alerts/test", nil, &answer); err != nil {
		c.say(err)
		return exitFailed
	}
	if c.json {
		json.NewEncoder(c.Out).Encode(answer.Ways)
	}
	if len(answer.Ways) == 0 {
		fmt.Fprintln(c.Err, "nobody is told: set to or webhook in [alert]")
		return exitFailed
	}
	for _, way := range slices.Sorted(maps.Keys(answer.Ways)) {
		said := answer.Ways[way]
		switch {
		case said != alert.Told:
			code = exitFailed
		case way == "conversation":
			said = "handed to the outbox; `bot dead list` if it does not arrive"
		}
		if !c.json {
			fmt.Fprintf(c.Out, "%s: %s\n", way, said)
		}
	}
	return code
}

func (c *call) alertList(ctx context.Context) int {
	a, code := c.admin()
	if a == nil {
		return code
	}
	var list struct{ Ongoing []alert.Ongoing }
	if err := a.do(ctx, http.MethodGet, "/api/v1/alerts", nil, &list); err != nil {
		c.say(err)
		return exitFailed
	}
	return printList(c, list.Ongoing, "nothing goes on that would be an alert", "SINCE\tLEVEL\tKIND\tACCOUNT\tSUBJECT\tTOLD\tTEXT", func(o alert.Ongoing) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%v\t%s", c.moment(o.Since), o.Level, o.Kind, dash(o.Account), dash(o.Subject), o.Told, dash(o.Text))
	})
}
