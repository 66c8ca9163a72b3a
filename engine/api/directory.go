package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
	"bot/engine/contacts"
)

// Directory is who can be reached; *contacts.Directory is one.
type Directory interface {
	Select(account string, q contacts.Query, now time.Time) iter.Seq2[contacts.Contact, error]
	Members(a contacts.Audience, now time.Time) iter.Seq2[string, error]
	Change(ctx context.Context, account string, changes []contacts.Change) error
	Forget(ctx context.Context, account, id string) error
}

// Known is a contact as the API shows it. Since and Active are days.
type Known struct {
	ID     string    `json:"id"`
	Group  bool      `json:"group,omitempty"`
	Name   string    `json:"name,omitempty"`
	Labels []string  `json:"labels"`
	Since  string    `json:"since,omitempty"`
	Active string    `json:"active,omitempty"`
	Gone   time.Time `json:"gone_since,omitzero"`
	// Blocked and Unsubscribed are how they stand with the account.
	Blocked      bool `json:"blocked,omitempty"`
	Unsubscribed bool `json:"unsubscribed,omitempty"`
}

// KnownOf is how a contact is shown who stands so with the account.
func KnownOf(c contacts.Contact, s engine.Standing) Known {
	return Known{
		ID: c.ID, Group: c.Group, Name: c.Name, Labels: append([]string{}, c.Labels...),
		Since: dayShown(c.Since), Active: dayShown(c.Active), Gone: c.Gone,
		Blocked: s.Blocked, Unsubscribed: s.Unsubscribed,
	}
}

func dayShown(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// longestPage bounds ?limit=.
const longestPage = 1000

// contacts lists an account's contacts page by page, whoever is gone, blocked or
// unsubscribed among them: ?account=shop&label=vip&active_within=30d&where=private&after=u.
func (a *api) contacts(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	account := query.Get("account")
	if !a.known(w, account) {
		return
	}
	q, limit, err := ReadContactQuery(query)
	if err != nil {
		fail(w, http.StatusBadRequest, "query", err.Error())
		return
	}
	page := []Known{}
	for c, err := range a.o.Directory.Select(account, q, a.o.Now()) {
		if err == nil {
			err = r.Context().Err() // nobody waits any more
		}
		if err != nil {
			a.storeError(w, err)
			return
		}
		if page = append(page, KnownOf(c, a.o.Contacts.Standing(account, c.ID))); len(page) == limit {
			break
		}
	}
	reply(w, http.StatusOK, map[string]any{"contacts": page})
}

// ReadContactQuery reads ?label=&without=&active_within=&where=&after=&limit=, where
// label and without may be there several times.
func ReadContactQuery(query url.Values) (q contacts.Query, limit int, err error) {
	q = contacts.Query{All: true, Labels: query["label"], Without: query["without"], After: query.Get("after")}
	if q.Where, err = whereOf(query.Get("where")); err != nil {
		return q, 0, err
	}
	if q.ActiveWithin, err = withinOf(query.Get("active_within")); err != nil {
		return q, 0, err
	}
	limit = pageSize
	if text := query.Get("limit"); text != "" {
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > longestPage {
			return q, 0, fmt.Errorf("limit: %q is not between 1 and %d", text, longestPage)
		}
	}
	return q, limit, nil
}

func whereOf(text string) (contacts.Where, error) {
	switch text {
	case "", "any":
		return contacts.Anywhere, nil
	case string(contacts.Private), string(contacts.Groups):
		return contacts.Where(text), nil
	}
	return "", fmt.Errorf("where: there is no %q (private, group or any)", text)
}

func withinOf(text string) (time.Duration, error) {
	if text == "" {
		return 0, nil
	}
	var d engine.Duration
	if err := d.UnmarshalText([]byte(text)); err != nil || d <= 0 {
		return 0, fmt.Errorf("active_within: %q is no time like 30d", text)
	}
	return d.Std(), nil
}

// changed is a contact in the body of a request. ID is in the path where there is
// one contact.
type changed struct {
	ID     string  `json:"id"`
	Group  bool    `json:"group"`
	Name   *string `json:"name"`
	Labels struct {
		Add    []string `json:"add"`
		Remove []string `json:"remove"`
	} `json:"labels"`
}

// change is what it asks for, or what is wrong with it.
func (c *changed) change() (contacts.Change, error) {
	if !contacts.ValidID(c.ID) {
		return contacts.Change{}, fmt.Errorf("id: want 1 to %d bytes", contacts.MaxID)
	}
	for _, labels := range [][]string{c.Labels.Add, c.Labels.Remove} {
		if len(labels) > maxLabels {
			return contacts.Change{}, fmt.Errorf("labels: %d at once are more than %d", len(labels), maxLabels)
		}
		for _, label := range labels {
			if !contacts.ValidLabel(label) {
				return contacts.Change{}, fmt.Errorf("labels: %q is no label: want 1 to %d bytes without control characters", label, contacts.MaxLabel)
			}
		}
	}
	return contacts.Change{ID: c.ID, Group: c.Group, Name: c.Name, Add: c.Labels.Add, Remove: c.Labels.Remove}, nil
}

// Bounds of what one request changes.
const (
	maxLabels   = 100  // added to a contact, or removed from it
	MaxImported = 1000 // contacts
)

// readChange reads a body strictly: a mistyped member would be a change that is
// not made. It answers where it cannot.
func readChange(w http.ResponseWriter, r *http.Request, into any) bool {
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil && d.Decode(new(json.RawMessage)) != io.EOF {
		err = errors.New("there is something behind the object")
	}
	if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
		fail(w, http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("the body is larger than %d bytes", tooLarge.Limit))
		return false
	}
	if err != nil {
		fail(w, http.StatusBadRequest, "json", err.Error())
	}
	return err == nil
}

// changeContact answers PUT /api/v1/contacts/:account/*user. Somebody who is not
// known becomes a contact; somebody who is gone stays so.
func (a *api) changeContact(w http.ResponseWriter, r *http.Request) {
	account, user, ok := a.person(w, r)
	if !ok {
		return
	}
	var body changed
	if !readChange(w, r, &body) {
		return
	}
	if body.ID != "" && body.ID != user {
		fail(w, http.StatusBadRequest, "contact", "id: the path says another one")
		return
	}
	body.ID = user
	change, err := body.change()
	if err != nil {
		fail(w, http.StatusBadRequest, "contact", err.Error())
		return
	}
	if err := a.o.Directory.Change(r.Context(), account, []contacts.Change{change}); err != nil {
		a.storeError(w, err)
		return
	}
	a.o.Log.Info("contact changed", "account", account, "user", user)
	reply(w, http.StatusOK, map[string]string{"status": "changed", "account": account, "id": user})
}

// importContacts answers POST /api/v1/contacts/:account: all of them are there, or
// none is.
func (a *api) importContacts(w http.ResponseWriter, r *http.Request) {
	account := httprouter.ParamsFromContext(r.Context()).ByName("account")
	if !a.known(w, account) {
		return
	}
	var body struct {
		Contacts []changed `json:"contacts"`
	}
	if !readChange(w, r, &body) {
		return
	}
	if n := len(body.Contacts); n == 0 || n > MaxImported {
		fail(w, http.StatusBadRequest, "contact", fmt.Sprintf("contacts: want 1 to %d", MaxImported))
		return
	}
	changes := make([]contacts.Change, len(body.Contacts))
	for i := range body.Contacts {
		change, err := body.Contacts[i].change()
		if err != nil {
			fail(w, http.StatusBadRequest, "contact", fmt.Sprintf("contacts %d: %v", i+1, err))
			return
		}
		change.Present = true
		changes[i] = change
	}
	if err := a.o.Directory.Change(r.Context(), account, changes); err != nil {
		a.storeError(w, err)
		return
	}
	a.o.Log.Info("contacts imported", "account", account, "contacts", len(changes))
	reply(w, http.StatusOK, map[string]any{"status": "imported", "account": account, "contacts": len(changes)})
}

// forgetContact answers DELETE /api/v1/contacts/:account/*user. It may be asked
// for any number of times.
func (a *api) forgetContact(w http.ResponseWriter, r *http.Request) {
	account, user, ok := a.person(w, r)
	if !ok {
		return
	}
	if !contacts.ValidID(user) {
		fail(w, http.StatusBadRequest, "user", fmt.Sprintf("a contact's id has 1 to %d bytes", contacts.MaxID))
		return
	}
	if err := a.o.Directory.Forget(r.Context(), account, user); err != nil {
		a.storeError(w, err)
		return
	}
	a.o.Log.Info("contact forgotten", "account", account)
	reply(w, http.StatusOK, map[string]string{"status": "forgotten", "account": account, "id": user})
}
