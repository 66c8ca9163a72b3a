package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
)

// pause answers POST /api/v1/pause and /resume: {"account":"shop"}, or no
// account for all of them; "by" says who asks. It may be asked for any number of times.
func (a *api) pause(on bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ask struct {
			Account string `json:"account"`
			By      string `json:"by"`
		}
		err := json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&ask)
		if err != nil && !errors.Is(err, io.EOF) {
			fail(w, http.StatusBadRequest, "json", `the body is {"account":"…"}, or empty for all accounts`)
			return
		}
		if ask.Account != "" && !a.known(w, ask.Account) {
			return
		}
		accounts, err := a.o.Pause(r.Context(), ask.Account, on, who(ask.By))
		if err != nil {
			a.storeError(w, err)
			return
		}
		reply(w, http.StatusOK, map[string]any{"accounts": accounts, "paused": on})
	})
}

// maxBy bounds a name, in characters.
const maxBy = 64

// who is a name as it is remembered: on one line, and not too long.
func who(by string) string {
	by = strings.Join(strings.Fields(strings.ToValidUTF8(by, "")), " ")
	if r := []rune(by); len(r) > maxBy {
		by = string(r[:maxBy])
	}
	return by
}
