package wkteam

import (
	"cmp"

	"bot/engine"
	"bot/engine/channel/wechat"
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

// told is what WeChat itself says in the room.
func (n *notice) told() wechat.Told {
	if n.isXML {
		return wechat.ReadTemplate(n.doc).Read(n.account.self)
	}
	return wechat.Sentence(n.sentence(), n.account.self)
}

// joined is told of all who came in, the account itself among them.
func joined(n *notice) bool {
	e, t := n.event, wechat.ReadTemplate(n.doc)
	if !n.isXML {
		t.Words = n.sentence()
	}
	told := t.Joining(n.account.self)
	e.Kind, e.Text = told.Kind, n.sentence()
	if told.Into(e); e.Kind == engine.GroupCreated {
		e.IfKnown = engine.MemberJoined
	}
	return n.inRoom()
}

// memberRemoved is told of whom the account itself removed.
func memberRemoved(n *notice) bool {
	n.told().Into(n.event)
	n.event.Kind, n.event.Text, n.event.Actor = engine.MemberRemoved, n.sentence(), n.account.self
	return n.inRoom()
}

// renamed finds the new name in what WeChat says, or in data.
func renamed(n *notice) bool {
	e, told := n.event, n.told()
	told.Into(e)
	e.Kind, e.Text = engine.GroupRenamed, cmp.Or(told.Text, string(n.data.NickName))
	return n.inRoom()
}

func ownerChanged(n *notice) bool {
	e := n.event
	e.Kind, e.Text = engine.GroupOwnerChanged, n.sentence()
	if owner := string(n.data.RoomOwner); owner != "" && wechat.IsID(owner) {
		e.Members = []string{owner}
	}
	return n.inRoom()
}

func announcement(n *notice) bool {
	e := n.event
	e.Kind, e.Actor = engine.GroupAnnouncement, e.Sender
	e.Text = cmp.Or(wechat.Announcement(n.doc), n.sentence())
	return n.inRoom()
}

// joinRequest keeps what /agreeAddChatRoomMember wants back, and nothing else.
func joinRequest(n *notice) bool {
	e := n.event
	e.Kind, e.Text = engine.JoinRequest, n.sentence()
	e.Actor, e.Members, e.MemberNames = wechat.JoinRequest(n.doc)
	n.param("newMsgId", string(n.data.NewMsgID))
	n.param("xml", string(n.data.Content))
	return n.inRoom()
}
