package gewe

import (
	"encoding/json"
	"errors"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// addMsg is Data of a message in v1.0.
type addMsg struct {
	FromUserName, ToUserName        word
	MsgType, NewMsgId, CreateTime   word
	Content, MsgSource, PushContent word
}

// v1Types are the readers by MsgType.
var v1Types = map[string]reader{
	"1": saidText, "3": saidImage, "34": saidVoice, "42": saidCard, "43": saidVideo, "47": saidEmoji,
	"48": saidLocation, "49": saidApp, "51": ignored, "10000": notice, "10002": notice,
}

// readV1 reads a callback of structure v1.0.
func (in *inbound) readV1(b *body, raw []byte) (*engine.Event, error) {
	in.word = string(b.TypeName)
	switch in.word {
	case "AddMsg":
		return in.addMsg(b.Data, raw)
	case "Offline":
		in.id = digest(raw) + "/" + slot(in.now)
		return in.connection(engine.Offline), nil
	}
	in.id = digest(raw)
	switch in.word {
	case "ModContacts":
		return in.contactChanged(readContact(b.Data))
	case "DelContacts":
		return in.contactDeleted(readContact(b.Data))
	}
	return in.unknown(in.word), nil
}

func (in *inbound) addMsg(data json.RawMessage, raw []byte) (*engine.Event, error) {
	var m addMsg
	if json.Unmarshal(data, &m) != nil {
		return nil, errors.New("AddMsg without Data")
	}
	in.id, in.identity = identify(m.NewMsgId, raw)
	in.from, in.to, in.word = string(m.FromUserName), string(m.ToUserName), string(m.MsgType)
	in.content, in.source, in.push = string(m.Content), string(m.MsgSource), string(m.PushContent)
	in.time = m.CreateTime.time()
	in.mine = in.from == in.self
	in.place()
	if in.from == "" || in.word == "" {
		return nil, errors.New("AddMsg without FromUserName or MsgType")
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	if in.word == "37" {
		return in.friendRequest(), nil
	}
	return in.read(v1Types[in.word]), nil
}

// place finds the group and the speaker. What others say in a group comes from
// the room, with their id before it; what the account itself says, and
// announcements, come from a person to the room, as they are.
func (in *inbound) place() {
	switch {
	case wechat.IsRoom(in.from):
		in.room = in.from
		var speaker string
		speaker, in.content, _ = speakerOf(in.content)
		if !wechat.IsRoom(speaker) { // which stands before the platform's own words
			in.speaker = speaker
			in.mine = speaker != "" && speaker == in.self
		}
	case wechat.IsRoom(in.to):
		in.room, in.speaker = in.to, in.from
	default:
		in.speaker = in.from
	}
}

// read lets the reader make the event, after what is the same for all.
func (in *inbound) read(by reader) *engine.Event {
	switch {
	case in.content == ping, in.isService():
		return nil
	case by == nil:
		return in.unknown(in.word)
	}
	return by(in)
}
