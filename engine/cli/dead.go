package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"bot/engine/api"
)

// deadVerb lists what was given up, shows it, puts it back or forgets it.
func deadVerb(ctx context.Context, c *call) int {
	all := c.flags.Bool("all", false, "replay every dead letter")
	if code, ok := c.parse(1, 1000); !ok {
		return code
	}
	what, ids := c.args[0], c.args[1:]
	needsIDs := what == "show" || what == "drop" || what == "replay" && !*all
	known := needsIDs || what == "list" || what == "replay"
	if !known || needsIDs && len(ids) == 0 || !needsIDs && len(ids) > 0 {
		c.flags.Usage()
		return exitUsage
	}
	for _, id := range ids {
		if _, err := strconv.ParseUint(id, 10, 64); err != nil {
			fmt.Fprintf(c.Err, "%q is not the id of a dead letter; `bot dead list` shows them\n", id)
			return exitUsage
		}
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	switch what {
	case "list":
		return c.deadList(ctx, a)
	case "show":
		return c.each("dead letter", ids, "", func(id string) error { return c.deadShow(ctx, a, id) })
	case "drop":
		return c.each("dead letter", ids, "dropped", func(id string) error {
			return a.do(ctx, http.MethodDelete, "/api/v1/dead/"+id, nil, nil)
		})
	default: // replay
		if *all {
			letters, err := deadLetters(ctx, a)
			if err != nil {
				c.say(err)
				return exitFailed
			}
			for _, l := range letters {
				ids = append(ids, number(l.ID))
			}
		}
		return c.each("dead letter", ids, "replayed", func(id string) error {
			return a.do(ctx, http.MethodPost, "/api/v1/dead/"+id+"/replay", nil, nil)
		})
	}
}

// deadLetters returns all.
func deadLetters(ctx context.Context, a *adminClient) ([]api.Letter, error) {
	type page struct{ Dead []api.Letter }
	return pages(ctx, a, "/api/v1/dead", url.Values{}, func(p page) ([]api.Letter, string) {
		return behind(p.Dead, func(l api.Letter) string { return number(l.ID) })
	})
}

func (c *call) deadList(ctx context.Context, a *adminClient) int {
	letters, err := deadLetters(ctx, a)
	if err != nil {
		c.say(err)
		return exitFailed
	}
	head := "ID\tTIME\tWHAT\tACCOUNT\tCONVERSATION\tSKILL\tATTEMPTS\tERROR"
	return printList(c, letters, "no dead letters", head, func(l api.Letter) string {
		return fmt.Sprintf("%d\t%s\t%s\t%s\t%s\t%s\t%d\t%s", l.ID, c.moment(l.Time),
			letterOf(&l), l.Account, l.Conversation, l.Skill, l.Attempts, l.Error)
	})
}

// letterOf says what could not be done: handle an event, or carry out a command.
func letterOf(l *api.Letter) string {
	if l.What == "command" {
		return l.What + " " + l.Action
	}
	return l.What + " " + l.Kind
}

func (c *call) deadShow(ctx context.Context, a *adminClient, id string) error {
	var l api.Letter
	if err := a.do(ctx, http.MethodGet, "/api/v1/dead/"+id, nil, &l); err != nil {
		return err
	}
	if c.json {
		return c.indented(l)
	}
	c.facts([]fact{
		{"dead letter", number(l.ID)}, {"what", letterOf(&l)}, {"account", l.Account}, {"conversation", l.Conversation}, {"text", l.Text},
		{"skill", l.Skill}, {"task", l.TaskID}, {"event", l.EventID}, {"message", l.MsgID},
		{"given up", c.moment(l.Time)}, {"attempts", strconv.Itoa(l.Attempts)}, {"error", l.Error},
	}, l.Tries)
	return nil
}
