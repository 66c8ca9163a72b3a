package trial

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/nearest"
)

// happen brings an event about: its kind, then its text.
func (t *Trial) happen(ctx context.Context, arg string) (Reply, error) {
	name, text, _ := strings.Cut(arg, " ")
	if name == "" {
		return Reply{}, fmt.Errorf("/event needs a kind of event: /event friend_added")
	}
	kind, ok := engine.ParseKind(name)
	if !ok || kind == engine.Message {
		return Reply{}, fmt.Errorf("/event: there is no event %q%s", name, hint(name))
	}
	e := t.event(kind)
	e.Text = strings.TrimSpace(text)
	return t.play(ctx, e)
}

// hint says what was meant, or where all kinds stand: they are too many for a line.
func hint(name string) string {
	var known []string
	for _, k := range engine.Kinds() {
		if k == engine.Message { // it is said
			continue
		}
		known = append(known, string(k))
		short := strings.TrimPrefix(string(k), "group_")
		if full, ok := engine.ParseKind(short); ok && full == k && short != string(k) {
			known = append(known, short)
		}
	}
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
	if t.opts.Group != "" && !kind.OfFriend() {
		e.Conversation, e.Group = t.opts.Group, true
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
