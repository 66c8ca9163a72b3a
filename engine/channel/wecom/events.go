package wecom

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/clip"
)

// maxID bounds an identity in bytes.
const maxID = 512

// app reads an app's decrypted document.
func (a *account) app(plain []byte, now time.Time) (channel.Receipt, error) {
	d, err := parse(plain)
	if err != nil {
		reason := "xml"
		if isJSON(plain) {
			reason = "json"
		}
		return channel.Receipt{}, unreadable(reason, "the document is "+err.Error(), d)
	}
	if suite := d.get("SuiteId"); suite != "" || d.get("InfoType") != "" {
		// It must be answered the literal success, whatever the account's ack is.
		return channel.Receipt{
			Foreign: "third-party suite " + clip.To(suite, 64),
			Answer:  channel.TextAnswer(http.StatusOK, "success"),
		}, nil
	}
	receipt := channel.Receipt{Answer: a.ack}
	if d.get("Event") == "kf_msg_or_event" {
		bell, detail := a.doorbell(d)
		if detail != "" {
			return channel.Receipt{}, unreadable("ids", detail, d)
		}
		receipt.Doorbells = []channel.Doorbell{bell}
		return receipt, nil
	}
	e, detail := appEvent(d, now)
	if detail != "" {
		return channel.Receipt{}, unreadable("ids", detail, d)
	}
	e.Account, e.Raw = a.name, plain
	receipt.Events = []*engine.Event{e}
	return receipt, nil
}

// doorbell reads the notice that customer service has something. Ringing twice
// is harmless, so it has no identity.
func (a *account) doorbell(d *node) (b channel.Doorbell, detail string) {
	const longest = 256
	source := d.get("OpenKfId")
	if source == "" || len(source) > longest {
		return b, "no OpenKfId of 1 to 256 bytes"
	}
	return channel.Doorbell{Account: a.name, Source: source, Token: d.get("Token")}, ""
}

// appEvent reads a document; detail says what it lacks and is "" for a good one.
func appEvent(d *node, now time.Time) (e *engine.Event, detail string) {
	e = &engine.Event{
		Kind: engine.Unknown, Sender: member(d.get("FromUserName")), Receiver: d.get("AgentID"), Time: unix(d.get("CreateTime")),
	}
	// What the platform itself reports is of nobody.
	if e.Conversation = e.Sender; e.Sender == "sys" || e.Sender == "" {
		e.Sender, e.Conversation = "", "sys"
	}
	switch msgType, id := d.get("MsgType"), d.get("MsgId"); {
	case msgType == "":
		return nil, "no MsgType"
	case msgType == "event" && d.get("Event") == "":
		return nil, "no Event"
	case msgType == "event":
		e.ID = digest(d)
		detail = appNotice(e, d, now)
	case id == "" || len(id) > maxID:
		return nil, "no MsgId of 1 to 512 bytes"
	case d.at("WebhookUrl") != nil: // the group robots' old callback, which is not offered any more
		e.ID, e.Type = id, "group_robot/"+msgType
	case e.Sender == "":
		return nil, "no FromUserName"
	default:
		e.ID = id
		appMessage(e, d, strings.ToLower(msgType))
	}
	if len(e.Conversation) > maxID || len(e.Receiver) > maxID {
		return nil, "an id of more than 512 bytes"
	}
	if len(e.Params) == 0 {
		e.Params = nil
	}
	return e, detail
}

// appMessage reads what a member wrote to the app.
func appMessage(e *engine.Event, d *node, msgType string) {
	e.Kind, e.Type = engine.Message, msgType
	e.Params = params(d)
	switch msgType {
	case "text":
		e.Text = d.raw("Content")
	case "image":
		e.Media = []engine.Media{{Kind: "image", URL: d.get("PicUrl")}}
	case "voice", "video":
		e.Media = []engine.Media{{Kind: msgType}} // Params["media_id"] fetches it
	case "file": // not documented, but read by Tencent's own plugin
		e.Media = []engine.Media{{Kind: "file", Name: d.get("FileName")}}
	case "location":
		e.Text = d.get("Label")
	case "link":
		e.Text = d.get("Title")
	}
}

// member folds a userid: the platform takes them without regard to case, and
// gives them now in one, now in the other.
func member(userID string) string { return strings.ToLower(userID) }

// unix reads seconds; zero for what is none.
func unix(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n >= 1e11 { // which is the year 5138
		return time.Time{}
	}
	return time.Unix(n, 0)
}
