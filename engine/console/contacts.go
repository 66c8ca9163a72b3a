package console

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"bot/engine/api"
	"bot/engine/contacts"
	"bot/store"
)

// contactsPage is whom an account can reach.
type contactsPage struct {
	Accounts  []string
	Account   string
	Filter    contactFilter
	Within    []string // times to choose from
	Contacts  []api.Known
	Next      string // the address of the next page, "" at the end
	Audiences []audience
}

// contactFilter is what was asked for, as it was written.
type contactFilter struct{ Label, Within, Where string }

// audience is one of the account's, with whom it reaches where that was asked for.
type audience struct {
	Name    string
	Counted bool
	Members int
	Problem string // why it could not be counted
}

func (c *console) contacts(r *http.Request) (any, error) {
	query := r.URL.Query()
	p := contactsPage{
		Accounts: c.o.Accounts(), Account: query.Get("account"), Within: []string{"1d", "7d", "30d", "90d"},
		Filter: contactFilter{query.Get("label"), query.Get("active_within"), query.Get("where")},
	}
	if p.Account == "" && len(p.Accounts) > 0 {
		p.Account = p.Accounts[0]
	}
	if p.Account == "" {
		return p, nil
	}
	if !slices.Contains(p.Accounts, p.Account) {
		return nil, fmt.Errorf("there is no account %q: %w", p.Account, store.ErrGone)
	}
	if f := p.Filter.Within; f != "" && !slices.Contains(p.Within, f) {
		p.Within = append(p.Within, f)
	}
	q, _, err := api.ReadContactQuery(query)
	if err != nil {
		return nil, problem{"sorry.query", []any{err}}
	}
	q.Labels = slices.DeleteFunc(q.Labels, func(l string) bool { return l == "" }) // an empty field of the form
	d := &c.o.Desk
	for contact, err := range d.Directory.Select(p.Account, q, c.o.Now()) {
		if err == nil {
			err = r.Context().Err() // nobody waits any more
		}
		if err != nil {
			return nil, err
		}
		if len(p.Contacts) == rows {
			p.Next = following(r, p.Contacts[rows-1].ID)
			break
		}
		p.Contacts = append(p.Contacts, api.KnownOf(contact, d.Contacts.Standing(p.Account, contact.ID)))
	}
	p.Audiences, err = c.audiences(r, p.Account)
	return p, err
}

// audiences are the account's. The one that ?count= names is counted: that takes a
// look at every contact.
func (c *console) audiences(r *http.Request, account string) (all []audience, err error) {
	for _, one := range c.o.Desk.Audiences() {
		if one.Account != account {
			continue
		}
		a := audience{Name: one.Name}
		if a.Counted = r.URL.Query().Get("count") == one.Name; a.Counted {
			listed := (*contacts.ListError)(nil)
			if a.Members, err = c.o.Desk.Count(r.Context(), one); errors.As(err, &listed) {
				a.Problem, err = listed.Error(), nil
			}
			if err != nil {
				return nil, err
			}
		}
		all = append(all, a)
	}
	return all, nil
}

// label gives a contact the labels that stand in the form now, and takes away those
// that stood there before: what others changed meanwhile stays.
func (c *console) label(r *http.Request) ([]any, error) {
	account, id, err := c.contactOf(r)
	if err != nil {
		return nil, err
	}
	now, err := contacts.SplitLabels(r.PostFormValue("labels"))
	if err != nil {
		return nil, problem{"said.label", []any{contacts.MaxLabel}}
	}
	before := r.PostForm["was"]
	change := contacts.Change{ID: id, Group: r.PostFormValue("group") == "yes", Add: without(now, before), Remove: without(before, now)}
	if err := c.o.Desk.Directory.Change(r.Context(), account, []contacts.Change{change}); err != nil {
		return nil, err
	}
	c.o.Log.Info("contact changed", "account", account, "user", id, "by", "console")
	return []any{"said.labelled", id}, nil
}

// forget takes a contact and its labels out of the directory.
func (c *console) forget(r *http.Request) ([]any, error) {
	account, id, err := c.contactOf(r)
	if err != nil {
		return nil, err
	}
	if err := c.o.Desk.Directory.Forget(r.Context(), account, id); err != nil {
		return nil, err
	}
	c.o.Log.Info("contact forgotten", "account", account, "by", "console")
	return []any{"said.forgotten", id}, nil
}

// contactOf reads of whom a form speaks.
func (c *console) contactOf(r *http.Request) (account, id string, err error) {
	account, id = r.PostFormValue("account"), r.PostFormValue("id")
	switch {
	case !slices.Contains(c.o.Accounts(), account):
		return "", "", fmt.Errorf("there is no account %q", account)
	case !contacts.ValidID(id):
		return "", "", fmt.Errorf("a contact's id has 1 to %d bytes", contacts.MaxID)
	}
	return account, id, nil
}

// without are those of a list that another lacks and that can be labels.
func without(list, other []string) (left []string) {
	for _, l := range list {
		if l = strings.TrimSpace(l); contacts.ValidLabel(l) && !slices.Contains(other, l) {
			left = append(left, l)
		}
	}
	return left
}
