package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"bot/engine"
	"bot/engine/risk"
)

// Mutes is who is not answered for a time; *risk.Guard is one.
type Mutes interface {
	Mute(ctx context.Context, account, id string, lasts time.Duration) error
	Unmute(ctx context.Context, account, id string) error
	Status(account string, limit int) risk.Status
}

// Bounds of a mute that is asked for, and how many are listed.
const (
	defaultMute = 10 * time.Minute
	longestMute = 366 * 24 * time.Hour
	listedMuted = 1000
)

// muted lists those of ?account=shop, or of all accounts.
func (a *api) muted(w http.ResponseWriter, r *http.Request) {
	account := r.URL.Query().Get("account")
	if account != "" && !a.known(w, account) {
		return
	}
	s := a.o.Mutes.Status(account, listedMuted)
	reply(w, http.StatusOK, map[string]any{"muted": s.Muted, "total": s.Total})
}

// whom reads of whom the path speaks; where it ends with the account, of all.
func (a *api) whom(w http.ResponseWriter, r *http.Request) (account, user string, ok bool) {
	p := httprouter.ParamsFromContext(r.Context())
	if p.ByName("user") == "/" {
		account = p.ByName("account")
		return account, "", a.known(w, account)
	}
	return a.person(w, r)
}

// mute has nothing of the person in the path answered for ?for=10m from now,
// whatever mute there was.
func (a *api) mute(w http.ResponseWriter, r *http.Request) {
	account, user, ok := a.whom(w, r)
	if !ok {
		return
	}
	lasts := engine.Duration(defaultMute)
	if given := r.URL.Query().Get("for"); given != "" {
		var err error
		if lasts, err = ReadMute(given); err != nil {
			fail(w, http.StatusBadRequest, "for", err.Error())
			return
		}
	}
	if err := a.o.Mutes.Mute(r.Context(), account, user, lasts.Std()); err != nil {
		a.storeError(w, err)
		return
	}
	a.o.Log.Info("user muted", "account", account, "user", user, "for", lasts.String())
	reply(w, http.StatusOK, map[string]string{"status": "muted", "account": account, "user": user})
}

// ReadMute reads how long somebody is to be muted.
func ReadMute(text string) (lasts engine.Duration, err error) {
	if err := lasts.UnmarshalText([]byte(text)); err != nil {
		return 0, err
	}
	if lasts <= 0 || lasts.Std() > longestMute {
		return 0, fmt.Errorf("%v is not a time up to 366 days (block shuts out for good)", lasts)
	}
	return lasts, nil
}

// unmute undoes it, whoever did it.
func (a *api) unmute(w http.ResponseWriter, r *http.Request) {
	account, user, ok := a.whom(w, r)
	if !ok {
		return
	}
	if err := a.o.Mutes.Unmute(r.Context(), account, user); err != nil {
		a.storeError(w, err)
		return
	}
	a.o.Log.Info("user unmuted", "account", account, "user", user)
	reply(w, http.StatusOK, map[string]string{"status": "unmuted", "account": account, "user": user})
}
