package wkteam

import (
	"cmp"
	"strings"

	"bot/engine"
)

// friendRequest reads WeChat's verification XML. Some programs saw its parts
// unpacked in data already (marked as inferred), which then win.
func friendRequest(n *notice) bool {
	d, e, x := n.data, n.event, n.XML
	e.Kind = engine.FriendRequest
	e.Group, e.Self = false, false
	e.Sender = asID(x.From)
	if from := string(d.FromUser); e.Sender == "" && from != "fmessage" {
		e.Sender = from // fmessage is WeChat's own mailbox for requests
	}
	e.Conversation = e.Sender
	e.SenderName = cmp.Or(x.FromName, string(d.NickName))
	e.Text = cmp.Or(x.Greeting, n.sentence())
	n.param("v1", cmp.Or(string(d.V1), x.Encrypted))
	n.param("v2", cmp.Or(string(d.V2), x.Verify))
	n.param("scene", cmp.Or(string(d.Scene), x.Scene))
	return true
}

// contactChanged tells a new contact or a change of an old one, and not which. A
// remark or a label was given by somebody to whom the contact was no news.
func contactChanged(n *notice) bool {
	d, e := n.data, n.event
	if isRoom(string(d.UserName)) {
		return roomChanged(n)
	}
	n.about()
	e.SenderName = string(d.NickName)
	if d.Remark != "" || d.Labels != "" || strings.HasPrefix(e.Sender, "gh_") {
		e.Kind = engine.ContactChanged
		return n.placed()
	}
	e.IfKnown = engine.ContactChanged
	return n.friendAdded()
}

// friendAdded is told in up to three ways; the fact is one.
func (n *notice) friendAdded() bool {
	n.event.Kind = engine.FriendAdded
	n.event.Fact = "friend/" + n.event.Conversation
	return n.placed()
}

// placed makes an unknown event of one that does not say whom it is about.
func (n *notice) placed() bool {
	if n.event.Conversation == "" {
		n.event.Fact, n.event.IfKnown = "", ""
		return unknown(n)
	}
	return true
}

// about finds the contact that a notice is about, whoever is named as its sender.
func (n *notice) about() {
	e := n.event
	if who := string(n.data.UserName); who != "" {
		e.Conversation, e.Group = who, isRoom(who)
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

// other is 60999 and 80999, where the sentences are found by which WeChat says
// that somebody became a friend. They are in the language of the phone; these
// are the Chinese ones.
func other(n *notice) bool {
	e, said := n.event, n.sentence()
	if e.Group {
		return unknown(n)
	}
	name, ok := strings.CutPrefix(said, "你已添加了")
	if ok {
		name, _, ok = strings.Cut(name, "，现在可以开始聊天了")
	}
	switch {
	case ok:
		e.SenderName = name
	case strings.HasPrefix(said, "以上是打招呼的内容"), n.XML.System == "NewXmlOpenIMFriReqAcceptedInWxWork":
	default:
		return unknown(n)
	}
	n.about()
	return n.friendAdded()
}
