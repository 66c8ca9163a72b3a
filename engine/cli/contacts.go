package cli

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"bot/engine/api"
	"bot/engine/contacts"
)

// contactsVerb lists, labels, imports, forgets or counts contacts of the running
// engine.
func contactsVerb(ctx context.Context, c *call) int {
	var v contactsCall
	c.flags.StringVar(&v.account, "account", "", "the `account` of the contacts")
	c.flags.Var(&v.labels, "label", "list: only those with the `label`; may be repeated")
	c.flags.StringVar(&v.active, "active", "", "list: only those active within a `time` like 30d")
	c.flags.StringVar(&v.where, "where", "", "list: `private` or group")
	c.flags.Var(&v.add, "add", "label: `labels` to add, with commas; may be repeated")
	c.flags.Var(&v.remove, "remove", "label: `labels` to remove, likewise")
	c.flags.BoolVar(&v.groups, "groups", false, "import: the file lists groups")
	c.flags.StringVar(&v.audience, "audience", "", "count: the `name` of an [[audience]]")
	if code, ok := c.parse(1, 1000); !ok {
		return code
	}
	what, rest := c.args[0], c.args[1:]
	do := map[string]func(context.Context, *call, *adminClient, []string) int{
		"list": v.list, "label": v.label, "import": v.importFile, "forget": v.forget, "count": v.count,
	}[what]
	least, most := 0, 0
	switch what {
	case "label", "forget":
		least, most = 1, 1000
	case "import":
		least, most = 1, 1
	}
	if do == nil || len(rest) < least || len(rest) > most {
		c.flags.Usage()
		return exitUsage
	}
	if missing := v.missing(what); missing != "" {
		fmt.Fprintln(c.Err, missing)
		return exitUsage
	}
	a, code := c.admin()
	if a == nil {
		return code
	}
	return do(ctx, c, a, rest)
}

// contactsCall is the flags of bot contacts.
type contactsCall struct {
	account, active, where, audience string
	labels, add, remove              labelList
	groups                           bool
}

// labelList is a flag that may be repeated.
type labelList []string

func (m *labelList) String() string { return strings.Join(*m, ",") }

func (m *labelList) Set(s string) error {
	labels, err := contacts.SplitLabels(s)
	*m = append(*m, labels...)
	return err
}

// missing says which flag is, "" for none.
func (v *contactsCall) missing(what string) string {
	switch {
	case what == "count" && v.audience == "":
		return "say which audience: -audience NAME"
	case what != "count" && v.account == "":
		return "say of which account: -account NAME"
	case what == "label" && len(v.add)+len(v.remove) == 0:
		return "say which labels: -add LABEL or -remove LABEL"
	}
	return ""
}

func (v *contactsCall) list(ctx context.Context, c *call, a *adminClient, _ []string) int {
	query := url.Values{"account": {v.account}, "label": v.labels, "limit": {"1000"}}
	for key, value := range map[string]string{"active_within": v.active, "where": v.where} {
		if value != "" {
			query.Set(key, value)
		}
	}
	type page struct{ Contacts []api.Known }
	all, err := pages(ctx, a, "/api/v1/contacts", query, func(p page) ([]api.Known, string) {
		return behind(p.Contacts, func(k api.Known) string { return k.ID })
	})
	if err != nil {
		c.say(err)
		return exitFailed
	}
	return printList(c, all, "no contacts", "ID\tNAME\tLABELS\tSINCE\tACTIVE\tSTATE", contactLine)
}

func contactLine(k api.Known) string {
	var state []string
	for _, s := range []struct {
		is   bool
		word string
	}{{k.Group, "group"}, {!k.Gone.IsZero(), "gone"}, {k.Blocked, "blocked"}, {k.Unsubscribed, "unsubscribed"}} {
		if s.is {
			state = append(state, s.word)
		}
	}
	return strings.Join([]string{k.ID, dash(k.Name), dash(strings.Join(k.Labels, ",")), dash(k.Since), dash(k.Active), dash(strings.Join(state, ","))}, "\t")
}

func contactPath(account, id string) string {
	return "/api/v1/contacts/" + url.PathEscape(account) + "/" + url.PathEscape(id)
}

func (v *contactsCall) label(ctx context.Context, c *call, a *adminClient, ids []string) int {
	body := map[string]any{"labels": map[string]any{"add": v.add, "remove": v.remove}}
	return c.each("contact", ids, "labelled", func(id string) error {
		return a.do(ctx, http.MethodPut, contactPath(v.account, id), body, nil)
	})
}

func (v *contactsCall) forget(ctx context.Context, c *call, a *adminClient, ids []string) int {
	return c.each("contact", ids, "forgotten", func(id string) error {
		return a.do(ctx, http.MethodDelete, contactPath(v.account, id), nil, nil)
	})
}

func (v *contactsCall) count(ctx context.Context, c *call, a *adminClient, _ []string) int {
	var found api.Audience
	if err := a.do(ctx, http.MethodGet, "/api/v1/audiences/"+url.PathEscape(v.audience), nil, &found); err != nil {
		c.say(err)
		return exitFailed
	}
	if v.account != "" && v.account != found.Account {
		c.say(fmt.Errorf("audience %q is of account %q", found.Name, found.Account))
		return exitFailed
	}
	return printList(c, []api.Audience{found}, "", "AUDIENCE\tACCOUNT\tMEMBERS", func(f api.Audience) string {
		return fmt.Sprintf("%s\t%s\t%d", f.Name, f.Account, *f.Members)
	})
}

// imported is a contact in the body of an import.
type imported struct {
	ID     string         `json:"id"`
	Group  bool           `json:"group"`
	Labels map[string]any `json:"labels"`
}

// importFile hands a list in, a thousand at a time. It may be repeated from the
// beginning after an error: what is there already stays as it is.
func (v *contactsCall) importFile(ctx context.Context, c *call, a *adminClient, names []string) int {
	in, closeFile, err := c.open(names[0])
	if err != nil {
		c.say(err)
		return exitUsage
	}
	defer closeFile()
	done, page := 0, []imported(nil)
	flush := func() error {
		if len(page) == 0 {
			return nil
		}
		err := a.do(ctx, http.MethodPost, "/api/v1/contacts/"+url.PathEscape(v.account), map[string]any{"contacts": page}, nil)
		if err == nil {
			done += len(page)
		}
		page = page[:0]
		return err
	}
	for ch, err := range contacts.ReadList(in) {
		if err == nil {
			page = append(page, imported{ch.ID, v.groups, map[string]any{"add": ch.Add}})
			if len(page) < api.MaxImported {
				continue
			}
			err = flush()
		}
		if err != nil {
			return c.stopped(names[0], done, err)
		}
	}
	if err := flush(); err != nil {
		return c.stopped(names[0], done, err)
	}
	c.count("imported", done)
	return exitOK
}

func (c *call) stopped(name string, done int, err error) int {
	c.say(fmt.Errorf("%s: %w; %d were imported before that (mend it and import the file again)", name, err, done))
	return exitFailed
}
