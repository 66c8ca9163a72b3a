package gewe

import (
	"cmp"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// saidApp reads an app message (MsgType 49). v2.0 names the type itself, which
// stands in where the XML does not tell.
func saidApp(in *inbound) *engine.Event {
	app := wechat.ReadApp(wechat.Parse(in.content))
	switch typ := cmp.Or(app.Type, in.typ); typ {
	case "":
		return in.unknown(in.word + "/" + app.Number)
	case wechat.FileStarted:
		e := in.said(engine.FileStarted)
		e.Params = params("filename", app.Title)
		return e
	case "file":
		return in.file("file", app.Title, app.FileSize)
	case "quote":
		return in.message("quote", app.Title, "quoted", app.Quoted)
	case "link":
		return in.link(app)
	case "transfer":
		return in.message("transfer", "", "title", app.Title, "amount", app.Amount)
	case "red_packet":
		return in.message("red_packet", "", "title", app.Greeting)
	case "miniapp":
		return in.message("miniapp", "", "title", app.Title, "content", in.content)
	default:
		return in.message(typ, "", "title", app.Title)
	}
}

func (in *inbound) link(app wechat.App) *engine.Event {
	if app.IsInvitation() {
		e := in.said(engine.GroupInvitation)
		e.Params = params("url", app.URL)
		return e
	}
	return in.message("link", "", "title", app.Title, "url", app.URL, "description", app.Description, "content", in.content)
}
