package gewe

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/channel/wechat"
)

// pending is the key under which a friend request is remembered by its v3, for
// as long as it may be accepted on the phone.
const (
	pending    = "pending/"
	pendingFor = 7 * 24 * time.Hour
	maxKey     = 512 // of engine.Note, in bytes
)

// contact is Data of ModContacts and DelContacts, or the content of v2.0's
// notices, whose form is not published and was seen with the same names in
// lower case.
type contact struct {
	UserName, NickName, Remark word
	EncryptUserName            word // the v3 of the friend request
	BitVal                     word // bit 0: in the address book
}

func readContact(data json.RawMessage) (c contact) {
	json.Unmarshal(data, &c) // what is no contact has no UserName
	return c
}

// contactV2 falls back on the callback's own ids.
func (in *inbound) contactV2() contact {
	c := readContact(json.RawMessage(in.content))
	if c.UserName == "" {
		c.UserName = word(cmp.Or(in.room, in.peer()))
	}
	return c
}

// contactChanged reads the one notice for all that can happen to a contact. It
// does not tell a new one from a changed one. What may be new goes by the
// engine's own table (IfKnown), unless it answers a friend request; what cannot
// be new is a change: somebody outside the address book, or somebody with a
// remark of ours and no trace of a request, whom the table has only not met.
func (in *inbound) contactChanged(c contact) (*engine.Event, error) {
	user := string(c.UserName)
	switch {
	case user == "" || !wechat.IsID(user):
		return nil, errors.New("a contact notice about nobody")
	case user == in.self, wechat.IsService(user):
		return nil, nil
	case wechat.IsRoom(user):
		in.room = user
		e := in.event(engine.GroupCreated)
		e.IfKnown = engine.GroupChanged
		return e, nil
	}
	e := in.about(engine.ContactChanged, user)
	e.SenderName = string(c.NickName)
	e.Params = params("v3", string(c.EncryptUserName))
	bits := string(c.BitVal)
	isFriend := bits != "" && strings.Contains("13579", bits[len(bits)-1:])
	if key := pendingKey(c.EncryptUserName, user); key != "" && (isFriend || bits == "") {
		e.IfNoted, e.NotedAs = key, engine.FriendAdded
		e.Learned = []engine.Note{{Key: key}} // the next notice is a change
	}
	if isFriend && (c.EncryptUserName != "" || c.Remark == "") {
		e.Kind, e.IfKnown = engine.FriendAdded, engine.ContactChanged
	}
	return e, nil
}

// pendingKey is the note that somebody asked to become a friend.
func pendingKey(v3 word, user string) string {
	if v3 == "" || len(pending)+len(v3)+1+len(user) > maxKey {
		return ""
	}
	return pending + string(v3) + "/" + user
}

// contactDeleted is a friend deleted, or a group left, by the account.
func (in *inbound) contactDeleted(c contact) (*engine.Event, error) {
	user := string(c.UserName)
	switch {
	case user == "" || !wechat.IsID(user):
		return nil, errors.New("a contact notice about nobody")
	case wechat.IsRoom(user):
		in.room = user
		return in.event(engine.BotLeft), nil
	}
	return in.about(engine.FriendDeleted, user), nil
}

// about is an event of a contact's own conversation.
func (in *inbound) about(kind engine.Kind, user string) *engine.Event {
	return &engine.Event{
		Kind: kind, ID: in.id, Identity: in.identity, Conversation: user, Sender: user, Time: in.time,
	}
}

// friendRequest reads the request of somebody who wants to be a friend. What
// cannot be read could not be accepted either.
func (in *inbound) friendRequest() *engine.Event {
	asked := wechat.ReadFriendRequest(wechat.Parse(in.content))
	if asked.From == "" {
		return in.unknown(in.word)
	}
	e := in.about(engine.FriendRequest, asked.From)
	e.SenderName, e.Text = asked.Name, asked.Greeting
	e.Params = params("v3", asked.Encrypted, "v4", asked.Ticket, "scene", asked.Scene)
	if key := pendingKey(word(asked.Encrypted), asked.From); key != "" {
		e.Learned = []engine.Note{{Key: key, Value: "1", Expires: in.now.Add(pendingFor)}}
	}
	return e
}

// friendConfirmed is v2.0's word for a new friend, its content a line of text
// or, by its name, the request it answers.
func (in *inbound) friendConfirmed() *engine.Event {
	user := cmp.Or(wechat.ReadFriendRequest(wechat.Parse(in.content)).From, in.peer())
	if user == "" || wechat.IsService(user) {
		return in.unknown(in.word)
	}
	return in.about(engine.FriendAdded, user)
}
