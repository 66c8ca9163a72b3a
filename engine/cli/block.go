package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

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

// blockEach asks for one user after the other.
func (c *call) blockEach(ctx context.Context, a *adminClient, method, account, done string) int {
	return c.each("user", c.args, done, func(user string) error {
		path := "/api/v1/blocked/" + url.PathEscape(account) + "/" + url.PathEscape(user)
		return a.do(ctx, method, path, nil, nil)
	})
}

func (c *call) barredList(ctx context.Context, a *adminClient, account string) int {
	people, err := barred(ctx, a, account)
	if err != nil {
		c.say(err)
		return exitFailed
	}
	return printList(c, people, "nobody is blocked or has unsubscribed", "USER\tBLOCKED\tUNSUBSCRIBED", func(p api.Contact) string {
		return p.User + "\t" + c.moment(p.Blocked) + "\t" + c.moment(p.Unsubscribed)
	})
}

// barred returns all of an account.
func barred(ctx context.Context, a *adminClient, account string) ([]api.Contact, error) {
	type page struct{ Barred []api.Contact }
	return pages(ctx, a, "/api/v1/blocked", url.Values{"account": {account}}, func(p page) ([]api.Contact, string) {
		return behind(p.Barred, func(c api.Contact) string { return c.User })
	})
}
