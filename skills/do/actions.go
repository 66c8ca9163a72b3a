package do

import (
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/kind"
)

// act is an action that an operator may ask for. Where it is done follows from
// engine.Action.Place.
type act struct {
	action engine.Action
	// on is the one event that it answers; "" any.
	on engine.Kind
	// carried says that the event's own Params are what it is done by.
	carried bool
	// members says that without params.members it is done to those whom the event
	// is about.
	members bool
	// needs are params, of which one must be there.
	needs []string
}

// acts are all of them, in the order of engine.Actions. What is sent to people
// is left to `reply`, which knows how to split and where to find its text.
var acts = []act{
	{action: engine.RevokeMessage, carried: true},
	{action: engine.UpdateCard, on: engine.Button, carried: true, needs: []string{"card", "button"}},
	{action: engine.AcceptFriend, on: engine.FriendRequest, carried: true},
	{action: engine.DeleteFriend},
	{action: engine.SetRemark, needs: []string{"remark"}},
	{action: engine.SetLabel, needs: []string{"add", "remove"}},
	{action: engine.CreateGroup, needs: []string{"members"}},
	{action: engine.AddMember, members: true, needs: []string{"members", "invited_wxid"}},
	{action: engine.RemoveMember, members: true, needs: []string{"members"}},
	{action: engine.ApproveMember, on: engine.JoinRequest, carried: true},
	{action: engine.AcceptGroup, on: engine.GroupInvitation, carried: true},
	{action: engine.RenameGroup, needs: []string{"name"}},
	{action: engine.SetAnnouncement, needs: []string{"content"}},
	{action: engine.SetAdmin, needs: []string{"user"}},
	{action: engine.TransferGroup, needs: []string{"user"}},
	{action: engine.LeaveGroup},
	{action: engine.DissolveGroup},
	{action: engine.HandOver, carried: true},
}

// replies are the actions that a part of a reply takes.
var replies = []engine.Action{
	engine.SendText, engine.SendImage, engine.SendFile, engine.SendVoice, engine.SendVideo, engine.SendLink,
}

func find(name string) (act, bool) {
	i := slices.IndexFunc(acts, func(a act) bool { return string(a.action) == name })
	if i < 0 {
		return act{}, false
	}
	return acts[i], true
}

func names() []string {
	var all []string
	for _, a := range acts {
		all = append(all, string(a.action))
	}
	for _, w := range wishes {
		all = append(all, string(w))
	}
	return all
}

// check complains of an action that the skill's event cannot give what it takes.
func (a act) check(d *kind.Draft) {
	on := engine.Kind(d.On)
	given := func(param string) bool { return d.Has(kind.Path("params", param)) }
	switch place := a.action.Place(); {
	case a.on == engine.FriendRequest && on != a.on:
		d.Problem("do", `only a friend request can be accepted (on = "friend_request")`)
	case a.on != "" && on != a.on:
		d.Problem("do", "%s answers %s, not %s (on = %q)", a.action, a.on, on, a.on)
	case place == "room_id" && !given(place) && privately(d):
		d.Problem("do", "%s is done to a group, and there is none here (where = \"group\", or params = {room_id = \"…\"})", a.action)
	case a.action == engine.DeleteFriend && !given(place) && (d.Where == kind.Group || on.InGroup()):
		d.Problem("do", "%s is done to a contact, and a group is none (params = {user = \"{{.User}}\"})", a.action)
	case len(a.needs) > 0 && !slices.ContainsFunc(a.needs, given) && !(a.members && kind.TellsMembers(d.On)):
		d.Problem("do", "%s needs params = {%s = …}", a.action, strings.Join(a.needs, " = …} or {"))
	case a.carried:
		d.Need(a.action, "do")
	default:
		d.NeedWith(a.action, "do", func(param string) bool {
			return given(param) || param == "members" && a.members && kind.TellsMembers(d.On)
		})
	}
}

// privately tells whether the skill's events happen outside of groups only.
func privately(d *kind.Draft) bool { return d.Where == kind.Private || engine.Kind(d.On).OfFriend() }

// misplaced says what is wrong with doing it where the event happened, "" when
// nothing is: a skill that works anywhere meets both.
func (a act) misplaced(e *engine.Event) string {
	switch {
	case a.action.Place() == "room_id" && !e.Group:
		return string(a.action) + " not done: this is no group"
	case a.action == engine.DeleteFriend && e.Group:
		return string(a.action) + " not done: a group is no friend"
	}
	return ""
}

// accepts tells whether the action answers a request.
func (a act) accepts() bool {
	return a.action == engine.AcceptFriend || a.action == engine.AcceptGroup || a.action == engine.ApproveMember
}
