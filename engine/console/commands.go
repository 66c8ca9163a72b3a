package console

import (
	"net/http"
	"strconv"

	"bot/engine/api"
)

// commandsPage is what is in the outbox.
type commandsPage struct {
	Accounts, States []string
	Filter           api.RowFilter
	Commands         []api.Row
	Next             string // the address of the next page, "" at the end
}

func (c *console) commands(r *http.Request) (any, error) {
	f, _, err := api.ReadRowFilter(r.URL.Query())
	if err != nil {
		return nil, problem{"sorry.query", []any{err}}
	}
	f.Limit = rows
	found, err := c.o.Desk.Rows(f)
	if err != nil {
		return nil, err
	}
	p := commandsPage{Accounts: c.o.Accounts(), States: api.States, Filter: f, Commands: found.Commands}
	if found.Next != 0 {
		p.Next = following(r, strconv.FormatUint(found.Next, 10))
	}
	return p, nil
}

// cancel takes a command that waits out of the outbox.
func (c *console) cancel(r *http.Request) ([]any, error) {
	return []any{"said.cancelled"}, c.o.Desk.Cancel(r.Context(), r.PostFormValue("id"))
}
