package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"bot/engine/contacts"
)

// Audience is an [[audience]] as the API shows it.
type Audience struct {
	Name    string `json:"name"`
	Account string `json:"account"`
	// Members is how many would be sent something now; nil in the list, since
	// counting takes a look at every contact.
	Members *int `json:"members,omitempty"`
}

func (a *api) audiences(w http.ResponseWriter, _ *http.Request) {
	all := []Audience{}
	for _, one := range a.o.Audiences() {
		all = append(all, Audience{Name: one.Name, Account: one.Account})
	}
	reply(w, http.StatusOK, map[string]any{"audiences": all})
}

// audience counts whom one reaches now.
func (a *api) audience(w http.ResponseWriter, r *http.Request) {
	name := httprouter.ParamsFromContext(r.Context()).ByName("name")
	for _, one := range a.o.Audiences() {
		if one.Name != name {
			continue
		}
		members, err := a.o.Count(r.Context(), one)
		if err != nil {
			a.audienceError(w, err)
			return
		}
		reply(w, http.StatusOK, Audience{one.Name, one.Account, &members})
		return
	}
	fail(w, http.StatusNotFound, "audience", "there is no audience of that name (GET /api/v1/audiences lists them)")
}

// Count is how many an audience reaches now. It takes a look at every contact.
func (o *Options) Count(ctx context.Context, one contacts.Audience) (members int, err error) {
	for _, err := range o.Directory.Members(one, o.Now()) {
		if err == nil {
			err = ctx.Err() // nobody waits any more
		}
		if err != nil {
			return 0, err
		}
		members++
	}
	return members, nil
}

// audienceError tells a file that cannot be read from a store that cannot.
func (a *api) audienceError(w http.ResponseWriter, err error) {
	if listed := (*contacts.ListError)(nil); errors.As(err, &listed) {
		fail(w, http.StatusConflict, "audience", listed.Error())
		return
	}
	a.storeError(w, err)
}
