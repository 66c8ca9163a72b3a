package engine

import "slices"

// Action is what a command asks the platform to do. docs/channels.md has a
// table of which platform takes which, and of their parameters.
type Action string

// The actions that skills and the task API know, with the parameters that all
// platforms read alike. A platform may read further ones; what it does not
// know it leaves alone. Ids are strings. The conversation is the command's own.
const (
	// SendText sends Command.Text. Params "at": a list of ids to mention in a
	// group, "all" for everybody; "at_names": their names, for the visible part.
	SendText Action = "send_text"
	// SendImage, SendFile, SendVoice and SendVideo send what stands at "url".
	// "name" is a file's name, "duration" in seconds, "cover_url" a video's picture.
	SendImage Action = "send_image"
	SendFile  Action = "send_file"
	SendVoice Action = "send_voice"
	SendVideo Action = "send_video"
	// SendLink sends a card: "title", "description", "url", "cover_url".
	SendLink     Action = "send_link"
	SendContact  Action = "send_contact"  // a name card: "user", "name"
	SendEmoji    Action = "send_emoji"    // "md5", "size"
	SendMiniapp  Action = "send_miniapp"  // parameters by platform
	SendLocation Action = "send_location" // "title", "address", "latitude", "longitude"
	SendCard     Action = "send_card"     // an interactive card: "card", in the platform's own form
	SendMarkdown Action = "send_markdown" // Command.Text in the platform's Markdown
	Forward      Action = "forward"       // "type" (image, video, file, link) and "content", as received
	// RevokeMessage takes a message back: what the platform said of it when it
	// was sent (Try.Note) is its parameters.
	RevokeMessage Action = "revoke_message"
	UpdateCard    Action = "update_card" // "response_code", and "card" or "button"

	AcceptFriend Action = "accept_friend" // with the Params of the friend request
	AddFriend    Action = "add_friend"    // parameters by platform
	DeleteFriend Action = "delete_friend"
	SetRemark    Action = "set_remark" // "remark", of the conversation's contact or group
	SetLabel     Action = "set_label"  // "add" and "remove": lists of labels

	CreateGroup     Action = "create_group"     // "members", "name"
	AddMember       Action = "add_member"       // "members" (or one "invited_wxid"), "room_id" where the conversation is not the group, "reason"
	RemoveMember    Action = "remove_member"    // "members"
	ApproveMember   Action = "approve_member"   // with the Params of the join request
	AcceptGroup     Action = "accept_group"     // with the Params of the invitation
	RenameGroup     Action = "rename_group"     // "name"
	SetAnnouncement Action = "set_announcement" // Command.Text
	SetAdmin        Action = "set_admin"        // "user", "on"
	TransferGroup   Action = "transfer_group"   // "user"
	LeaveGroup      Action = "leave_group"
	DissolveGroup   Action = "dissolve_group"

	// HandOver gives a customer's session to a person: "user" names one, none
	// leaves it to the platform.
	HandOver Action = "hand_over"
)

// actions are all of them, in the order of the table.
var actions = []Action{
	SendText, SendImage, SendFile, SendVoice, SendVideo, SendLink, SendContact, SendEmoji, SendMiniapp,
	SendLocation, SendCard, SendMarkdown, Forward, RevokeMessage, UpdateCard,
	AcceptFriend, AddFriend, DeleteFriend, SetRemark, SetLabel,
	CreateGroup, AddMember, RemoveMember, ApproveMember, AcceptGroup, RenameGroup, SetAnnouncement,
	SetAdmin, TransferGroup, LeaveGroup, DissolveGroup, HandOver,
}

// Actions returns all actions.
func Actions() []Action { return slices.Clone(actions) }

// actionAlias are names that other systems have for them.
var actionAlias = map[string]Action{"external_group.member.add": AddMember}

// ParseAction reads an action's name, or a name that it also goes by.
func ParseAction(s string) (Action, bool) {
	if a, ok := actionAlias[s]; ok {
		return a, true
	}
	return Action(s), slices.Contains(actions, Action(s))
}

// Place is the param that names the command's conversation where it is given
// from outside: "to" whom a message goes, the "user" or the "room_id" that
// something is done to. "" where an action is about no conversation that is
// known before.
func (a Action) Place() string {
	switch a {
	case AcceptFriend, AddFriend, CreateGroup, AcceptGroup:
		return ""
	case AddMember, RemoveMember, ApproveMember, RenameGroup, SetAnnouncement, SetAdmin, TransferGroup, LeaveGroup, DissolveGroup:
		return "room_id"
	case DeleteFriend, SetRemark, SetLabel:
		return "user"
	}
	return "to"
}

// Speaks tells whether the action says Command.Text.
func (a Action) Speaks() bool { return a == SendText || a == SendMarkdown || a == SetAnnouncement }

// Says tells whether the action says something into a conversation, as people
// count messages: what quotas and reply windows are about.
func (a Action) Says() bool {
	switch a {
	case SendText, SendImage, SendFile, SendVoice, SendVideo, SendLink, SendContact, SendEmoji, SendMiniapp,
		SendLocation, SendCard, SendMarkdown, Forward:
		return true
	}
	return false
}
