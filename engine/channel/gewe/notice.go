package gewe

import (
	"cmp"
	"strings"

	"bot/engine"
)

// notice reads what the platform itself says: XML, or a line of plain text.
func notice(in *inbound) *engine.Event {
	if strings.HasPrefix(strings.TrimSpace(in.content), "<") {
		return in.system(parse(in.content))
	}
	return in.plain()
}

// plain reads a line as phones show it in grey. It depends on the language of
// the account's phone; these are the Chinese ones.
func (in *inbound) plain() *engine.Event {
	line := in.content
	switch {
	case in.room == "" && isGreeting(line):
		return in.friendAdded(in.peer())
	case in.room == "":
		return in.byWord()
	case strings.HasPrefix(line, "你被") && strings.Contains(line, "移出群聊"):
		return in.event(engine.BotRemoved)
	case strings.HasPrefix(line, "你将") && strings.Contains(line, "移出"):
		e := in.event(engine.MemberRemoved) // the line has names and no ids
		e.Actor = in.self
		return e
	case strings.Contains(line, "修改群名为"):
		return in.renamed(line)
	case strings.HasPrefix(line, "你已成为新群主"):
		e := in.event(engine.GroupOwnerChanged)
		e.Members = []string{in.self}
		return e
	}
	return in.byWord()
}

// isGreeting tells the two lines that stand at the beginning of a new friend's
// chat.
func isGreeting(line string) bool {
	return strings.HasPrefix(line, "以上是打招呼的内容") ||
		strings.HasPrefix(line, "你已添加了") && strings.Contains(line, "现在可以开始聊天了")
}

// renamed takes the new name from between its quotes.
func (in *inbound) renamed(line string) *engine.Event {
	e := in.event(engine.GroupRenamed)
	_, name, _ := strings.Cut(line, "修改群名为")
	e.Text = strings.Trim(name, `“”"`)
	if strings.HasPrefix(line, "你修改") {
		e.Actor = in.self
	}
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
func (in *inbound) system(doc *node) *engine.Event {
	typ := doc.attr("type")
	body := doc.child(typ)
	switch typ {
	case "revokemsg":
		e := in.said(engine.Revoke)
		e.Params = params("revoked", word(body.child("newmsgid").text()).digits())
		return e
	case "pat":
		return in.pat(body)
	case "sysmsgtemplate":
		return in.template(body.child("content_template"))
	case "mmchatroombarannouncememt": // spelled so
		e := in.said(engine.GroupAnnouncement)
		e.Actor, e.Text = in.speaker, body.child("content").text()
		return e
	case "NewXmlChatRoomAccessVerifyApplication":
		return in.joinRequest(body)
	case "functionmsg", "dynacfg":
		return nil
	case "":
		return in.byWord()
	}
	if in.kind != "" {
		return in.byWord()
	}
	return in.unknown(typ)
}

func (in *inbound) pat(pat *node) *engine.Event {
	e := in.said(engine.Pat)
	e.Actor = cmp.Or(personOf(pat.child("fromusername")), in.speaker)
	e.Sender, e.Self = e.Actor, e.Actor == in.self
	if patted := personOf(pat.child("pattedusername")); patted != "" {
		e.Members = []string{patted}
	}
	return e
}

// joinRequest is somebody who wants to be let into a group. Approving takes the
// whole document back. Where its members stand is known from one source.
func (in *inbound) joinRequest(apply *node) *engine.Event {
	e := in.event(engine.JoinRequest)
	e.Params = params("newMsgId", word(in.id).digits(), "msgContent", in.content)
	e.Actor = personOf(apply.child("inviterusername"))
	for _, holder := range []*node{apply, apply.child("link")} {
		if e.Members, e.MemberNames = people(holder.child("memberlist")); e.Members != nil {
			break
		}
	}
	return e
}
