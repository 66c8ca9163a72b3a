package api

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
)

// Contact is somebody who is blocked or has unsubscribed, as the API shows
// them: since when.
type Contact struct {
	User         string    `json:"user"`
	Blocked      time.Time `json:"blocked_since,omitzero"`
	Unsubscribed time.Time `json:"unsubscribed_since,omitzero"`
}

// known answers 404 to an account that there is not.
func (a *api) known(w http.ResponseWriter, account string) bool {
	_, known, _ := a.o.Needs(account, engine.SendText)
	if !known {
		fail(w, http.StatusNotFound, "account", fmt.Sprintf("there is no account %q", account))
	}
	return known
}

// barred lists people page by page: ?account=shop&after=user.
func (a *api) barred(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	account := query.Get("account")
	if !a.known(w, account) {
		return
	}
	people, err := a.o.Contacts.Barred(account, query.Get("after"), pageSize)
	if err != nil {
		a.storeError(w, err)
		return
	}
	out := make([]Contact, len(people))
	for i, p := range people {
		out[i] = Contact(p)
	}
	reply(w, http.StatusOK, map[string]any{"barred": out})
}

// person reads of whom the path speaks, and answers where it is of nobody.
func (a *api) person(w http.ResponseWriter, r *http.Request) (account, user string, ok bool) {
	p := httprouter.ParamsFromContext(r.Context())
	account = p.ByName("account")
	user = strings.TrimPrefix(p.ByName("user"), "/") // all that follows: an id may hold slashes
	if !a.known(w, account) {
		return "", "", false
	}
	if user == "" || len(user) > maxID {
		fail(w, http.StatusBadRequest, "user", fmt.Sprintf("a user's id has 1 to %d bytes", maxID))
		return "", "", false
	}
	return account, user, true
}

// standing makes a change of the person in the path, who need not be known yet.
// It may be asked for any number of times.
func (a *api) standing(change engine.Change, done string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account, user, ok := a.person(w, r)
		if !ok {
			return
		}
		if err := a.o.Contacts.SetStanding(r.Context(), account, user, change); err != nil {
			a.storeError(w, err)
			return
		}
		a.o.Log.Info("user "+done, "account", account, "user", user)
		reply(w, http.StatusOK, map[string]string{"status": done, "account": account, "user": user})
	})
}
