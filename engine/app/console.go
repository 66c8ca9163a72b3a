package app

import (
	"net/http"
	"strings"

	"bot/engine/api"
	"bot/engine/console"
)

// faces are both of the admin listener: the API for programs, and the console for
// people.
func (a *App) faces(o api.Options) http.Handler {
	programs := api.New(o)
	people := console.New(console.Options{
		Desk: o, Overview: a.overview, Samples: a.samples, Version: a.o.Version, Now: a.store.Now, Log: a.o.Log,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forPrograms(r.URL.Path) {
			programs.ServeHTTP(w, r)
			return
		}
		people.ServeHTTP(w, r)
	})
}

func forPrograms(path string) bool {
	switch path {
	case "/healthz", "/readyz", "/metrics":
		return true
	}
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/debug/")
}

func (a *App) overview() (console.Overview, error) {
	s, err := a.store.Stats()
	if err != nil {
		return console.Overview{}, err
	}
	plan, held := a.live.Load(), a.egress.Held()
	o := console.Overview{
		Generation: a.generation.Load(), Ready: a.readiness() == nil, Skills: plan.Skills.Len(),
		Events: s.Events, Commands: s.Commands, InDoubt: s.InDoubt, Dead: s.Letters, Oldest: s.OldestEvent, StoreBytes: s.FileBytes,
	}
	if o.Restored, err = a.restored(); err != nil {
		return o, err
	}
	for i := range plan.Config.Accounts {
		acc := &plan.Config.Accounts[i]
		paused, err := a.store.Recall(acc.Name, pausedKey)
		if err != nil {
			return o, err
		}
		o.Accounts = append(o.Accounts, console.Account{Name: acc.Name, Channel: acc.Channel, Held: held[acc.Name], Paused: paused != "" || a.egress.HeldBy(acc.Name, causeRestored)})
	}
	return o, nil
}
