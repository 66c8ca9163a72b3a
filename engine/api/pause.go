package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"bot/engine/nearest"
)

// pause answers POST /api/v1/pause and /resume: {"account":"shop"}, or no
// account for all of them; "by" says who asks. It may be asked for any number of times.
func (a *api) pause(on bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account, by, err := readPause(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			fail(w, http.StatusBadRequest, "json", fmt.Sprintf(`%v; the body is {"account":"…"}, or {} or nothing for all accounts, and may say {"by":"…"}`, err))
			return
		}
		if account != "" && !a.known(w, account) {
			return
		}
		accounts, err := a.o.Pause(r.Context(), account, on, who(by))
		if err != nil {
			a.storeError(w, err)
			return
		}
		reply(w, http.StatusOK, map[string]any{"accounts": accounts, "paused": on})
	})
}

// readPause reads strictly: all accounts are meant only where none is spoken of. A
// mistyped name or an empty value, as a script's unset variable leaves it, is an
// error, so that it does not let everything go that is held after a restore.
func readPause(body io.Reader) (account, by string, err error) {
	d := json.NewDecoder(body)
	var members map[string]json.RawMessage
	switch err := d.Decode(&members); {
	case errors.Is(err, io.EOF):
		return "", "", nil
	case err != nil || members == nil:
		return "", "", errors.New("it is no JSON object")
	}
	if _, err := d.Token(); err != io.EOF {
		return "", "", errors.New("there is more after the end of the object")
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var into *string
		switch name {
		case "account":
			into = &account
		case "by":
			into = &by
		default:
			return "", "", fmt.Errorf("there is no field %q%s", name, nearest.Hint(name, []string{"account", "by"}))
		}
		if json.Unmarshal(members[name], into) != nil {
			return "", "", fmt.Errorf("%s must be a text", name)
		}
	}
	if _, spoken := members["account"]; spoken && account == "" {
		return "", "", errors.New("account is empty: name one, or leave it out for all of them")
	}
	return account, by, nil
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
