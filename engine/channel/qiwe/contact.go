package qiwe

import (
	"cmp"
	"time"

	"bot/engine"
)

// contactNotices are the msgTypes about a contact. 2131 stands for a change of
// any kind, deletion and a new friendship among them.
var contactNotices = map[scalar]engine.Kind{
	"2357": engine.FriendRequest, // full form
	"2132": engine.FriendRequest, // short form
	"2131": engine.ContactChanged,
	"2188": engine.ContactChanged, // of a colleague
	"2313": engine.FriendLost,     // blacklisted
}

// applied is the note that somebody asked to become a friend. An application
// that nobody answers lapses, and so does the note.
func applied(user string) string { return "applied/" + user }

const appliedFor = 7 * 24 * time.Hour

// contact reads a notice about a contact.
//
// The platform has no event for a new friend. The first change of a contact
// who has applied is taken for it, or their first message (befriended); without
// an application a change is a change, or every contact there has ever been
// would be welcomed when first it changes.
// It has no Fact: nothing would end it, since a deletion is such a change, too.
func (a *account) contact(v *event, now time.Time) *engine.Event {
	d := v.data()
	user := d.ContactID.id()
	if user == "" {
		if user = v.SenderID.id(); user == "" || a.is(v, user) {
			return a.unknown(v)
		}
	}
	e := a.base(v)
	e.Kind, e.Identity = contactNotices[v.MsgType], v.identity()
	e.Conversation, e.Sender, e.SenderName = user, user, string(d.ContactNickname)
	switch {
	case e.Kind == engine.FriendRequest:
		p := params{}
		p.set("userId", user)
		p.set("corpId", string(d.CorpID))
		e.Params = p.orNil()
		e.Learned = []engine.Note{{Key: applied(user), Value: "1", Expires: now.Add(appliedFor)}}
	case v.MsgType == "2131":
		e.IfNoted, e.NotedAs = applied(user), engine.FriendAdded
		e.Learned = []engine.Note{{Key: applied(user)}}
	}
	return e
}

// befriended is the new friend that a private message tells of: who has applied
// and writes has become one, whether or not a change was reported. It comes
// before the message and has the message's id, so that a repeat of both is one.
// By its own turn the change may have been handled; then it is a change, too.
func (r *receiver) befriended(a *account, said *engine.Event) *engine.Event {
	if said.Kind != engine.Message || said.Group || said.Self || r.memory.Recall(a.name, applied(said.Sender)) == "" {
		return nil
	}
	return &engine.Event{
		Account: a.name, Kind: engine.ContactChanged, IfNoted: applied(said.Sender), NotedAs: engine.FriendAdded,
		ID: said.ID, Identity: cmp.Or(said.Identity, said.ID) + "/befriended",
		Conversation: said.Conversation, Sender: said.Sender, SenderName: said.SenderName, Time: said.Time,
		Learned: []engine.Note{{Key: applied(said.Sender)}}, Raw: said.Raw,
	}
}
