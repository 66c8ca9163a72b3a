package app

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"bot/engine/api"
	"bot/engine/config"
	"bot/engine/console"
)

// faces are both of the admin listener: the API for programs, and the console for
// people.
func (a *App) faces(o api.Options) http.Handler {
	programs := api.New(o)
	people := console.New(console.Options{
		Desk: o, Overview: a.overview, Accounts: func() []string { return accountNames(a.live.Load().Config.Accounts) },
		Zone:    func() *time.Location { return a.live.Load().Config.Location() },
		Samples: a.samples, Version: a.o.Version, Now: a.store.Now, Log: a.o.Log,
		Sandboxes: a.sandboxes, Say: a.say, Chat: a.chat, Talks: &a.talks, Talk: a.talk,
		Skills: a.skillsShown, Try: a.try,
		Config: a.configuration, Check: a.Check,
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if forPrograms(r.URL.Path) {
			programs.ServeHTTP(w, r)
			return
		}
		people.ServeHTTP(w, r)
	})
}

// consoleAt is where people open the console, by the real address of its listener.
func consoleAt(admin string) string {
	host, port, err := net.SplitHostPort(admin)
	if ip := net.ParseIP(host); err == nil && ip.IsUnspecified() {
		admin = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + admin + "/"
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
	o := console.Overview{
		Generation: a.generation.Load(), Skills: a.live.Load().Skills.Len(),
		Events: s.Events, Commands: s.Commands, InDoubt: s.InDoubt, Dead: s.Letters, Oldest: s.OldestEvent, StoreBytes: s.FileBytes,
	}
	if o.Restored, err = a.restored(); err != nil {
		return o, err
	}
	if err := a.readiness(); err != nil {
		o.NotReady = err.Error()
	}
	pushes, err := a.egress.Pushes()
	if err != nil {
		return o, err
	}
	paces, unconfirmed := a.egress.Paces(), a.egress.Unconfirmed()
	for _, row := range a.accountsHealth() {
		acc := console.Account{Row: row, Pace: paces[row.Name], Unconfirmed: unconfirmed[row.Name]}
		if p, limited := pushes[row.Name]; limited {
			acc.Pushes = &p
		}
		note, err := a.store.Recall(row.Name, pausedKey)
		if err != nil {
			return o, err
		}
		acc.Paused = note != "" || a.egress.HeldBy(row.Name, causeRestored)
		if note != "" {
			acc.PausedBy, acc.PausedSince = readPauseNote(note)
			acc.Held = withoutPause(row.Held, note)
		}
		o.Accounts = append(o.Accounts, acc)
	}
	return o, nil
}

// configuration is what runs and what its files hold now. Where these cannot be
// understood they are compared all the same.
func (a *App) configuration() (console.Config, error) {
	plan := a.live.Load()
	c := console.Config{Generation: a.generation.Load(), Applied: *a.applied.Load(), Running: plan.Config.Files}
	for _, w := range plan.Config.Warnings {
		c.Warnings = append(c.Warnings, w.Error())
	}
	onDisk, err := a.o.Load()
	if onDisk != nil {
		c.OnDisk = onDisk.Files
		return c, nil
	}
	if !errors.As(err, new(config.Problems)) {
		c.Unread = err
	}
	c.OnDisk = plan.Config.ReadAgain()
	return c, nil
}

// Check reads the configuration and finds what is wrong with it, as Reload does, and
// applies nothing.
func (a *App) Check(ctx context.Context) error {
	a.reloading.Lock()
	defer a.reloading.Unlock()
	plan, err := a.prepare(ctx)
	if plan != nil {
		plan.hangUp()
	}
	return err
}
