package wkteam

import (
	"cmp"
	"strings"

	"bot/engine"
)

// room reads a notice of which no more is known than its kind; the sentence that
// people see in the room may say more.
func room(kind engine.Kind) reader {
	return func(n *notice) bool {
		n.event.Kind, n.event.Text = kind, n.sentence()
		return n.inRoom()
	}
}

// inRoom makes an unknown event of one that does not say which room it is about.
// A notice is nobody's message, even where the account did what it tells: skills
// welcome those whom the account itself took in.
func (n *notice) inRoom() bool {
	n.event.Self = false
	if !n.event.Group {
		n.event.Conversation, n.event.IfKnown = "", ""
		return unknown(n)
	}
	return true
}

// roomChanged tells a new room or a change of an old one, and not which.
func roomChanged(n *notice) bool {
	n.event.Kind, n.event.IfKnown = engine.GroupCreated, engine.GroupChanged
	n.event.Text = string(n.data.NickName)
	return n.inRoom()
}

// joined reads "X invited Y" and "Y scanned X's code". The names of the links
// decide, since the words are in the language of the phone; only that the
// account itself takes part is in the words alone. A plain sentence has names
// and no ids, so it has no members.
func joined(n *notice) bool {
	e, x := n.event, n.XML
	e.Kind, e.Text = engine.MemberJoined, n.sentence()
	words := cmp.Or(x.Template.Text, e.Text)
	if scanned := x.link("adder"); scanned.id() != "" {
		e.Members, e.MemberNames = people(scanned.Members)
		e.Actor = x.link("from").id()
		if e.Actor == "" && strings.Contains(words, "你分享") {
			e.Actor = n.account.self
		}
		return n.inRoom()
	}
	e.Members, e.MemberNames = people(x.link("names").Members)
	e.Actor = x.link("username").id()
	switch {
	case strings.Contains(words, "邀请你"), strings.HasPrefix(words, "你通过扫描"): // the account itself came in
		e.Kind, e.IfKnown = engine.GroupCreated, engine.MemberJoined
		e.Members, e.MemberNames = append([]string{n.account.self}, e.Members...), append([]string{""}, e.MemberNames...)
	case strings.HasPrefix(words, "你邀请"):
		e.Actor = n.account.self
	}
	return n.inRoom()
}

// memberRemoved is told of whom the account itself removed.
func memberRemoved(n *notice) bool {
	e := n.event
	e.Kind, e.Text, e.Actor = engine.MemberRemoved, n.sentence(), n.account.self
	e.Members, e.MemberNames = people(n.XML.link("kickoutname").Members)
	return n.inRoom()
}

// renamed finds the new name in the template's link, in data or in the sentence.
func renamed(n *notice) bool {
	e := n.event
	e.Kind = engine.GroupRenamed
	e.Actor = n.XML.link("username").id()
	e.Text = cmp.Or(n.XML.link("remark").Plain, string(n.data.NickName))
	if _, name, ok := strings.Cut(n.sentence(), "群名为"); ok && e.Text == "" {
		e.Text = strings.Trim(name, `“”"`)
	}
	return n.inRoom()
}

func ownerChanged(n *notice) bool {
	e := n.event
	e.Kind, e.Text = engine.GroupOwnerChanged, n.sentence()
	if owner := asID(string(n.data.RoomOwner)); owner != "" {
		e.Members = []string{owner}
	}
	return n.inRoom()
}

func announcement(n *notice) bool {
	e := n.event
	e.Kind, e.Actor = engine.GroupAnnouncement, e.Sender
	e.Text = cmp.Or(n.XML.Announcement.Text, n.sentence())
	return n.inRoom()
}

// joinRequest keeps what /agreeAddChatRoomMember wants back, and nothing else.
func joinRequest(n *notice) bool {
	e, a := n.event, &n.XML.Application
	e.Kind, e.Text = engine.JoinRequest, n.sentence()
	e.Actor = asID(a.Inviter)
	e.Members, e.MemberNames = people(a.Members)
	n.param("newMsgId", string(n.data.NewMsgID))
	n.param("xml", string(n.data.Content))
	return n.inRoom()
}
