package qiwe

import (
	"encoding/json"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// The values of an event's cmd.
const (
	cmdMessage = "15000"
	cmdNotice  = "15500"
	cmdStatus  = "11016"
	cmdResult  = "20000"
)

// event is one of the platform's, undecoded in its msgData, which is another
// for each msgType.
type event struct {
	GUID         scalar          `json:"guid"`
	UserID       scalar          `json:"userId"` // the account's own
	RequestID    scalar          `json:"requestId"`
	Cmd          scalar          `json:"cmd"`
	MsgType      scalar          `json:"msgType"`
	SenderID     scalar          `json:"senderId"`
	SenderName   scalar          `json:"senderName"` // often empty
	ReceiverID   scalar          `json:"receiverId"`
	FromRoomID   scalar          `json:"fromRoomId"`
	IsRoomNotice scalar          `json:"isRoomNotice"`
	MsgServerID  scalar          `json:"msgServerId"`
	UID          scalar          `json:"msgUniqueIdentifier"`
	Seq          scalar          `json:"seq"`
	Timestamp    scalar          `json:"timestamp"`
	MsgData      json.RawMessage `json:"msgData"`

	raw json.RawMessage
}

func parse(raw json.RawMessage) *event {
	v := &event{raw: raw}
	decode(raw, v)
	if len(v.MsgData) > 0 && v.MsgData[0] == '"' { // as the whole data sometimes is
		var inner string
		if decode(v.MsgData, &inner); json.Valid([]byte(inner)) {
			v.MsgData = json.RawMessage(inner)
		}
	}
	if v.GUID == "" { // seen inside, on status events
		var d struct {
			GUID scalar `json:"guid"`
		}
		decode(v.MsgData, &d)
		v.GUID = d.GUID
	}
	if v.Cmd == "" {
		v.Cmd = cmdMessage
	}
	return v
}

// isNotice tells what happened to a group or a contact from what somebody said.
func (v *event) isNotice() bool { return v.Cmd == cmdNotice || v.IsRoomNotice == "1" }

// id is the platform's identity: msgUniqueIdentifier, else the server's id, else
// a hash of the event.
func (v *event) id() string {
	if v.UID != "" {
		return bounded(string(v.UID))
	}
	if id := v.MsgServerID.id(); id != "" {
		return id
	}
	return v.hash()
}

// bounded is an identity that fits: itself, or a hash of one too long.
func bounded(id string) string {
	if len(id) <= maxID {
		return id
	}
	return channel.Digest([]byte(id))
}

// identity tells events apart that are no messages. The msgUniqueIdentifier of such
// an event may be a word that comes again ("contact_change"), so its seq is
// needed too. The cmd is left out: a group's notice may come under two.
func (v *event) identity() string {
	when := first(v.Seq, v.Timestamp)
	if when == "" {
		return ""
	}
	return strings.Join([]string{string(v.MsgType), bounded(when), bounded(string(v.UID))}, "/")
}

// hash is an identity where the platform gives none, without what a second
// delivery may change. Without a timestamp only the request's id tells today's
// log-out from yesterday's.
func (v *event) hash() string {
	without := []string{"base64RawData", "msgData.serverReboot"}
	if v.Timestamp != "" {
		without = append(without, "requestId")
	}
	return channel.Digest(v.raw, without...)
}

// keep is the body to keep with this event: the whole one where it is alone in
// it, its own part where there are several, lest each of a thousand keep all
// thousand. A large one loses the protobuf that only the platform can read.
func (v *event) keep(body []byte, alone bool) []byte {
	if alone && len(body) <= maxWhole {
		return slices.Clone(body)
	}
	return channel.Lean(v.raw, "base64RawData")
}

// maxWhole is up to which size a body is kept with its envelope, in bytes.
const maxWhole = 64 << 10

// base is what all events have. There must be a conversation, and an event that
// names none is one of its own, in which nobody can be answered.
func (a *account) base(v *event) *engine.Event {
	id := v.id()
	return &engine.Event{Account: a.name, ID: id, Conversation: id, Time: v.Timestamp.time()}
}

// unknown is an event that means nothing to skills.
func (a *account) unknown(v *event) *engine.Event {
	e := a.base(v)
	e.Kind, e.Type, e.Identity = engine.Unknown, bounded(string(v.MsgType)), v.identity()
	if e.Type == "" {
		e.Type = "cmd " + bounded(string(v.Cmd))
	}
	a.place(e, v)
	return e
}

// place says where an event happened and by whom: in a group, or in the chat
// with the other side, which is the receiver of what the account itself wrote.
func (a *account) place(e *engine.Event, v *event) {
	e.Sender, e.SenderName = v.SenderID.id(), string(v.SenderName)
	e.Self = e.Sender != "" && a.is(v, e.Sender)
	room, other := v.FromRoomID.id(), e.Sender
	if e.Self {
		other = v.ReceiverID.id()
	}
	switch {
	case room != "":
		e.Group, e.Conversation = true, room
	case v.FromRoomID != "" && v.FromRoomID != "0":
		// Said in a group, and what is said to the speaker alone is no answer.
		e.Group, e.Conversation, e.Mute = true, "unknown-room/"+e.ID, "the callback did not say which group it came from"
	case other != "":
		e.Conversation = other
	}
}

// is tells whether a user id is the account's own.
func (a *account) is(v *event, id string) bool { return id == v.UserID.id() || id == a.self }
