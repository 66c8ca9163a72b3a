package gewe

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"bot/engine"
)

// Facts that are told several times under different ids: a new friend by the
// contact notice and by two lines of text, a new group by the contact notice
// and by the invitation.
const (
	friendFact = "friend/"
	groupFact  = "group/"
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
	case user == "" || badID(user):
		return nil, errors.New("a contact notice about nobody")
	case user == in.self, strings.HasPrefix(user, "gh_"), unheard[user]:
		return nil, nil
	case isRoom(user):
		in.room = user
		e := in.event(engine.GroupCreated)
		e.IfKnown, e.Fact = engine.GroupChanged, groupFact+user
		return e, nil
	}
	e := in.about(engine.ContactChanged, user)
	e.SenderName = string(c.NickName)
	bits := string(c.BitVal)
	isFriend := bits != "" && strings.Contains("13579", bits[len(bits)-1:])
	switch {
	case in.answersRequest(c) && (isFriend || bits == ""):
		e.Kind, e.Fact = engine.FriendAdded, friendFact+user
		e.Learned = []engine.Note{{Key: pendingKey(c.EncryptUserName)}} // the next notice is a change
	case isFriend && (c.EncryptUserName != "" || c.Remark == ""):
		e.Kind, e.Fact, e.IfKnown = engine.FriendAdded, friendFact+user, engine.ContactChanged
	}
	return e, nil
}

// answersRequest tells whether the contact asked to become a friend.
func (in *inbound) answersRequest(c contact) bool {
	key := pendingKey(c.EncryptUserName)
	return key != "" && in.memory.Recall(in.account.name, key) == string(c.UserName)
}

func pendingKey(v3 word) string {
	if v3 == "" || len(pending)+len(v3) > maxKey {
		return ""
	}
	return pending + string(v3)
}

// contactDeleted is a friend deleted, or a group left, by the account.
func (in *inbound) contactDeleted(c contact) (*engine.Event, error) {
	user := string(c.UserName)
	switch {
	case user == "" || badID(user):
		return nil, errors.New("a contact notice about nobody")
	case isRoom(user):
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

func (in *inbound) friendAdded(user string) *engine.Event {
	e := in.about(engine.FriendAdded, user)
	e.Fact = friendFact + user
	return e
}

// friendRequest reads the request of somebody who wants to be a friend. What
// cannot be read could not be accepted either.
func (in *inbound) friendRequest() *engine.Event {
	msg := parse(in.content)
	user, v3 := msg.attr("fromusername"), word(msg.attr("encryptusername"))
	if user == "" || badID(user) {
		return in.unknown(in.word)
	}
	e := in.about(engine.FriendRequest, user)
	e.SenderName, e.Text = msg.attr("fromnickname"), msg.attr("content")
	e.Params = params("v3", string(v3), "v4", msg.attr("ticket"), "scene", msg.attr("scene"))
	if key := pendingKey(v3); key != "" {
		e.Learned = []engine.Note{{Key: key, Value: user, Expires: in.now.Add(pendingFor)}}
	}
	return e
}

// friendConfirmed is v2.0's word for a new friend, its content a line of text
// or, by its name, the request it answers.
func (in *inbound) friendConfirmed() *engine.Event {
	user := parse(in.content).attr("fromusername")
	if user == "" {
		user = in.peer()
	}
	if user == "" || badID(user) || unheard[user] {
		return in.unknown(in.word)
	}
	return in.friendAdded(user)
}
