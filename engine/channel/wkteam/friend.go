package wkteam

import (
	"cmp"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// friendRequest reads WeChat's verification XML. Some programs saw its parts
// unpacked in data already (marked as inferred), which then win.
func friendRequest(n *notice) bool {
	d, e, asked := n.data, n.event, wechat.ReadFriendRequest(n.doc)
	e.Kind = engine.FriendRequest
	e.Group, e.Self = false, false
	e.Sender = asked.From
	if from := string(d.FromUser); e.Sender == "" && !wechat.IsService(from) { // fmessage is WeChat's own mailbox for requests
		e.Sender = from
	}
	e.Conversation = e.Sender
	e.SenderName = cmp.Or(asked.Name, string(d.NickName))
	e.Text = cmp.Or(asked.Greeting, n.sentence())
	n.param("v1", cmp.Or(string(d.V1), asked.Encrypted))
	n.param("v2", cmp.Or(string(d.V2), asked.Ticket))
	n.param("scene", cmp.Or(string(d.Scene), asked.Scene))
	return true
}

// contactChanged tells a new contact or a change of an old one, and not which. A
// remark or a label was given by somebody to whom the contact was no news.
func contactChanged(n *notice) bool {
	d, e := n.data, n.event
	if wechat.IsRoom(string(d.UserName)) {
		return roomChanged(n)
	}
	n.about()
	e.SenderName = string(d.NickName)
	if d.Remark != "" || d.Labels != "" || wechat.IsService(e.Sender) {
		e.Kind = engine.ContactChanged
		return n.placed()
	}
	e.IfKnown = engine.ContactChanged
	return n.friendAdded()
}

// friendAdded is told in up to three ways; the fact is one.
func (n *notice) friendAdded() bool {
	n.event.Kind = engine.FriendAdded
	return n.placed()
}

// placed makes an unknown event of one that does not say whom it is about.
func (n *notice) placed() bool {
	if n.event.Conversation == "" {
		n.event.IfKnown = ""
		return unknown(n)
	}
	return true
}

// about finds the contact that a notice is about, whoever is named as its sender.
func (n *notice) about() {
	e := n.event
	if who := string(n.data.UserName); who != "" {
		e.Conversation, e.Group = who, wechat.IsRoom(who)
	}
	e.Sender, e.Self = e.Conversation, false
}

func contact(kind engine.Kind) reader {
	return func(n *notice) bool {
		n.about()
		if n.event.Group { // no friend
			return unknown(n)
		}
		n.event.Kind, n.event.Text = kind, n.sentence()
		return n.placed()
	}
}

// friendOfWeCom is the notice that somebody at WeCom took a request.
const friendOfWeCom = "NewXmlOpenIMFriReqAcceptedInWxWork"

// other is 60999 and 80999, where the sentences are found by which WeChat says
// that somebody became a friend.
func other(n *notice) bool {
	e, said := n.event, n.sentence()
	if e.Group {
		return unknown(n)
	}
	name, ok := wechat.Greeting(said)
	if !ok && n.doc.Attr("type") != friendOfWeCom {
		return unknown(n)
	}
	e.SenderName = name
	n.about()
	return n.friendAdded()
}
