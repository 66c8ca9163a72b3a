package console

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel/sandbox"
)

// chatPage is a dialogue with the bot in a sandbox.
type chatPage struct {
	Accounts        []string // on no platform
	Account, As, In string
	Bubbles         []bubble
	// Unanswered is the id by which it is found why the last message has no answer, ""
	// where it has one.
	Unanswered string
	Kinds      []engine.Kind // of what can be made to happen
	Query      string        // of the page, for what is brought in again
}

// bubble is one message of a dialogue.
type bubble struct {
	Who     string // "" is the bot
	Time    time.Time
	Text    string
	What    string // the kind of event or the action, where it is no text
	Link    string
	Details string // what the action was given besides
	ID      string
}

// Events that can be made to happen, to somebody alone and in a group.
var (
	privateKinds = []engine.Kind{engine.FriendRequest, engine.FriendAdded, engine.EnterChat, engine.Pat, engine.FriendDeleted}
	groupKinds   = []engine.Kind{engine.MemberJoined, engine.MemberLeft, engine.GroupCreated, engine.Pat}
)

// Who speaks where nobody says so.
const defaultSpeaker = "me"

func (c *console) chat(r *http.Request) (any, error) {
	q := r.URL.Query()
	p := chatPage{
		Accounts: c.o.Sandboxes(), Account: q.Get("account"),
		As: cmp.Or(strings.TrimSpace(q.Get("as")), defaultSpeaker), In: strings.TrimSpace(q.Get("in")), Kinds: privateKinds,
	}
	if len(p.Accounts) == 0 {
		return p, nil
	}
	if !slices.Contains(p.Accounts, p.Account) {
		p.Account = p.Accounts[0]
	}
	if p.In != "" {
		p.Kinds = groupKinds
	}
	p.Query = url.Values{"account": {p.Account}, "as": {p.As}, "in": {p.In}}.Encode()
	said, err := c.o.Chat(p.Account, cmp.Or(p.In, p.As))
	if err != nil {
		return nil, err
	}
	for _, m := range said {
		p.Bubbles = append(p.Bubbles, bubbleOf(m))
	}
	if n := len(p.Bubbles); n > 0 && p.Bubbles[n-1].Who != "" {
		p.Unanswered = p.Bubbles[n-1].ID
	}
	return p, nil
}

// bubbleOf is how a message is shown.
func bubbleOf(m sandbox.Message) bubble {
	b := bubble{Who: m.Who, Time: m.Time, Text: m.Text, ID: m.ID, What: string(m.Kind)}
	if m.Action != engine.SendText {
		b.What = cmp.Or(b.What, string(m.Action))
	}
	rest := maps.Clone(m.Params)
	if address, ok := rest["url"].(string); ok {
		name, _ := rest["name"].(string)
		title, _ := rest["title"].(string)
		b.Link, b.Text = address, cmp.Or(m.Text, name, title, address)
		delete(rest, "url")
		delete(rest, "name")
		delete(rest, "title")
	}
	var details []string
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		details = append(details, fmt.Sprintf("%s=%v", key, rest[key]))
	}
	b.Details = strings.Join(details, " ")
	return b
}

// chatSay takes in what was typed, or has an event happen.
func (c *console) chatSay(r *http.Request) ([]any, error) {
	l := sandbox.Line{
		Account: r.PostFormValue("account"), As: r.PostFormValue("as"), In: r.PostFormValue("in"),
		Text: r.PostFormValue("text"), Kind: engine.Kind(r.PostFormValue("kind")),
	}
	switch {
	case !slices.Contains(c.o.Sandboxes(), l.Account):
		return nil, problem{"said.nosandbox", []any{l.Account}}
	case l.Kind != "" && !slices.Contains(engine.Kinds(), l.Kind):
		return nil, problem{"said.nokind", []any{string(l.Kind)}}
	}
	if l.Kind != "" {
		l.Text = ""
	} else if r.PostFormValue("mention") != "" && !strings.HasPrefix(l.Text, "@bot") {
		l.Text = "@bot " + l.Text
	}
	refused, err := c.o.Say(r.Context(), l)
	if err == nil && refused != "" {
		err = problem{"said.refused", []any{wordsOf(r).Reason(refused)}}
	}
	return nil, err // the dialogue shows it
}
