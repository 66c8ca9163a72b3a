package wecom

import (
	"strings"
	"time"

	"bot/engine"
)

// Who an item of customer service comes from (origin).
const (
	fromCustomer = "3"
	fromSystem   = "4"
	fromServicer = "5"
)

// kfItem reads one item of kf/sync_msg (page 94670). Its conversation is one
// customer at one customer-service account.
func kfItem(openKfID string, d *node) *engine.Event {
	kind := d.get("msgtype")
	about := d.at(kind)
	e := &engine.Event{
		Kind: engine.Message, Type: kind, ID: d.get("msgid"), Receiver: openKfID,
		Time: unix(d.get("send_time")), Params: make(map[string]string),
	}
	if about != nil {
		e.Params = collect(about, func(path string) string { return path })
	}
	customer := d.get("external_userid")
	if kind == "event" { // which has the ids inside
		customer = about.get("external_userid")
		delete(e.Params, "external_userid")
		delete(e.Params, "open_kfid")
	}
	e.Sender, e.Conversation = customer, openKfID+"/"+customer
	if customer == "" || len(e.Conversation) > maxID {
		e.Sender, e.Conversation = "", openKfID
	}
	switch origin := d.get("origin"); {
	case kind == "event":
		kfNotice(e, about)
	case origin == fromServicer:
		e.Self, e.Sender = true, d.get("servicer_userid")
		kfMessage(e, about)
	case origin == fromCustomer:
		kfMessage(e, about)
	default:
		e.Kind = engine.Unknown
	}
	if len(e.Params) == 0 {
		e.Params = nil
	}
	return e
}

// kfTypes are the types that skills know by another name.
var kfTypes = map[string]string{"business_card": "card", "miniprogram": "miniapp", "merged_msg": "chat_record"}

// kfMessage reads what was written.
func kfMessage(e *engine.Event, about *node) {
	if name, ok := kfTypes[e.Type]; ok {
		e.Type = name
	}
	switch e.Type {
	case "text":
		e.Text = about.raw("content")
		delete(e.Params, "content")
		if key := about.get("menu_id"); key != "" { // of a menu, whose words are the text
			e.Kind, e.Type = engine.Button, ""
			e.Params["content"], e.Text = e.Text, key
			delete(e.Params, "menu_id")
		}
	case "image", "voice", "video", "file":
		e.Media = []engine.Media{{Kind: e.Type}} // to be fetched by its media_id
	case "location":
		e.Text = strings.TrimSpace(about.get("name") + " " + about.get("address"))
	case "chat_record": // as long as the customer likes
		e.Text, e.Params = about.get("title"), nil
	case "link", "miniapp":
		e.Text = about.get("title")
	}
}

// kfCodeLives is how long the platform takes a text in answer to an event.
// Codes of welcome and farewell live for 20 seconds, of which three are for the
// request itself.
const (
	kfCodeLives      = 48 * time.Hour
	kfCodeLivesBrief = 17 * time.Second
	kfEnded          = "3" // change_type of a session that is over
)

// kfNotice reads an event of a session.
func kfNotice(e *engine.Event, about *node) {
	name := about.get("event_type")
	e.Kind, e.Type = engine.Unknown, name
	delete(e.Params, "event_type")
	switch name {
	case "enter_session":
		e.Kind, e.Type = engine.EnterChat, ""
		e.Ticket = kfTicket(e, about.get("welcome_code"), kfCodeLivesBrief)
		delete(e.Params, "welcome_code")
	case "session_status_change":
		lives := kfCodeLives
		if about.get("change_type") == kfEnded {
			lives = kfCodeLivesBrief
		}
		e.Ticket = kfTicket(e, about.get("msg_code"), lives)
		delete(e.Params, "msg_code")
	case "msg_send_fail":
		e.Kind, e.Text = engine.AsyncResult, kfFailed(about.get("fail_type"))
	case "user_recall_msg", "servicer_recall_msg":
		e.Kind, e.Type = engine.Revoke, ""
		e.Params["revoked"] = about.get("recall_msgid")
		delete(e.Params, "recall_msgid")
		if name == "servicer_recall_msg" {
			e.Self, e.Sender = true, about.get("servicer_userid")
		}
	}
}

// kfTicket is the permission to answer the event, none where it gives no code.
func kfTicket(e *engine.Event, code string, lives time.Duration) engine.Ticket {
	if code == "" {
		return engine.Ticket{}
	}
	return engine.Ticket{Token: kfPrefix + code, Expires: e.Time.Add(lives)}
}

// kfFailed says why a message that the platform took did not arrive.
func kfFailed(kind string) string {
	switch kind {
	case "1":
		return "the customer-service account was deleted"
	case "2":
		return "the app is closed"
	case "4":
		return "48 h since the customer's last message"
	case "5":
		return "the session is closed"
	case "6":
		return "five messages since the customer's last"
	case "7", "8", "9":
		return "the corp's subject is not verified"
	case "10":
		return "the customer refuses messages"
	}
	return "the platform does not say why"
}
