package qiwe

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// memberChange is the msgType that says that a member came or went, but not
// which; it is not in the vendor's list.
const memberChange = "2118"

// groupNotices are the msgTypes about a group.
var groupNotices = map[scalar]engine.Kind{
	"1001":       engine.GroupRenamed,
	"1002":       engine.MemberJoined,
	"1003":       engine.MemberRemoved,
	"1005":       engine.MemberLeft,
	"1006":       engine.GroupCreated,
	"1022":       engine.GroupOwnerChanged,
	"1023":       engine.GroupDissolved,
	"1043":       engine.GroupChanged, // its admins
	memberChange: engine.GroupChanged,
}

// group reads a notice about a group.
func (a *account) group(v *event) *engine.Event {
	room := v.FromRoomID.id()
	if room == "" {
		return a.unknown(v)
	}
	d := v.data()
	e := a.base(v)
	e.Kind, e.Conversation, e.Group = groupNotices[v.MsgType], room, true
	e.Members = d.members()
	e.Text = string(d.RoomName)
	if v.MsgType == memberChange {
		e.Kind = guessed(string(v.UID))
	} else if e.Kind != engine.MemberLeft { // whoever left did it
		e.Actor = v.SenderID.id()
	}
	a.own(e, v)
	e.Identity = change(e, v)
	channel.Once(e)
	return e
}

// own sees to what befalls the account itself. A group may be told of twice,
// by its making and by the account's joining, so the second is but a change.
func (a *account) own(e *engine.Event, v *event) {
	among := slices.ContainsFunc(e.Members, func(id string) bool { return a.is(v, id) })
	switch {
	case e.Kind == engine.MemberRemoved && among:
		e.Kind = engine.BotRemoved
	case e.Kind == engine.MemberLeft && among:
		e.Kind = engine.BotLeft
	case e.Kind == engine.MemberJoined && among:
		e.Kind, e.IfKnown = engine.GroupCreated, engine.GroupChanged
	case e.Kind == engine.GroupCreated:
		e.IfKnown = engine.GroupChanged
		if self := first(v.UserID, scalar(a.self)); !among && len(e.Members) > 0 && self != "" {
			e.Members = append(e.Members, self)
		}
	}
}

// change is the identity of a notice. What happened to known members at a known
// second is one fact, whichever msgTypes and cmds tell it: a coming is reported
// by 1002 and may be by 2118 as well.
func change(e *engine.Event, v *event) string {
	if len(e.Members) == 0 || e.Time.IsZero() {
		return v.identity()
	}
	h := sha256.New()
	h.Write([]byte(e.Conversation + "\n" + e.Time.UTC().String()))
	for _, id := range slices.Sorted(slices.Values(e.Members)) {
		h.Write([]byte("\n" + id))
	}
	return "members/" + hex.EncodeToString(h.Sum(nil)[:16])
}

// guessed reads a memberChange by the words in its msgUniqueIdentifier, as one
// running system does. Those for leaving come first: "disassociate" holds
// "associate".
func guessed(uid string) engine.Kind {
	uid = strings.ToLower(uid)
	in := func(word string) bool { return strings.Contains(uid, word) }
	switch {
	case slices.ContainsFunc([]string{"del", "remove", "disassociate"}, in):
		return engine.MemberLeft
	case slices.ContainsFunc([]string{"add", "join", "associate"}, in):
		return engine.MemberJoined
	}
	return engine.GroupChanged
}

// members reads whom a notice is about: base64 of ids with semicolons, or one
// id. None where it cannot be read; who needs to know asks for the room's list.
func (d *data) members() []string {
	coded := string(d.ChangedMemberList)
	ids := idList(coded)
	if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(coded, "=")); err == nil && len(ids) == 0 {
		ids = idList(string(b))
	}
	if id := d.ChangedMemberID.id(); len(ids) == 0 && id != "" {
		ids = []string{id}
	}
	return ids
}

// idList reads "id1;id2;", all of it or nothing. A single id wants its
// semicolon: without one, digits are base64 as well.
func idList(s string) (ids []string) {
	if !strings.Contains(s, ";") {
		return nil
	}
	seen := make(map[string]bool)
	for one := range strings.SplitSeq(s, ";") {
		one = strings.TrimSpace(one)
		id := scalar(one).id()
		switch {
		case one == "":
		case id == "":
			return nil
		case !seen[id]:
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}
