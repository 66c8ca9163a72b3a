package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"bot/engine/api"
)

// inDoubtVerb lists the sends that nobody can know about, has them sent again or
// counts them as arrived.
func inDoubtVerb(ctx context.Context, c *call) int {
	account := c.flags.String("account", "", "only of the account of this `name`")
	all := c.flags.Bool("all", false, "resend everything that is in doubt on -account")
	if code, ok := c.parse(0, 1000); !ok {
		return code
	}
	what, ids := "list", c.args
	if len(ids) > 0 {
		what, ids = ids[0], ids[1:]
	}
	known := what == "list" || what == "resend" || what == "delivered"
	needsIDs := what == "delivered" || what == "resend" && !*all
	switch {
	case !known, needsIDs && len(ids) == 0, !needsIDs && len(ids) > 0, *all && what != "resend", needsIDs && *account != "":
		c.flags.Usage()
		return exitUsage
	case *all && *account == "":
		fmt.Fprintln(c.Err, "resend -all needs -account: what arrived already arrives twice")
		return exitUsage
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	if what == "list" {
		return c.inDoubtList(ctx, a, *account)
	}
	end := func(id string) error {
		path := url.URL{Path: "/api/v1/in-doubt/" + id + "/" + what}
		return a.do(ctx, http.MethodPost, path.EscapedPath(), nil, nil)
	}
	if !*all {
		return c.each("command", ids, map[string]string{"resend": "sent again", "delivered": "delivered"}[what], end)
	}
	doubts, err := inDoubt(ctx, a, *account) // before any is sent again, which may be in doubt again
	if err != nil {
		c.say(err)
		return exitFailed
	}
	return c.eachOf("command", byConversation(doubts), "sent again", end)
}

// byConversation are the task ids of each conversation, whose order is kept.
func byConversation(doubts []api.Doubt) (lines [][]string) {
	at := make(map[string]int)
	for _, d := range doubts {
		i, known := at[d.Conversation]
		if !known {
			i, lines = len(lines), append(lines, nil)
			at[d.Conversation] = i
		}
		lines[i] = append(lines[i], d.TaskID)
	}
	return lines
}

// inDoubt returns what is in doubt.
func inDoubt(ctx context.Context, a *adminClient, account string) ([]api.Doubt, error) {
	type page struct {
		Doubts []api.Doubt `json:"in_doubt"`
	}
	q := url.Values{"account": {account}, "limit": {"1000"}}
	return pages(ctx, a, "/api/v1/in-doubt", q, func(p page) ([]api.Doubt, string) {
		return behind(p.Doubts, func(d api.Doubt) string { return number(d.ID) })
	})
}

func (c *call) inDoubtList(ctx context.Context, a *adminClient, account string) int {
	doubts, err := inDoubt(ctx, a, account)
	if err != nil {
		c.say(err)
		return exitFailed
	}
	head := "TASK\tSINCE\tACCOUNT\tCONVERSATION\tACTION\tSKILL\tTRIES\tTEXT\tREASON"
	return printList(c, doubts, "nothing is in doubt", head, func(d api.Doubt) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\t%d\t%q\t%s", d.TaskID, c.moment(d.Since),
			d.Account, d.Conversation, d.Action, d.Skill, len(d.Tries), d.Text, d.Reason)
	})
}
