package cli

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"bot/engine/risk"
)

// wholeAccount stands for everybody in place of a user.
const wholeAccount = "-"

// muteVerb has people not answered for a time, or lists who is not.
func muteVerb(ctx context.Context, c *call) int {
	lasts := c.flags.String("for", "10m", "how `long`")
	return c.blocking(0, func(a *adminClient, account string) int {
		if len(c.args) == 0 {
			return c.mutedList(ctx, a, account)
		}
		return c.muteEach(ctx, a, http.MethodPut, account, "muted", url.Values{"for": {*lasts}})
	})
}

// unmuteVerb has them answered again.
func unmuteVerb(ctx context.Context, c *call) int {
	return c.blocking(1, func(a *adminClient, account string) int {
		return c.muteEach(ctx, a, http.MethodDelete, account, "unmuted", nil)
	})
}

func (c *call) muteEach(ctx context.Context, a *adminClient, method, account, done string, query url.Values) int {
	return c.each("user", c.args, done, func(user string) error {
		if user == wholeAccount {
			user = ""
		}
		path := "/api/v1/muted/" + url.PathEscape(account) + "/" + url.PathEscape(user) + "?" + query.Encode()
		return a.do(ctx, method, path, nil, nil)
	})
}

func (c *call) mutedList(ctx context.Context, a *adminClient, account string) int {
	var list struct{ Muted []risk.Muted }
	path := "/api/v1/muted?" + url.Values{"account": {account}}.Encode()
	if err := a.do(ctx, http.MethodGet, path, nil, &list); err != nil {
		c.say(err)
		return exitFailed
	}
	return printList(c, list.Muted, "nobody is muted", "USER\tACTION\tRISK\tUNTIL", func(m risk.Muted) string {
		return cmp.Or(m.User, wholeAccount) + "\t" + m.Action + "\t" + cmp.Or(m.Row, "-") + "\t" + c.moment(m.Until)
	})
}
