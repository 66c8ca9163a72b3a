package app

import (
	"maps"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/contacts"
)

// newContacts makes the directory of contacts on the open store.
func (a *App) newContacts() *contacts.Directory {
	return contacts.New(contacts.Options{
		Store:    a.store,
		Location: func(account string) *time.Location { return locationOf(a.live.Load(), account) },
		Barred:   func(account, id string) bool { return a.notServed(account, id, engine.LaneBulk) != "" },
		Within:   func(account string) time.Duration { return a.live.Load().people[account].within },
		Now:      a.store.Now, Log: a.o.Log,
	})
}

// locationOf is where an account is; one that has left the configuration is in UTC.
func locationOf(p *Plan, account string) *time.Location {
	if l := p.Setup.Accounts[account].Location; l != nil {
		return l
	}
	return time.UTC
}

// audiencesOf makes the audiences of a configuration.
func audiencesOf(tables []config.Audience) map[string]contacts.Audience {
	all := make(map[string]contacts.Audience, len(tables))
	for _, t := range tables {
		where := contacts.Where(t.Where)
		if t.Where == "any" {
			where = contacts.Anywhere
		}
		all[t.Name] = contacts.Audience{
			Name: t.Name, Account: t.Account, List: t.List, File: t.File,
			Query: contacts.Query{
				Labels: t.Labels, Any: t.Any, Without: t.Without,
				ActiveWithin: t.ActiveWithin.Std(), Where: where,
			},
		}
	}
	return all
}

func audienceNames(tables []config.Audience) (names []string) {
	for _, t := range tables {
		names = append(names, t.Name)
	}
	return names
}

// Audience is the [[audience]] of that name.
func (p *Plan) Audience(name string) (contacts.Audience, bool) {
	a, ok := p.audiences[name]
	return a, ok
}

// allAudiences lists the audiences in the order of their names.
func (a *App) allAudiences() []contacts.Audience {
	return slices.SortedFunc(maps.Values(a.live.Load().audiences), func(x, y contacts.Audience) int { return strings.Compare(x.Name, y.Name) })
}
