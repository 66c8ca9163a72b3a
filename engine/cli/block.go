package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"text/tabwriter"
	"time"

	"bot/engine/api"
)

// blockVerb blocks people, or lists who is blocked or has unsubscribed.
func blockVerb(ctx context.Context, c *call) int {
	return c.blocking(0, func(a *adminClient, account string) int {
		if len(c.args) == 0 {
			return c.barredList(ctx, a, account)
		}
		return c.blockEach(ctx, a, http.MethodPut, account, "blocked")
	})
}

// unblockVerb lets people in again. It does not subscribe them.
func unblockVerb(ctx context.Context, c *call) int {
	return c.blocking(1, func(a *adminClient, account string) int {
		return c.blockEach(ctx, a, http.MethodDelete, account, "unblocked")
	})
}

// blocking is what both verbs begin with.
func (c *call) blocking(least int, do func(a *adminClient, account string) int) int {
	account := c.flags.String("account", "", "the `account` of the people")
	if code, ok := c.parse(least, 1000); !ok {
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
	return do(a, *account)
}

// blockEach asks for one user after the other; one that fails does not keep the
// others from it.
func (c *call) blockEach(ctx context.Context, a *adminClient, method, account, done string) int {
	code := exitOK
	for _, user := range c.args {
		path := "/api/v1/blocked/" + url.PathEscape(account) + "/" + url.PathEscape(user)
		if err := a.do(ctx, method, path, nil, nil); err != nil {
			fmt.Fprintf(c.Err, "user %s: %v\n", user, err)
			code = exitFailed
		}
	}
	if code == exitOK {
		fmt.Fprintf(c.Out, "%s: %d\n", done, len(c.args))
	}
	return code
}

func (c *call) barredList(ctx context.Context, a *adminClient, account string) int {
	people, err := barred(ctx, a, account)
	if err != nil {
		c.say(err)
		return exitFailed
	}
	if c.json {
		json.NewEncoder(c.Out).Encode(people)
		return exitOK
	}
	if len(people) == 0 {
		fmt.Fprintln(c.Out, "nobody is blocked or has unsubscribed")
		return exitOK
	}
	w := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "USER\tBLOCKED\tUNSUBSCRIBED")
	for _, p := range people {
		fmt.Fprintf(w, "%s\t%s\t%s\n", p.User, since(p.Blocked), since(p.Unsubscribed))
	}
	w.Flush()
	return exitOK
}

func since(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Format(time.RFC3339)
}

// barred returns all of an account, page after page.
func barred(ctx context.Context, a *adminClient, account string) ([]api.Contact, error) {
	all := []api.Contact{}
	for query := (url.Values{"account": {account}}); ; {
		var page struct{ Barred []api.Contact }
		if err := a.do(ctx, http.MethodGet, "/api/v1/blocked?"+query.Encode(), nil, &page); err != nil {
			return nil, err
		}
		if len(page.Barred) == 0 {
			return all, nil
		}
		all = append(all, page.Barred...)
		query.Set("after", page.Barred[len(page.Barred)-1].User)
	}
}
