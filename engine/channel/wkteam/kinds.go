package wkteam

import (
	"bot/engine"
	"bot/engine/channel/wechat"
)

// The codes that are treated apart.
const (
	ping    = "00000" // sent when a callback address is registered
	offline = "30000"
)

// reader fills in what a callback of its code says; false: it says nothing to
// anybody and is only acknowledged.
type reader func(n *notice) bool

// readers are the codes of messageType. Those of the vendor's tables that are
// not here, such as calls and todos, are unknown events.
var readers = merge(
	// The same codes exist for private chats (60…) and for rooms (80…).
	both(map[string]reader{
		"001": text,
		"002": media("image"),
		"003": media("video"),
		"004": media("voice"),
		"005": card,
		"006": emoji,
		"007": shared("link"),
		"008": fileStarted,
		"009": media("file"),
		"010": shared("miniapp"),
		"011": shared("chat_record"),
		"014": quote,
		"015": shared("transfer"),
		"016": shared("red_packet"),
		"017": shared("link"), // a channels video: a card with an address
		"018": revoke,
		"019": pat,
		"020": location,
		"021": shared("link"), // music: a card with an address
		"022": invitation,
		"999": other,
	}),
	map[string]reader{
		offline: wentOffline,
		"30001": friendRequest,
		"30002": asyncResult, // a video was downloaded
		"30003": asyncResult, // a moments video was sent

		"65001": contactChanged,
		"65002": contact(engine.FriendLost), // demands verification now: we were deleted
		"65003": contact(engine.FriendLost), // blocked us
		"65004": contact(engine.FriendDeleted),

		"85001": roomChanged,
		"85002": room(engine.BotRemoved),
		"85003": memberRemoved,
		"85004": room(engine.GroupDissolved),
		"85005": renamed,
		"85006": room(engine.GroupChanged), // an administrator more
		"85007": room(engine.GroupChanged), // and one less
		"85008": joined,
		"85009": joined,
		"85010": ownerChanged,
		"85011": announcement,
		"85013": room(engine.GroupChanged), // invitations need consent, or no longer
		"85014": joinRequest,
		"85015": room(engine.BotLeft),

		"90001": ignore, // an official account's article
		"95001": ignore, // an official account was unfollowed
	},
)

func both(m map[string]reader) map[string]reader {
	all := make(map[string]reader, 2*len(m))
	for code, read := range m {
		all["60"+code] = read
		all["80"+code] = inRoom(read)
	}
	return all
}

func merge(a, b map[string]reader) map[string]reader {
	for code, read := range b {
		a[code] = read
	}
	return a
}

// inRoom guards the codes of rooms: without the room an answer would go to the
// speaker in private.
func inRoom(read reader) reader {
	return func(n *notice) bool {
		if !n.event.Group {
			n.event.Conversation = ""
			return unknown(n)
		}
		return read(n)
	}
}

// notice is a callback while it is read.
type notice struct {
	account *account
	typ     string
	data    *data
	doc     *wechat.Node // data.content, where that is XML
	isXML   bool
	latest  string // the instance remembered so far
	event   *engine.Event
}

// place finds out where and by whom. In rooms fromGroup is the room and fromUser
// the speaker; in private the other side is fromUser, or toUser of what the
// account wrote itself. Contact and room notices have a userName instead.
func (n *notice) place() {
	d, e := n.data, n.event
	from := string(d.FromUser)
	e.Self = d.Self == "true" || d.Self == "1" || from == n.account.self
	for _, w := range []word{d.FromGroup, d.FromUser, d.ToUser, d.UserName} {
		if wechat.IsRoom(string(w)) {
			e.Group, e.Conversation = true, string(w)
			break
		}
	}
	if !wechat.IsRoom(from) {
		e.Sender = from
	}
	if e.Self && from == "" {
		e.Sender = n.account.self
	}
	switch {
	case e.Group:
	case e.Self:
		e.Conversation = string(d.ToUser)
	default:
		e.Conversation = from
	}
	if e.Conversation == "" && !e.Group {
		e.Conversation, e.Sender = string(d.UserName), string(d.UserName)
	}
}

// param keeps a value under the name where there is one.
func (n *notice) param(name, value string) {
	if value == "" {
		return
	}
	if n.event.Params == nil {
		n.event.Params = make(map[string]string)
	}
	n.event.Params[name] = value
}

// sentence is content that is meant for people.
func (n *notice) sentence() string {
	if n.isXML {
		return ""
	}
	return string(n.data.Content)
}

func ignore(*notice) bool { return false }

func unknown(n *notice) bool {
	n.event.Kind, n.event.Type = engine.Unknown, n.typ
	return true
}
