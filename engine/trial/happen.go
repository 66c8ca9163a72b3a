package trial

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/nearest"
)

// happen brings an event about: its kind, its fields, then its text.
func (t *Trial) happen(ctx context.Context, arg string) (Reply, error) {
	name, rest := cut(arg)
	if name == "" {
		return Reply{}, errors.New("/event needs a kind of event: /event friend_added")
	}
	kind, ok := engine.ParseKind(name)
	switch {
	case ok && kind == engine.Message:
		return Reply{}, fmt.Errorf("/event: there is no event %q (a message is said as it is, without a command)", name)
	case !ok:
		return Reply{}, fmt.Errorf("/event: there is no event %q%s", name, hint(name))
	}
	e := t.event(kind)
	text, err := fill(e, rest)
	if err != nil {
		return Reply{}, fmt.Errorf("/event %s: %w", name, err)
	}
	e.Text = text
	return t.play(ctx, e)
}

// fields are what can be said of an event besides its text.
var fields = []string{"members", "actor", "params.NAME"}

// field is a word like members=u1,u2.
var field = regexp.MustCompile(`^([a-z_]+(?:\.[A-Za-z0-9_]+)?)=(.*)$`)

// fill takes the fields off the front of what is said of an event; what is left
// is its text. A word that looks like a field and is none begins the text,
// unless it is near enough to one to be a slip.
func fill(e *engine.Event, said string) (text string, err error) {
	for {
		word, rest := cut(said)
		m := field.FindStringSubmatch(word)
		if m == nil {
			return said, nil
		}
		name, value := m[1], m[2]
		param, isParam := strings.CutPrefix(name, "params.")
		switch {
		case name == "members":
			e.Members, e.MemberNames = list(value), list(value)
		case name == "actor":
			e.Actor = value
		case isParam:
			if e.Params == nil {
				e.Params = make(map[string]string)
			}
			e.Params[param] = value
		default:
			if meant := nearest.Name(name, fields); meant != "" {
				return "", fmt.Errorf("there is no field %s (did you mean %s=…?)", name, meant)
			}
			return said, nil
		}
		said = rest
	}
}

// list reads ids with commas between them, of any width.
func list(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == '，' || r == '、' })
}

// hint says what was meant, or where all kinds stand: they are too many for a line.
func hint(name string) string {
	known := slices.DeleteFunc(engine.KindNames(), func(k string) bool { return k == string(engine.Message) }) // it is said
	if h := nearest.Hint(name, known); h != "" {
		return h
	}
	return " (docs/skills.md lists all)"
}

// event makes an event of the one who speaks.
func (t *Trial) event(kind engine.Kind) *engine.Event {
	t.serial++
	e := &engine.Event{
		Account: t.opts.Account, Kind: kind, ID: "trial-" + strconv.FormatUint(t.serial, 10),
		Conversation: t.user, Sender: t.user, SenderName: t.user,
		Time: t.now, Received: t.now,
	}
	if t.group != "" && !kind.OfFriend() {
		e.Conversation, e.Group = t.group, true
	}
	if kind.InGroup() {
		e.Members, e.MemberNames = []string{t.user}, []string{t.user}
	}
	switch kind {
	case engine.FriendRequest, engine.GroupInvitation, engine.JoinRequest:
		e.Params = map[string]string{"scene": "trial"} // what it is accepted by
	}
	return e
}
