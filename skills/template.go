package skills

import (
	"errors"
	"strings"

	"bot/engine"
	"bot/skills/render"
)

// Template reads a text of a broadcast: it may refer to the recipient, the account
// and the time, and to nothing that somebody would have to have said.
func Template(text string) (engine.BroadcastTemplate, error) {
	t, err := render.Parse(text, broadcastScope)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(text) != "" && t.Mute() {
		return nil, errors.New("it comes out blank whatever is filled in")
	}
	return func(r engine.Recipient) (string, error) {
		return t.Execute(&render.Data{User: r.User, Account: r.Account, Day: r.Day, Now: r.Now})
	}, nil
}

// broadcastScope is what is known of somebody who said nothing.
var broadcastScope = render.Scope{Only: []string{"User", "Account", "Day", "Now"}}
