package gewe

import (
	"net/url"
	"strings"

	"bot/engine"
)

// appTypes are the types of an app message (MsgType 49), by the number in it.
// 40 is a chat record only where its realinnertype is 19; 5 and 74 are told
// apart further below.
var appTypes = map[string]string{
	"5": "link", "6": "file", "19": "chat_record", "33": "miniapp", "36": "miniapp",
	"51": "link", // a post of a video channel
	"57": "quote", "74": "file_started", "2000": "transfer", "2001": "red_packet",
}

// saidApp reads an app message. v2.0 names the type itself, which stands in
// where the XML does not tell.
func saidApp(in *inbound) *engine.Event {
	app := parse(in.content).child("appmsg")
	number := app.child("type").text()
	typ, known := appTypes[number]
	switch {
	case number == "40" && app.child("realinnertype").text() == "19":
		typ = "chat_record"
	case !known:
		typ = in.typ
	}
	title := app.child("title").text()
	switch typ {
	case "":
		return in.unknown(in.word + "/" + number)
	case "file_started":
		return in.fileStarted(title)
	case "file":
		return in.file("file", title, app.child("appattach", "totallen").text())
	case "quote":
		return in.message("quote", title, "quoted", word(app.child("refermsg", "svrid").text()).digits())
	case "link":
		return in.link(app, title)
	case "transfer":
		return in.message("transfer", "", "title", title, "amount", app.child("wcpayinfo", "feedesc").text())
	case "red_packet":
		return in.message("red_packet", "", "title", app.child("wcpayinfo", "sendertitle").text())
	case "miniapp":
		return in.message("miniapp", "", "title", title, "content", in.content)
	}
	return in.message(typ, "", "title", title)
}

// fileStarted is a file that is still being uploaded. It cannot be downloaded;
// a type 6 follows that names this one in overwrite_newmsgid.
func (in *inbound) fileStarted(name string) *engine.Event {
	e := in.said(engine.FileStarted)
	e.Params = params("filename", name)
	return e
}

func (in *inbound) link(app *node, title string) *engine.Event {
	address := app.child("url").text()
	if isInvitation(address, title) {
		e := in.said(engine.GroupInvitation)
		e.Params = params("url", address)
		return e
	}
	return in.message("link", "", "title", title, "url", address,
		"description", app.child("des").text(), "content", in.content)
}

// isInvitation tells an invitation into a group from an ordinary link. Its
// title depends on the language of the sender's phone, and anybody may give a
// link of their own that title; the address may not be forged.
func isInvitation(address, title string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Hostname() == "support.weixin.qq.com" &&
		(strings.Contains(u.Path, "addchatroombyinvite") || title == "邀请你加入群聊")
}
