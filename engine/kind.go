package engine

import "slices"

// Kind says what happened. Adapters translate their platform's names into
// these; a skill's `on` names one of them. docs/channels.md has a table of
// which platform tells what.
type Kind string

// The kinds of event that skills can answer.
const (
	Message Kind = "message"

	// FriendRequest asks to become a friend; Params hold what accepting takes.
	FriendRequest Kind = "friend_request"
	FriendAdded   Kind = "friend_added"
	// FriendDeleted: they are no friend any more, by our own hand.
	FriendDeleted Kind = "friend_deleted"
	// FriendLost: they removed or blocked us.
	FriendLost     Kind = "friend_lost"
	ContactChanged Kind = "contact_changed" // a name, a remark, a picture

	// GroupCreated: a group the account had not been in: somebody made it, or
	// took the account into it. The account is among Members or they are empty.
	GroupCreated      Kind = "group_created"
	GroupChanged      Kind = "group_changed" // something about it, not told what
	GroupRenamed      Kind = "group_renamed" // Text is the new name, if told
	GroupOwnerChanged Kind = "group_owner_changed"
	GroupAnnouncement Kind = "group_announcement" // Text is what it says
	GroupDissolved    Kind = "group_dissolved"
	MemberJoined      Kind = "group_member_joined"
	MemberLeft        Kind = "group_member_left"    // of their own will
	MemberRemoved     Kind = "group_member_removed" // by Actor
	// JoinRequest: Members want to come in, and somebody must allow it.
	JoinRequest Kind = "group_join_request"
	// GroupInvitation asks the account itself into a group; Params hold what
	// accepting takes.
	GroupInvitation Kind = "group_invite_card"
	BotRemoved      Kind = "group_bot_removed"
	BotLeft         Kind = "group_bot_left"

	EnterChat Kind = "enter_chat" // somebody opened the chat with the bot
	Button    Kind = "button"     // pressed on a card or a menu; Text is its key
	Feedback  Kind = "feedback"   // on an answer of ours; Text is what they say of it
	Revoke    Kind = "revoke"     // a message was withdrawn: Params["revoked"] is its id
	Pat       Kind = "pat"

	// Offline and Online are the account's own connection. They hold and
	// release its commands before any skill sees them.
	Offline Kind = "offline"
	Online  Kind = "online"

	// FileStarted announces a file that cannot be had yet; a message follows.
	FileStarted Kind = "file_started"
	// AsyncResult is the outcome of a call that the platform answers later.
	AsyncResult Kind = "async_result"

	// Scheduled is raised in a conversation by a [[schedule]] that says so; Text is
	// what the schedule says.
	Scheduled Kind = "scheduled"
)

// The kinds that skills do not ask for.
const (
	// Expired is raised by the engine itself when the time limit of a
	// conversation's state passes and the state asked to be told (State.Notify).
	Expired Kind = "expired"
	// Released gives a conversation back to the bot that people had taken over.
	Released Kind = "released"
	// Due begins a run of the schedule that Receiver names. Its conversation is
	// the schedule's own, and Time when it was due.
	Due Kind = "due"
	// Confirmed is what a platform says later of a command of ours that it had only
	// accepted: whether it was carried out. Params hold ConfirmKey, by which it
	// speaks of the command, ConfirmOutcome and, in its own words, ConfirmNote.
	Confirmed Kind = "confirmed"
	// Unknown is an event the adapter understood as well-formed but that has
	// no meaning to skills. It is logged like any other and answered by none.
	Unknown Kind = "unknown"
)

// The params of a Confirmed event, and the values of ConfirmOutcome.
const (
	ConfirmKey     = "key"
	ConfirmOutcome = "outcome"
	ConfirmNote    = "note"

	ConfirmOK     = "ok"
	ConfirmFailed = "failed"
)

// kinds are those that skills can answer, in the order of the table.
var kinds = []Kind{
	Message, FriendRequest, FriendAdded, FriendDeleted, FriendLost, ContactChanged,
	GroupCreated, GroupChanged, GroupRenamed, GroupOwnerChanged, GroupAnnouncement, GroupDissolved,
	MemberJoined, MemberLeft, MemberRemoved, JoinRequest, GroupInvitation, BotRemoved, BotLeft,
	EnterChat, Button, Feedback, Revoke, Pat, Offline, Online, FileStarted, AsyncResult, Scheduled,
}

// Kinds returns the kinds that skills can answer.
func Kinds() []Kind { return slices.Clone(kinds) }

// alias are shorter names that `on` takes too.
var alias = map[Kind]Kind{"member_joined": MemberJoined, "member_left": MemberLeft, "member_removed": MemberRemoved}

// ParseKind reads a kind that skills can answer.
func ParseKind(s string) (Kind, bool) {
	k := Kind(s)
	if full, ok := alias[k]; ok {
		k = full
	}
	return k, slices.Contains(kinds, k)
}

// KindNames are all names that ParseKind reads, the shorter ones among them: for a
// slip, of which the nearest name is wanted.
func KindNames() []string {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
		for short, full := range alias {
			if full == k {
				names = append(names, string(short))
			}
		}
	}
	return names
}

// InGroup tells whether the kind happens in groups only.
func (k Kind) InGroup() bool {
	switch k {
	case GroupCreated, GroupChanged, GroupRenamed, GroupOwnerChanged, GroupAnnouncement, GroupDissolved,
		MemberJoined, MemberLeft, MemberRemoved, JoinRequest, BotRemoved, BotLeft:
		return true
	}
	return false
}

// OfFriend tells whether the kind is about a contact and never about a group.
func (k Kind) OfFriend() bool {
	switch k {
	case FriendRequest, FriendAdded, FriendDeleted, FriendLost, ContactChanged:
		return true
	}
	return false
}

// OfAccount tells whether the kind is about the account itself or about its own
// calls: the engine has to see it whoever else is refused.
func (k Kind) OfAccount() bool {
	return k == Offline || k == Online || k == AsyncResult || k == Confirmed
}

// Begins tells whether the kind is the beginning of something that can only
// begin once (Event.Fact), until a kind that Parts ends it.
func (k Kind) Begins() bool { return k == FriendAdded || k == GroupCreated }

// Meets tells whether the conversation of an event of this kind is known
// afterwards (Event.IfKnown), and Parts whether it no longer is.
func (k Kind) Meets() bool {
	switch k {
	case Message, FriendAdded, ContactChanged, GroupCreated, GroupChanged:
		return true
	}
	return false
}

// Parts is the opposite of Meets; some kinds are neither.
func (k Kind) Parts() bool {
	switch k {
	case FriendDeleted, FriendLost, BotRemoved, BotLeft, GroupDissolved:
		return true
	}
	return false
}
