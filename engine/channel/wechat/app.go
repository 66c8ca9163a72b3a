package wechat

import (
	"net/url"
	"strings"

	"bot/engine/channel"
)

// App is an app message: a link, a file, a quote and much else.
type App struct {
	Number      string // its type, as WeChat counts them
	Type        string // the engine's word for it, "" for none
	Title       string
	Description string
	URL         string
	FileSize    string // bytes
	Quoted      string // the id of the message that a quote answers
	Amount      string // of a transfer, as people read it
	Greeting    string // of a red packet
}

// appTypes are the types by their numbers. 40 is a chat record only where its
// realinnertype is 19.
var appTypes = map[string]string{
	"5": "link", "6": "file", "19": "chat_record", "33": "miniapp", "36": "miniapp",
	"51": "link", // a post of a video channel
	"57": "quote", "74": FileStarted, "2000": "transfer", "2001": "red_packet",
}

// FileStarted is the type of a file that is still being uploaded and cannot be
// had; a file follows that names this one in overwrite_newmsgid.
const FileStarted = "file_started"

// ReadApp reads the <appmsg> of a document.
func ReadApp(doc *Node) App {
	app := doc.Child("appmsg")
	a := App{
		Number: app.Child("type").Text(), Title: app.Child("title").Text(), Description: app.Child("des").Text(),
		URL: app.Child("url").Text(), FileSize: app.Child("appattach", "totallen").Text(),
		Quoted: channel.Scalar(app.Child("refermsg", "svrid").Text()).Digits(),
		Amount: app.Child("wcpayinfo", "feedesc").Text(), Greeting: app.Child("wcpayinfo", "sendertitle").Text(),
	}
	a.Type = appTypes[a.Number]
	if a.Number == "40" && app.Child("realinnertype").Text() == "19" {
		a.Type = "chat_record"
	}
	return a
}

// IsInvitation tells an invitation into a group from an ordinary link. Its
// title depends on the language of the sender's phone, and anybody may give a
// link of their own that title; the address may not be forged.
func (a App) IsInvitation() bool {
	u, err := url.Parse(a.URL)
	return err == nil && u.Hostname() == "support.weixin.qq.com" &&
		(strings.Contains(u.Path, "addchatroombyinvite") || a.Title == "邀请你加入群聊")
}
