package kind

import (
	"slices"

	"bot/engine"
)

// Mention is the value of `at`: whom a text mentions in a group.
type Mention string

// The values of `at`. Members are those that the event is about.
const (
	Nobody  Mention = ""
	Sender  Mention = "sender"
	Members Mention = "members"
	All     Mention = "all"
)

// withMembers are the kinds of event that are about members of a group.
var withMembers = []engine.Kind{
	engine.GroupCreated, engine.MemberJoined, engine.MemberLeft, engine.MemberRemoved, engine.JoinRequest,
}

// TellsMembers tells whether events of the kind say whom they are about.
func TellsMembers(on string) bool { return slices.Contains(withMembers, engine.Kind(on)) }

// Mentions reads the value of `at` at a key.
func (d *Draft) Mentions(key, value string) Mention {
	m := Mention(value)
	switch {
	case m == Nobody && !d.Has(key):
	case d.Where == Private || engine.Kind(d.On).OfFriend():
		d.oneOf(key, value, mentions)
		d.Warn(key, "there is nobody to mention in a private chat (where = \"group\" or \"any\")")
	default:
		d.oneOf(key, value, mentions)
		if m == Members && !TellsMembers(d.On) {
			d.Warn(key, "%s is not about members, so nobody is mentioned (at = \"sender\")", d.On)
		}
	}
	return m
}

var mentions = []string{string(Sender), string(Members), string(All)}

// everybody is the id that mentions all, which channels put into their own word.
const everybody = "all"

// of lists whom an event's answer mentions, with the names to show for them as
// far as they are known: none, or one for each.
func (m Mention) of(e *engine.Event) (ids, names []string) {
	if !e.Group {
		return nil, nil
	}
	switch {
	case m == All:
		return []string{everybody}, nil
	case m == Members && len(e.MemberNames) == len(e.Members):
		return e.Members, e.MemberNames
	case m == Members:
		return e.Members, nil
	case m == Sender && e.Sender != "" && e.SenderName != "":
		return []string{e.Sender}, []string{e.SenderName}
	case m == Sender && e.Sender != "":
		return []string{e.Sender}, nil
	}
	return nil, nil
}

// params are those of the command that says the text; nil for no mention.
func (m Mention) params(e *engine.Event) map[string]any {
	ids, names := m.of(e)
	if len(ids) == 0 {
		return nil
	}
	p := map[string]any{"at": slices.Clone(ids)}
	if len(names) > 0 {
		p["at_names"] = slices.Clone(names)
	}
	return p
}

// room is how many bytes of a text of at most limit its mention takes: @, the
// name and a space for each. Platforms count what is shown. However many are
// mentioned, half is left for what is said.
func room(params map[string]any, limit int) (n int) {
	shown, ok := params["at_names"].([]string)
	if !ok {
		shown, _ = params["at"].([]string)
	}
	for _, name := range shown {
		if name == everybody {
			name = "所有人"
		}
		n += len("@") + len(name) + len("\u2005")
	}
	return min(n, limit/2)
}
