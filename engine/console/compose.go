package console

import (
	"errors"
	"io"
	"net/http"
	"strings"

	"bot/engine/api"
	"bot/engine/broadcast"
	"bot/engine/contacts"
)

// maxPasted bounds the form of a broadcast in bytes: some tens of thousands of
// pasted ids. More of them come by the command line or the API, which stream them.
const maxPasted = 4 << 20

// The ways to say whom a broadcast reaches.
const (
	toList     = "list"
	toAudience = "audience"
	toContacts = "contacts"
)

// composePage is the form of a new broadcast, with what was written into it.
type composePage struct {
	api.NewBroadcast
	Whom            string // toList, toAudience or toContacts
	IDs             string // as they were pasted
	Labels, Without string
	Accounts        []string
	Audiences       []contacts.Audience
	Wrong           []wrong
}

// wrong is one bad field. Key is the text of its name, "" where it has none on the
// page.
type wrong struct{ Key, Field, Message string }

func (c *console) compose(*http.Request) (any, error) {
	p := &composePage{Whom: toList, NewBroadcast: api.NewBroadcast{Where: string(contacts.Private)}}
	c.offer(p)
	return p, nil
}

// offer fills in what there is to choose from.
func (c *console) offer(p *composePage) {
	p.Accounts, p.Audiences = c.o.Accounts(), c.o.Desk.Audiences()
}

// castMake writes a broadcast down, of which nothing is sent, and shows what it
// would take. Where something is wrong with it the form comes again.
func (c *console) castMake(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxPasted)
	if err := r.ParseForm(); err != nil {
		http.Error(w, wordsOf(r).T("compose.large"), http.StatusRequestEntityTooLarge)
		return
	}
	p := composed(r)
	s, err := c.makeCast(r, p)
	if err == nil {
		c.o.Log.Info("broadcast made", "broadcast", s.ID, "recipients", s.Recipients, "by", "console")
		http.Redirect(w, r, castPath(s.ID), http.StatusSeeOther)
		return
	}
	var bad broadcast.Problems
	switch {
	case errors.As(err, &bad):
		for _, b := range bad {
			p.Wrong = append(p.Wrong, wrong{fieldKey(b.Field), b.Field, b.Message})
		}
	case errors.Is(err, broadcast.ErrBusy):
		p.Wrong = append(p.Wrong, wrong{Message: err.Error()})
	default:
		c.sorry(w, r, err)
		return
	}
	c.offer(p)
	c.render(w, r, http.StatusUnprocessableEntity, "compose", p)
}

// makeCast has the API's own checks.
func (c *console) makeCast(r *http.Request, p *composePage) (broadcast.Status, error) {
	n := p.NewBroadcast
	var lines io.Reader
	switch p.Whom {
	case toAudience:
		n.Labels, n.Without, n.ActiveWithin, n.Where = nil, nil, "", ""
	case toContacts:
		n.Audience = ""
	default:
		n.Labels, n.Without, n.ActiveWithin, n.Where, n.Audience = nil, nil, "", "", ""
		lines = strings.NewReader(p.IDs)
	}
	request, bad := api.BroadcastOf(c.o.Desk, n, lines)
	if len(bad) > 0 {
		return broadcast.Status{}, bad
	}
	return c.o.Desk.Broadcasts.Make(r.Context(), request)
}

// composed is what was written into the form.
func composed(r *http.Request) *composePage {
	f := r.PostForm
	p := &composePage{Whom: f.Get("whom"), IDs: f.Get("to"), Labels: f.Get("labels"), Without: f.Get("without")}
	p.NewBroadcast = api.NewBroadcast{
		Name: f.Get("name"), Account: f.Get("account"), Text: strings.ReplaceAll(f.Get("text"), "\r\n", "\n"),
		Rate: strings.TrimSpace(f.Get("rate")), Audience: f.Get("audience"), Labels: listed(p.Labels), Without: listed(p.Without),
		ActiveWithin: strings.TrimSpace(f.Get("active")), Where: f.Get("where"), By: "console",
	}
	return p
}

// listed are the words of a field, between commas of either kind.
func listed(text string) (all []string) {
	for _, one := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",，、;；\r\n", r) }) {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return all
}

// fieldKey is the text that names a field of the API on the page.
func fieldKey(field string) string {
	name, _, _ := strings.Cut(field, ":")
	switch name {
	case "name", "account", "text", "rate", "to", "audience", "where":
		return "compose." + name
	case "active_within":
		return "compose.active"
	}
	return ""
}
