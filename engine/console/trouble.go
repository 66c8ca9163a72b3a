package console

import (
	"cmp"
	"slices"
	"time"

	"bot/engine/alert"
	"bot/engine/health"
)

// trouble is something that is not as it should be, in one line.
type trouble struct {
	Serious bool
	// Alert is the kind of an alert that goes on, with its text by language. What
	// nobody was alerted of has the key of a text instead, and what goes into it.
	Alert    string
	Key      string
	Args     []any
	Account  string
	Text, ZH string
	Since    time.Time // zero: is not known
	Path     string    // where more is said of it, or it is mended
}

// Trouble is what a trouble is called.
func (w words) Trouble(t trouble) string {
	if t.Alert != "" {
		return w.Alert(t.Alert)
	}
	return w.T(t.Key, t.Args...)
}

const (
	// maxTroubles is how many are shown.
	maxTroubles = 8
	// stuckAfter is how old the first event may become before that is trouble.
	stuckAfter = time.Minute
)

// alertPaths are where the kinds of alerts that can be mended are.
var alertPaths = map[string]string{alert.InDoubt: "/doubts", alert.DeadLetter: "/dead", alert.Outbox: "/commands"}

// alertsFor are the kinds of alerts that say of an account what its health does.
var alertsFor = map[string][]string{
	health.Offline: {alert.Offline}, health.Failing: {alert.Breaker, alert.Halted, alert.Throttled},
	health.Held: {alert.Breaker, alert.Halted, alert.Throttled, alert.Offline}, health.Quiet: {alert.Silence},
}

// troublesOf finds what is wrong, the worst first. What an alert tells already is not
// said again.
func troublesOf(o Overview, ongoing []alert.Ongoing, now time.Time) []trouble {
	var all []trouble
	told := func(account string, kinds ...string) bool {
		return slices.ContainsFunc(ongoing, func(a alert.Ongoing) bool { return a.Account == account && slices.Contains(kinds, a.Kind) })
	}
	if o.NotReady != "" {
		all = append(all, trouble{Serious: true, Key: "trouble.notready", Text: o.NotReady})
	}
	for _, a := range ongoing {
		all = append(all, trouble{
			Serious: a.Level == alert.Serious, Alert: a.Kind, Account: a.Account, Text: a.Text, ZH: a.TextZH, Since: a.Since,
			Path: cmp.Or(alertPaths[a.Kind], "/alerts"),
		})
	}
	for i := range o.Accounts {
		if a := &o.Accounts[i]; !told(a.Name, alertsFor[a.Health]...) {
			all = append(all, a.troubles()...)
		}
		if a := &o.Accounts[i]; a.Paused {
			all = append(all, trouble{Key: "trouble.paused", Account: a.Name, Args: []any{a.PausedBy}, Since: a.PausedSince})
		}
	}
	if !o.Oldest.IsZero() && now.Sub(o.Oldest) > stuckAfter && !told("", alert.Backlog) {
		all = append(all, trouble{Key: "trouble.stuck", Since: o.Oldest})
	}
	if o.InDoubt > 0 && !slices.ContainsFunc(ongoing, func(a alert.Ongoing) bool { return a.Kind == alert.InDoubt }) {
		all = append(all, trouble{Key: "trouble.doubt", Args: []any{count(float64(o.InDoubt))}, Path: "/doubts"})
	}
	if o.Dead > 0 {
		all = append(all, trouble{Key: "trouble.dead", Args: []any{count(float64(o.Dead))}, Path: "/dead"})
	}
	slices.SortStableFunc(all, func(a, b trouble) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

func rank(t trouble) int {
	if t.Serious {
		return 0
	}
	return 1
}

// troubles are what the evidence of an account says.
func (a *Account) troubles() (all []trouble) {
	switch a.Health {
	case health.Offline:
		t := trouble{Serious: true, Key: "trouble.offline", Account: a.Name}
		if a.Offline != nil {
			t.Text, t.Since = a.Offline.Note, a.Offline.Time
		}
		all = append(all, t)
	case health.Failing:
		t := trouble{Serious: true, Key: "trouble.failing", Account: a.Name}
		if a.LastError != nil {
			t.Text, t.Since = a.LastError.Note, a.LastError.Time
		}
		all = append(all, t)
	case health.Quiet:
		all = append(all, trouble{Key: "trouble.quiet", Account: a.Name, Since: a.LastCallback})
	case health.Held:
		if a.Held != "" {
			all = append(all, trouble{Key: "trouble.held", Account: a.Name, Text: a.Held})
		}
	}
	return all
}
