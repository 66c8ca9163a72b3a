package generic

import (
	"encoding/json"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel"
)

// maxID bounds an identity in bytes.
const maxID = 512

// body is the members of a callback that mean something here, undecoded and
// lent from the request.
type body struct {
	typ, eventID, appID, scene, fromUser, nickname, content, timestamp, msgID value // typed
	taskID, status, reason                                                    value // typed, of a command's result
	plainID, sender                                                           value // plain
}

// set keeps a member by its exact name. Of two with one name the last wins.
func (b *body) set(name, v []byte) {
	switch string(name) {
	case "type":
		b.typ = v
	case "eventId":
		b.eventID = v
	case "appId":
		b.appID = v
	case "scene":
		b.scene = v
	case "fromUser":
		b.fromUser = v
	case "nickname":
		b.nickname = v
	case "content":
		b.content = v
	case "timestamp":
		b.timestamp = v
	case "msgId":
		b.msgID = v
	case "taskId", "task_id":
		b.taskID = v
	case "status":
		b.status = v
	case "reason":
		b.reason = v
	case "msg_id":
		b.plainID = v
	case "sender":
		b.sender = v
	}
}

// isPlain tells the forms apart. Some gateways put a type into their plain
// messages, so that alone does not make an event.
func (b *body) isPlain() bool {
	return b.plainID != nil && (b.typ == nil || b.eventID == nil)
}

// event reads the body; detail says what is missing and is "" for a good one.
func (b *body) event() (e *engine.Event, detail string) {
	if b.isPlain() {
		return b.message()
	}
	typ, ok := b.typ.id()
	if !ok {
		return nil, "type is not a string of 1 to 512 bytes"
	}
	id, ok := b.eventID.id()
	if !ok {
		return nil, "eventId is not a string of 1 to 512 bytes"
	}
	from, ok := b.fromUser.optionalID()
	e = &engine.Event{
		Type: typ, ID: id, Sender: from, SenderName: b.nickname.text(),
		Text: b.content.text(), Time: b.timestamp.time(),
	}
	switch typ {
	case "FRIEND_REQUEST":
		e.Kind, e.Type = engine.FriendRequest, ""
		if scene := b.scene.text(); scene != "" {
			e.Params = map[string]string{"scene": scene}
		}
	case "FRIEND_ADDED":
		return b.added(e)
	case "COMMAND_RESULT":
		return b.result(e)
	default:
		e.Kind, ok = engine.Unknown, true
	}
	if !ok {
		return nil, "fromUser is not a string of at most 512 bytes"
	}
	// A request that does not say who asks is a conversation of its own.
	if e.Conversation = from; from == "" {
		e.Conversation = id
	}
	return e, ""
}

// added fills in a FRIEND_ADDED. Its identity is the msgId where there is one:
// gateways repeat it under new event ids.
func (b *body) added(e *engine.Event) (*engine.Event, string) {
	msgID, ok := b.msgID.optionalID()
	if !ok {
		return nil, "msgId is not a string of at most 512 bytes"
	}
	if msgID != "" {
		e.ID = msgID
	}
	from, ok := b.fromUser.id()
	if !ok {
		return nil, "fromUser is not a string of 1 to 512 bytes"
	}
	e.Kind, e.Type, e.Conversation = engine.FriendAdded, "", from
	return e, ""
}

// result fills in a COMMAND_RESULT. What is said of one command is read in its
// order, and beside what is said of others.
func (b *body) result(e *engine.Event) (*engine.Event, string) {
	task, ok := b.taskID.id()
	if !ok {
		return nil, "taskId is not a string of 1 to 512 bytes"
	}
	outcome, _ := b.status.str()
	if outcome != engine.ConfirmOK && outcome != engine.ConfirmFailed {
		return nil, "status is neither ok nor failed"
	}
	e.Kind, e.Type, e.Conversation = engine.Confirmed, "", task
	e.Sender, e.SenderName, e.Text = "", "", ""
	e.Params = map[string]string{engine.ConfirmKey: task, engine.ConfirmOutcome: outcome}
	if why := channel.Words(b.reason.text()); why != "" {
		e.Params[engine.ConfirmNote] = why
	}
	return e, ""
}

func (b *body) message() (*engine.Event, string) {
	id, ok := b.plainID.id()
	if !ok {
		return nil, "msg_id is not a string of 1 to 512 bytes"
	}
	sender, ok := b.sender.id()
	if !ok {
		return nil, "sender is not a string of 1 to 512 bytes"
	}
	return &engine.Event{
		Kind: engine.Message, Type: "text", ID: id, Conversation: sender, Sender: sender,
		SenderName: b.nickname.text(), Text: b.content.text(), Time: b.timestamp.time(),
	}, ""
}

// value is one valid JSON value as it stands in the body; nil when absent.
type value []byte

// id reads an identity. The replacement character is refused in it: broken
// surrogates all decode to it, and two ids would become one.
func (v value) id() (string, bool) {
	s, ok := v.str()
	return s, ok && s != "" && len(s) <= maxID && !strings.ContainsRune(s, '\uFFFD')
}

// optionalID is id for a member that may be left out, null or empty.
func (v value) optionalID() (string, bool) {
	if v == nil || string(v) == "null" || string(v) == `""` {
		return "", true
	}
	s, ok := v.id()
	if !ok {
		return "", false
	}
	return s, true
}

// str decodes a string; false for any other value.
func (v value) str() (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	if !escaped(v) {
		return string(v[1 : len(v)-1]), true
	}
	var s string
	err := json.Unmarshal(v, &s)
	return s, err == nil
}

// text reads what is for people or to be passed on: a string, or the digits
// of a number as they were written. Anything else is no text.
func (v value) text() string {
	if s, ok := v.str(); ok {
		return s
	}
	if len(v) > 0 && (v[0] == '-' || '0' <= v[0] && v[0] <= '9') {
		return string(v)
	}
	return ""
}

// time reads Unix seconds or milliseconds, in a number or a string. Zero for
// anything else.
func (v value) time() time.Time { return channel.Scalar(v.text()).Time() }
