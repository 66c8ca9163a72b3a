package console

import (
	"errors"
	"net/http"
	"strconv"

	"bot/engine/api"
	"bot/store"
)

// doubtsPage is commands in doubt, and where the next ones begin.
type doubtsPage struct {
	Accounts []string
	Account  string // whose are shown; "" for all
	Doubts   []api.Doubt
	Next     string // the address of the next page, "" at the end
}

func (c *console) doubts(r *http.Request) (any, error) {
	q := r.URL.Query()
	after, _ := strconv.ParseUint(q.Get("after"), 10, 64)
	p := doubtsPage{Accounts: c.o.Accounts(), Account: q.Get("account")}
	var err error
	if p.Doubts, err = c.o.Desk.Doubts(p.Account, after, rows+1); err != nil {
		return nil, err
	}
	if len(p.Doubts) > rows {
		p.Doubts = p.Doubts[:rows]
		p.Next = following(r, strconv.FormatUint(p.Doubts[rows-1].ID, 10))
	}
	return p, nil
}

// resolve ends the doubt about one command.
func (c *console) resolve(delivered bool) func(r *http.Request) ([]any, error) {
	key := "said.resent"
	if delivered {
		key = "said.delivered"
	}
	return func(r *http.Request) ([]any, error) {
		return []any{key}, c.o.Desk.Resolve(r.Context(), r.PostFormValue("id"), delivered)
	}
}

// resendAll sends all that is in doubt of an account again. What there is is read
// first: a command that is sent again may come to be in doubt again meanwhile.
func (c *console) resendAll(r *http.Request) ([]any, error) {
	account := r.PostFormValue("account")
	if account == "" {
		return nil, problem{"said.which", nil}
	}
	var ids []string
	for after, more := uint64(0), true; more; {
		page, err := c.o.Desk.Doubts(account, after, rows)
		if err != nil {
			return nil, err
		}
		for _, d := range page {
			ids, after = append(ids, d.TaskID), d.ID
		}
		more = len(page) == rows
	}
	n := 0
	for _, id := range ids {
		switch err := c.o.Desk.Resolve(r.Context(), id, false); {
		case err == nil:
			n++
		case !errors.Is(err, store.ErrGone): // somebody may have been faster
			return nil, err
		}
	}
	return []any{"said.resent.all", n, account}, nil
}
