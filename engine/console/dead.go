package console

import (
	"net/http"
	"strconv"

	"bot/engine/api"
	"bot/store"
)

// rows is how many rows a page shows.
const rows = 50

// deadPage is dead letters, and where the next ones begin.
type deadPage struct {
	Letters []api.Letter
	Next    uint64 // 0: there are no more
}

func (c *console) dead(r *http.Request) (any, error) {
	after, _ := strconv.ParseUint(r.URL.Query().Get("after"), 10, 64)
	letters, err := c.o.Desk.Letters.Letters(after, rows+1)
	if err != nil {
		return nil, err
	}
	var p deadPage
	for _, l := range letters[:min(len(letters), rows)] {
		p.Letters = append(p.Letters, api.LetterOf(l))
		p.Next = l.ID
	}
	if len(letters) <= rows {
		p.Next = 0
	}
	return p, nil
}

// deadReplay puts one letter back, or all that there are.
func (c *console) deadReplay(r *http.Request) ([]any, error) {
	if r.PostFormValue("all") != "yes" {
		id, err := strconv.ParseUint(r.PostFormValue("id"), 10, 64)
		if err != nil {
			return nil, store.ErrGone
		}
		return []any{"said.replayed"}, c.o.Desk.Replay(r.Context(), id, "console")
	}
	n := 0
	for last := uint64(0); ; {
		letters, err := c.o.Desk.Letters.Letters(last, rows)
		if err != nil || len(letters) == 0 {
			return []any{"said.replayed.all", n}, err
		}
		for _, l := range letters {
			last = l.ID
			if err := c.o.Desk.Replay(r.Context(), l.ID, "console"); err != nil {
				return nil, err
			}
			n++
		}
	}
}

func (c *console) deadDrop(r *http.Request) ([]any, error) {
	id, err := strconv.ParseUint(r.PostFormValue("id"), 10, 64)
	if err != nil {
		return nil, store.ErrGone
	}
	return []any{"said.dropped"}, c.o.Desk.Drop(r.Context(), id, "console")
}
