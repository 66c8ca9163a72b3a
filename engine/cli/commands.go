package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"bot/engine/api"
)

// commandsVerb lists what is in the outbox, shows a command or takes it out.
func commandsVerb(ctx context.Context, c *call) int {
	account := c.flags.String("account", "", "list: only this `account`'s")
	conversation := c.flags.String("conversation", "", "list: only those to this `conversation`")
	skill := c.flags.String("skill", "", "list: only those of this `skill`")
	state := c.flags.String("state", "", "list: only those in this `state`: waiting, sending, in_doubt, unconfirmed")
	limit := c.flags.Int("limit", 100, "list: at most so `many`")
	if code, ok := c.parse(1, 1000); !ok {
		return code
	}
	what, ids := c.args[0], c.args[1:]
	switch {
	case what == "list" && len(ids) == 0 && *limit > 0:
	case (what == "show" || what == "cancel") && len(ids) > 0:
	default:
		c.flags.Usage()
		return exitUsage
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	switch what {
	case "list":
		q := url.Values{}
		for key, value := range map[string]string{"account": *account, "conversation": *conversation, "skill": *skill, "state": *state} {
			if value != "" {
				q.Set(key, value)
			}
		}
		return c.commandsList(ctx, a, q, *limit)
	case "show":
		return c.each("command", ids, "", func(id string) error { return c.commandShow(ctx, a, id) })
	}
	return c.each("command", ids, "cancelled", func(id string) error {
		return a.do(ctx, http.MethodDelete, commandPath(id), nil, nil)
	})
}

func commandPath(id string) string { return "/api/v1/commands/" + url.PathEscape(id) }

// maxRowsAsked is how many rows of the outbox are asked for at once.
const maxRowsAsked = 500

// outboxRows returns the first rows of the list, and whether there are more.
func outboxRows(ctx context.Context, a *adminClient, q url.Values, limit int) (all []api.Row, more bool, err error) {
	q.Set("limit", strconv.Itoa(min(limit, maxRowsAsked)))
	all, err = pages(ctx, a, "/api/v1/commands", q, func(p api.Rows) ([]api.Row, string) {
		limit -= len(p.Commands)
		if more = p.Next != 0 && limit <= 0; more || p.Next == 0 {
			return p.Commands, ""
		}
		q.Set("limit", strconv.Itoa(min(limit, maxRowsAsked))) // of the next page
		return p.Commands, number(p.Next)
	})
	return all, more, err
}

func (c *call) commandsList(ctx context.Context, a *adminClient, q url.Values, limit int) int {
	rows, more, err := outboxRows(ctx, a, q, limit)
	if err != nil {
		c.say(err)
		return exitFailed
	}
	if more {
		fmt.Fprintf(c.Err, "the first %d are shown; -limit shows more\n", len(rows))
	}
	head := "TASK\tSTATE\tDUE\tACCOUNT\tCONVERSATION\tACTION\tLANE\tSKILL\tATTEMPTS\tREASON"
	return printList(c, rows, "nothing waits", head, func(r api.Row) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%s", r.TaskID, r.State, c.moment(r.Due),
			r.Account, r.Conversation, r.Action, r.Lane, r.Skill, r.Attempts, r.Reason)
	})
}

func (c *call) commandShow(ctx context.Context, a *adminClient, id string) error {
	var v json.RawMessage
	if err := a.do(ctx, http.MethodGet, commandPath(id), nil, &v); err != nil {
		return err
	}
	if c.json {
		return c.indented(v)
	}
	var t task
	if err := json.Unmarshal(v, &t); err != nil {
		return err
	}
	c.facts([]fact{{"command", t.TaskID}, {"state", t.State}, {"reason", t.Reason}}, t.Attempts)
	return nil
}
