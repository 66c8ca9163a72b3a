package cli

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
)

// pages returns the rows of a list of the running engine, page after page. read
// takes a page apart: its rows, and what the next page begins behind, "" at the end.
func pages[P, R any](ctx context.Context, a *adminClient, path string, q url.Values, read func(P) (rows []R, next string)) ([]R, error) {
	all := []R{} // programs read [], not null
	for {
		var page P
		if err := a.do(ctx, http.MethodGet, path+"?"+q.Encode(), nil, &page); err != nil {
			return nil, err
		}
		rows, next := read(page)
		all = append(all, rows...)
		if next == "" {
			return all, nil
		}
		q.Set("after", next)
	}
}

// behind is the page after which comes what lies behind its last row: of a list that
// ends with an empty page.
func behind[R any](rows []R, id func(R) string) ([]R, string) {
	if len(rows) == 0 {
		return nil, ""
	}
	return rows, id(rows[len(rows)-1])
}

// number is an id as it stands in an address.
func number(id uint64) string { return strconv.FormatUint(id, 10) }
