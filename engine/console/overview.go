package console

import (
	"net/http"
	"time"

	"bot/engine/egress"
	"bot/engine/health"
)

// Overview is how the engine stands.
type Overview struct {
	Generation int64
	NotReady   string // why it takes no callbacks, "" where it does
	Skills     int
	Events     int
	Commands   int
	InDoubt    int
	Dead       int
	Oldest     time.Time // receipt of the first event that waits
	StoreBytes int64
	Restored   string // when the backup was made that the store comes from, until all may send
	Accounts   []Account
}

// Account is how one account stands: the evidence, and what slows it down. Held says
// why it sends nothing, besides being paused.
type Account struct {
	health.Row
	Paused      bool // by an operator, or until one lets it send what a backup holds
	PausedBy    string
	PausedSince time.Time
	Pace        egress.Pace
	Pushes      *egress.Pushes // nil: there is no daily limit
	Unconfirmed int            // commands
}

// LimitedBy is whose limit the account's next command waits for, "" for none. What
// holds it is said elsewhere.
func (a *Account) LimitedBy() string {
	if a.Held != "" || a.Paused {
		return ""
	}
	return string(a.Pace.By)
}

// Percent is the share of its usual pace that the account may send at.
func (a *Account) Percent() int { return int(a.Pace.Pace*100 + .5) }

// Day is how much the account may push in a day.
func (a *Account) Day() int { return a.Pushes.Used + a.Pushes.Left }

// overviewPage is what the first page shows.
type overviewPage struct {
	Overview
	Troubles  []trouble // the worst first
	Others    int       // troubles that are not shown
	LastError *accountError
	AnyPaused bool
	AnySends  bool // some account is not paused
	Charts    []Chart
}

// accountError is the last error there was, and whose.
type accountError struct {
	Account string
	health.Mark
}

func (c *console) overview(*http.Request) (any, error) {
	o, err := c.o.Overview()
	if err != nil {
		return nil, err
	}
	p := overviewPage{Overview: o, Charts: c.charts()}
	p.Troubles = troublesOf(o, c.o.Desk.Alerts().Ongoing, c.o.Now())
	if more := len(p.Troubles) - maxTroubles; more > 0 {
		p.Troubles, p.Others = p.Troubles[:maxTroubles], more
	}
	for i := range o.Accounts {
		a := &o.Accounts[i]
		if e := a.LastError; e != nil && (p.LastError == nil || e.Time.After(p.LastError.Time)) {
			p.LastError = &accountError{a.Name, *e}
		}
		p.AnyPaused, p.AnySends = p.AnyPaused || a.Paused, p.AnySends || !a.Paused
	}
	return p, nil
}

func (c *console) charts() []Chart {
	var all []Chart
	for _, p := range pictures {
		all = append(all, c.o.Samples.chart(p))
	}
	return all
}

// pause stops an account, or lets it go again. All of them at once have to be asked
// for by name.
func (c *console) pause(on bool) func(r *http.Request) ([]any, error) {
	key := "said.resumed"
	if on {
		key = "said.paused"
	}
	return func(r *http.Request) ([]any, error) {
		account := r.PostFormValue("account")
		if account == "" && r.PostFormValue("all") != "yes" {
			return nil, problem{"said.which", nil}
		}
		_, err := c.o.Desk.Pause(r.Context(), account, on, "console")
		if account == "" {
			return []any{key + ".all"}, err
		}
		return []any{key, account}, err
	}
}
