package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"bot/engine/broadcast"
	"bot/store"
)

// castsPage is broadcasts, the newest first.
type castsPage struct {
	Casts    []cast
	From     int // how many newer ones are left out
	Next     int // where the next page begins; 0: there are no more
	Quantity int
}

// cast is a broadcast as pages show it.
type cast struct{ broadcast.Status }

// Over is how many recipients nothing more is to be done for.
func (c cast) Over() int { return c.Recipients - c.Left - c.Waiting - c.Unconfirmed - c.InDoubt }

// Deletable tells whether it may be forgotten.
func (c cast) Deletable() bool { return c.State.Ended() || c.State == broadcast.Ready }

// Cancellable tells whether there is something to be called off.
func (c cast) Cancellable() bool { return c.State == broadcast.Running || c.State == broadcast.Paused }

func (c *console) casts(r *http.Request) (any, error) {
	all, err := c.o.Desk.Broadcasts.List()
	if err != nil {
		return nil, err
	}
	slices.Reverse(all)
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	p := castsPage{From: min(max(0, from), len(all)), Quantity: len(all)}
	end := min(p.From+rows, len(all))
	for _, s := range all[p.From:end] {
		p.Casts = append(p.Casts, cast{s})
	}
	if end < len(all) {
		p.Next = end
	}
	return p, nil
}

// castPage is one broadcast.
type castPage struct {
	cast
	Estimate *broadcast.Estimate // before it is over
	Held     string              // why its account sends nothing, "" where it does
}

// Takes is how long the rest takes at least.
func (p castPage) Takes() time.Duration {
	return max(time.Second, time.Duration(p.Estimate.Seconds*float64(time.Second)))
}

// Pace is the rate that it can really have.
func (p castPage) Pace() string { return cmp.Or(p.Estimate.Pace, p.Estimate.Rate) }

// QuotaPercent is how much of what its account may still say today it takes.
func (p castPage) QuotaPercent() int { return int(p.Estimate.Quota*100 + 0.999) }

func (c *console) cast(r *http.Request) (any, error) {
	s, err := c.o.Desk.Broadcasts.Status(r.URL.Query().Get("id"))
	if err != nil {
		return nil, noneIsGone(err)
	}
	p := castPage{cast: cast{s}}
	if s.State.Ended() || s.State == broadcast.Preparing {
		return p, nil
	}
	e, err := c.o.Desk.Broadcasts.Estimate(s.ID)
	if err != nil {
		return nil, noneIsGone(err)
	}
	p.Estimate = &e
	o, err := c.o.Overview()
	for _, a := range o.Accounts {
		if a.Name == s.Account {
			p.Held = a.Held
		}
	}
	return p, err
}

// noneIsGone lets pages say of a broadcast what they say of everything.
func noneIsGone(err error) error {
	if errors.Is(err, broadcast.ErrNone) {
		return store.ErrGone
	}
	return err
}

// failuresPage is what was given up of a broadcast.
type failuresPage struct {
	ID, Name string
	Failures []broadcast.Failure
	Next     uint64 // 0: there are no more
}

// Before is where a page of dead letters begins that has this one first.
func (failuresPage) Before(letter uint64) uint64 { return letter - 1 }

func (c *console) failures(r *http.Request) (any, error) {
	q := r.URL.Query()
	s, err := c.o.Desk.Broadcasts.Status(q.Get("id"))
	if err != nil {
		return nil, noneIsGone(err)
	}
	after, _ := strconv.ParseUint(q.Get("after"), 10, 64)
	all, err := c.o.Desk.Broadcasts.Failures(s.ID, after, rows+1)
	if err != nil {
		return nil, noneIsGone(err)
	}
	p := failuresPage{ID: s.ID, Name: s.Name, Failures: all[:min(len(all), rows)]}
	if len(all) > rows {
		p.Next = all[rows-1].Letter
	}
	return p, nil
}

// castStart lets a broadcast begin: the second step after it was made, and one that
// has to be meant.
func (c *console) castStart(r *http.Request) ([]any, error) {
	if r.PostFormValue("sure") != "yes" {
		return nil, errors.New(wordsOf(r).T("cast.tick"))
	}
	return c.castAct("said.cast.started", c.o.Desk.Broadcasts.Start)(r)
}

// castAct does something to the broadcast that a form names.
func (c *console) castAct(said string, do func(ctx context.Context, id string) (broadcast.Status, error)) func(r *http.Request) ([]any, error) {
	return func(r *http.Request) ([]any, error) {
		id := r.PostFormValue("id")
		s, err := do(r.Context(), id)
		if err != nil {
			return nil, noneIsGone(err)
		}
		c.o.Log.Info("broadcast "+string(s.State), "broadcast", id, "by", "console")
		return []any{said, id}, nil
	}
}

func (c *console) castDelete(r *http.Request) ([]any, error) {
	id := r.PostFormValue("id")
	return []any{"said.cast.deleted", id}, noneIsGone(c.o.Desk.Broadcasts.Delete(r.Context(), id))
}

// castPath is the page of a broadcast.
func castPath(id string) string { return "/broadcast?id=" + url.QueryEscape(id) }
