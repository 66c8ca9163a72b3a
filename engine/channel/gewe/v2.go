package gewe

import (
	"errors"
	"strings"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// v2Type is how one msgType is read: by its content, with a type or a kind to
// fall back on where that says nothing.
type v2Type struct {
	read reader
	typ  string
	kind engine.Kind
}

// v2Types are the msgTypes with a meaning. The vendor counts 39 of them and
// publishes few of their contents; the rest are Unknown.
var v2Types = map[string]v2Type{
	"TEXT": {read: saidText}, "IMAGE": {read: saidImage}, "VOICE": {read: saidVoice}, "VIDEO": {read: saidVideo},
	"EMOJI": {read: saidEmoji}, "LOCATION": {read: saidLocation}, "CARD": {read: saidCard},

	"FILE": {read: saidApp, typ: "file"}, "LINK": {read: saidApp, typ: "link"}, "QUOTE": {read: saidApp, typ: "quote"},
	"MINI_PROGRAM": {read: saidApp, typ: "miniapp"}, "CHAT_RECORD": {read: saidApp, typ: "chat_record"},
	"TRANSFER": {read: saidApp, typ: "transfer"}, "RED_PACKET": {read: saidApp, typ: "red_packet"},
	"FINDER_FEED": {read: saidApp, typ: "link"}, "APP_MSG": {read: saidApp},

	"PAT_MSG": {read: notice}, "REVOKE_MSG": {read: notice}, "SYSTEM": {read: notice}, "GROUP_TODO": {read: notice},
	"REMOVE_FROM_GROUP": {read: notice, kind: engine.BotRemoved},
	"GROUP_NAME_CHANGE": {read: notice, kind: engine.GroupRenamed},
	"GROUP_DISMISS":     {read: notice, kind: engine.GroupDissolved},
	"ANNOUNCEMENT":      {read: notice, kind: engine.GroupAnnouncement},
}

// v2Connection are the msgTypes about the account's own connection, in the
// spellings that were seen. RECONNECT_START and LONG_SERVE_START_SUCCESS are
// left out: neither says whether messages flow.
var v2Connection = map[string]engine.Kind{
	"LOGIN_SUCCESS": engine.Online, "RECONNECT_SUCCESS": engine.Online,
	"LONG_SUCCESS": engine.Online, "LONG_CONNECTED": engine.Online,
	"LOGOUT": engine.Offline, "LOGIN_ERROR": engine.Offline,
	"RECONNECT_FAIL": engine.Offline, "RECONNECT_FAILED": engine.Offline,
	"LONG_FAIL": engine.Offline, "LONG_DISCONNECTED": engine.Offline, "LONG_SERVE_CLOSE": engine.Offline,
}

// readV2 reads a callback of structure v2.0.
func (in *inbound) readV2(b *body, raw []byte) (*engine.Event, error) {
	in.word = string(b.MsgType)
	in.id, in.identity = identify(b.NewMsgID, raw)
	in.from, in.to, in.room = string(b.FromUser), string(b.ToUser), roomV2(b.FromGroup)
	in.content, in.push, in.time = string(b.Content), string(b.PushContent), b.CreateTime.time()
	in.mine = b.IsSelf == "true" || in.from != "" && in.from == in.self
	name := strings.ToUpper(in.word)
	if kind, ok := v2Connection[name]; ok {
		return in.connection(kind), nil
	}
	in.placeV2()
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.room != "" && !wechat.IsRoom(in.room) {
		in.room, in.unplaced = "", true
	}
	switch name {
	case "MOD_CONTACTS":
		return in.contactChanged(in.contactV2())
	case "DEL_CONTACTS":
		return in.contactDeleted(in.contactV2())
	case "FRIEND_VERIFY":
		return in.friendRequest(), nil
	case "FRIEND_CONFIRM":
		return in.friendConfirmed(), nil
	}
	t := v2Types[name]
	if t.read != nil && in.from == "" && in.room == "" {
		return nil, errors.New(clip(in.word) + " without fromUser")
	}
	in.typ, in.kind = t.typ, t.kind
	return in.read(t.read), nil
}

// roomV2 is the group that a fromGroup names; "" where it says that there is
// none.
func roomV2(fromGroup word) string {
	switch fromGroup {
	case "0", "false", "null":
		return ""
	}
	return string(fromGroup)
}

// placeV2 finds the group and the speaker. Two shapes have been seen: fromGroup
// with the real speaker in fromUser, and no fromGroup with the speaker's id
// before the content as well. The latter may have the room in toUser; where it
// has not, nothing names it.
func (in *inbound) placeV2() {
	if in.room == "" {
		for _, side := range []string{in.from, in.to} {
			if wechat.IsRoom(side) {
				in.room = side
			}
		}
	}
	speaker, rest, ok := speakerOf(in.content)
	switch {
	case wechat.IsRoom(in.from):
		if ok {
			in.content = rest
		}
		if !wechat.IsRoom(speaker) {
			in.speaker = speaker
		}
		return
	case ok && speaker == in.from: // people, too, write a line that ends in a colon
		in.content = rest
		in.unplaced = in.room == ""
	}
	in.speaker = in.from
}
