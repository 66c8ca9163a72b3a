package wkteam

import (
	"cmp"
	"strings"

	"bot/engine"
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
	n.event.Text = cmp.Or(string(n.data.Title), n.XML.App.Title)
	n.param("quoted", n.XML.App.Quoted.ID)
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
			m.Size = size(n.XML.Image.Length)
		case "video":
			m.Size = size(n.XML.Video.Length)
		case "voice":
			m.Size = size(cmp.Or(n.XML.Voice.Length, string(d.Length)))
			n.param("bufId", cmp.Or(string(d.BufID), n.XML.Voice.BufID))
			n.param("length", cmp.Or(n.XML.Voice.Length, string(d.Length)))
			n.param("voiceLength", cmp.Or(string(d.VoiceLength), n.XML.Voice.Duration))
		case "file":
			m.Name, m.Size = n.title(), size(n.XML.App.File.Length)
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

func (n *notice) title() string { return cmp.Or(n.XML.App.Title, string(n.data.Title)) }

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
		n.param("url", cmp.Or(n.XML.App.URL, string(n.data.URL)))
		if typ == "link" {
			n.original()
		}
		return n.message(typ)
	}
}

// card is somebody's name card; v1 and v2 are what adding them takes.
func card(n *notice) bool {
	n.param("user", n.XML.Username)
	n.param("name", n.XML.Nickname)
	if strings.HasPrefix(n.XML.Username, "v3_") {
		n.param("v1", n.XML.Username)
	}
	n.param("v2", n.XML.Ticket)
	return n.message("card")
}

func emoji(n *notice) bool {
	n.param("md5", cmp.Or(string(n.data.MD5), n.XML.Emoji.MD5))
	n.param("size", cmp.Or(string(n.data.Length), n.XML.Emoji.Length))
	return n.message("emoji")
}

func location(n *notice) bool {
	n.param("title", n.XML.Location.Name)
	n.param("address", n.XML.Location.Label)
	n.param("latitude", n.XML.Location.X)
	n.param("longitude", n.XML.Location.Y)
	return n.message("location")
}

// revoke withdraws the message whose newMsgId it names.
func revoke(n *notice) bool {
	n.event.Kind = engine.Revoke
	n.param("revoked", n.XML.Revoke.ID)
	return true
}

func pat(n *notice) bool {
	e, from, patted := n.event, asID(n.XML.Pat.From), asID(n.XML.Pat.Patted)
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
	n.param("url", cmp.Or(n.XML.App.URL, string(n.data.URL)))
	return true
}
