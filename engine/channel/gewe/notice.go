package gewe

import (
	"cmp"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// notice reads what the platform itself says: XML, or a line of plain text.
func notice(in *inbound) *engine.Event {
	if wechat.IsDocument(in.content) {
		return in.system(wechat.Parse(in.content))
	}
	if in.room != "" {
		return in.told(wechat.Sentence(in.content, in.self))
	}
	if name, ok := wechat.Greeting(in.content); ok {
		e := in.about(engine.FriendAdded, in.peer())
		e.SenderName = name
		return e
	}
	return in.byWord()
}

// told is what a sentence in a group says; where it says nothing, v2.0's word
// does.
func (in *inbound) told(t wechat.Told) *engine.Event {
	if t.Kind == "" {
		return in.byWord()
	}
	e := in.event(t.Kind)
	e.Text = t.Text
	t.Into(e)
	return e
}

// byWord is what v2.0 calls a notice whose content says nothing.
func (in *inbound) byWord() *engine.Event {
	if in.kind == "" || in.room == "" {
		return in.unknown(in.word)
	}
	e := in.event(in.kind)
	if in.kind == engine.GroupAnnouncement {
		e.Actor, e.Sender, e.Self, e.Text = in.speaker, in.speaker, in.mine, in.content
	}
	return e
}

// system reads a <sysmsg> by its type. v2.0 calls some of them PAT_MSG that are
// none, so the word counts only where the type is unknown.
func (in *inbound) system(doc *wechat.Node) *engine.Event {
	switch typ := doc.Attr("type"); typ {
	case wechat.TypeRevoke:
		e := in.said(engine.Revoke)
		e.Params = params("revoked", wechat.Revoked(doc))
		return e
	case wechat.TypePat:
		return in.pat(doc)
	case wechat.TypeTemplate:
		return in.template(doc)
	case wechat.TypeAnnouncement:
		e := in.said(engine.GroupAnnouncement)
		e.Actor, e.Text = in.speaker, wechat.Announcement(doc)
		return e
	case wechat.TypeJoinRequest:
		return in.joinRequest(doc)
	case "functionmsg", "dynacfg":
		return nil
	default:
		if typ != "" && in.kind == "" {
			return in.unknown(typ)
		}
		return in.byWord()
	}
}

func (in *inbound) template(doc *wechat.Node) *engine.Event {
	if in.room == "" {
		return in.byWord()
	}
	t := wechat.ReadTemplate(doc).Read(in.self)
	if t.Kind == "" && in.kind == "" {
		return in.unknown(wechat.TypeTemplate)
	}
	return in.told(t)
}

func (in *inbound) pat(doc *wechat.Node) *engine.Event {
	from, patted := wechat.Pat(doc)
	e := in.said(engine.Pat)
	e.Actor = cmp.Or(from, in.speaker)
	e.Sender, e.Self = e.Actor, e.Actor == in.self
	if patted != "" {
		e.Members = []string{patted}
	}
	if e.Group && patted == in.self {
		e.Mention = engine.MentionMe
	}
	return e
}

// joinRequest is somebody who wants to be let into a group. Approving takes the
// whole document back.
func (in *inbound) joinRequest(doc *wechat.Node) *engine.Event {
	e := in.event(engine.JoinRequest)
	e.Actor, e.Members, e.MemberNames = wechat.JoinRequest(doc)
	e.Params = params("newMsgId", word(in.id).digits(), "msgContent", in.content)
	return e
}
