package wkteam

import (
	"cmp"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// maxContent is up to which length a message's XML is handed to skills.
const maxContent = 64 << 10

// message fills in what all messages have. One without a place is no message:
// there is nobody to answer.
func (n *notice) message(typ string) bool {
	if n.event.Conversation == "" {
		return unknown(n)
	}
	n.event.Kind, n.event.Type = engine.Message, typ
	if n.event.Group {
		n.event.Mention = n.account.mention(n.data, n.event.Text, typ == "quote")
	}
	return true
}

func text(n *notice) bool {
	n.event.Text = string(n.data.Content)
	return n.message("text")
}

// quote is a text that answers another one: title is what was written.
func quote(n *notice) bool {
	app := wechat.ReadApp(n.doc)
	n.event.Text = cmp.Or(string(n.data.Title), app.Title)
	n.param("quoted", app.Quoted)
	return n.message("quote")
}

// media are messages that carry a file. Its bytes are fetched by a call of their
// own, which wants the ids and the XML of this very callback back, as does
// forwarding.
func media(kind string) reader {
	return func(n *notice) bool {
		d := n.data
		m := engine.Media{Kind: kind}
		if strings.HasPrefix(string(d.URL), "http") {
			m.URL = string(d.URL)
		}
		switch kind {
		case "image":
			m.Size = size(n.doc.Child("img").Attr("length"))
		case "video":
			m.Size = size(n.doc.Child("videomsg").Attr("length"))
		case "voice":
			voice := n.doc.Child("voicemsg")
			length := cmp.Or(voice.Attr("length"), string(d.Length)) // bytes
			m.Size = size(length)
			n.param("length", length)
			n.param("bufId", cmp.Or(string(d.BufID), voice.Attr("bufid")))
			n.param("voiceLength", cmp.Or(string(d.VoiceLength), voice.Attr("voicelength")))
		case "file":
			m.Name, m.Size = n.title(), size(wechat.ReadApp(n.doc).FileSize)
			n.param("filename", m.Name)
		}
		n.event.Media = []engine.Media{m}
		n.original()
		return n.message(kind)
	}
}

// original keeps what download and forward calls need.
func (n *notice) original() {
	n.param("msgId", string(n.data.MsgID))
	n.param("wId", string(n.data.WID))
	if len(n.data.Content) <= maxContent {
		n.param("content", string(n.data.Content))
	}
}

func (n *notice) title() string { return cmp.Or(wechat.ReadApp(n.doc).Title, string(n.data.Title)) }

// fileStarted announces a file that cannot be had yet; 60009 follows, with an
// id of its own.
func fileStarted(n *notice) bool {
	n.event.Kind = engine.FileStarted
	n.param("filename", n.title())
	return true
}

// shared are cards of other programs.
func shared(typ string) reader {
	return func(n *notice) bool {
		n.param("title", n.title())
		n.param("url", cmp.Or(wechat.ReadApp(n.doc).URL, string(n.data.URL)))
		if typ == "link" {
			n.original()
		}
		return n.message(typ)
	}
}

// card is somebody's name card; v1 and v2 are what adding them takes.
func card(n *notice) bool {
	user := n.doc.Attr("username")
	n.param("user", user)
	n.param("name", n.doc.Attr("nickname"))
	if strings.HasPrefix(user, "v3_") {
		n.param("v1", user)
	}
	n.param("v2", n.doc.Attr("antispamticket"))
	return n.message("card")
}

func emoji(n *notice) bool {
	picture := n.doc.Child("emoji")
	n.param("md5", cmp.Or(string(n.data.MD5), picture.Attr("md5")))
	n.param("size", cmp.Or(string(n.data.Length), picture.Attr("len")))
	return n.message("emoji")
}

func location(n *notice) bool {
	place := n.doc.Child("location")
	n.param("title", place.Attr("poiname"))
	n.param("address", place.Attr("label"))
	n.param("latitude", place.Attr("x"))
	n.param("longitude", place.Attr("y"))
	return n.message("location")
}

// revoke withdraws the message whose newMsgId it names.
func revoke(n *notice) bool {
	n.event.Kind = engine.Revoke
	n.param("revoked", wechat.Revoked(n.doc))
	return true
}

func pat(n *notice) bool {
	e := n.event
	from, patted := wechat.Pat(n.doc)
	e.Kind, e.Text = engine.Pat, n.sentence()
	e.Actor = cmp.Or(from, e.Sender)
	if patted != "" {
		e.Members = []string{patted}
	}
	if e.Group && patted == n.account.self {
		e.Mention = engine.MentionMe
	}
	return true
}

// invitation asks the account into a room by a link that is to be accepted.
func invitation(n *notice) bool {
	n.event.Kind, n.event.Text = engine.GroupInvitation, n.title()
	n.param("url", cmp.Or(wechat.ReadApp(n.doc).URL, string(n.data.URL)))
	return true
}

// size reads a number of bytes; 0 where there is none.
func size(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}
