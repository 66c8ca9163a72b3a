package api

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
)

// ErrNotHeld is Options.Release's answer where the bot has the conversation.
var ErrNotHeld = errors.New("the conversation is the bot's")

// release answers POST /api/v1/release: {"account":"shop","conversation":"u1"}.
// It has its turn behind what the conversation still waits for, and changes
// nothing where the bot was not silent.
func (a *api) release(w http.ResponseWriter, r *http.Request) {
	var ask struct {
		Account      string `json:"account"`
		Conversation string `json:"conversation"`
	}
	err := json.NewDecoder(io.LimitReader(r.Body, maxBody)).Decode(&ask)
	switch {
	case err != nil:
		fail(w, http.StatusBadRequest, "json", `the body is {"account":"…","conversation":"…"}`)
	case ask.Conversation == "":
		fail(w, http.StatusBadRequest, "conversation", "conversation is missing: the id of the user or group that is given back to the bot")
	case !a.known(w, ask.Account):
	default:
		switch err := a.o.Release(r.Context(), ask.Account, ask.Conversation); {
		case errors.Is(err, ErrNotHeld):
			fail(w, http.StatusNotFound, "conversation", "nobody has taken over the conversation "+ask.Conversation+" (ids are exact)")
			return
		case err != nil:
			a.storeError(w, err)
			return
		}
		reply(w, http.StatusAccepted, map[string]any{"account": ask.Account, "conversation": ask.Conversation, "released": true})
	}
}
