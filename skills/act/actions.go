package act

import (
	"slices"
	"strings"

	"bot/engine"
	"bot/skills/kind"
)

// sort is an action that an operator may ask for. Where it is done follows from
// engine.Action.Place.
type sort struct {
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

// sorts are all of them, in the order of engine.Actions. What is sent to people
// is left to `reply`, which knows how to split and where to find its text.
var sorts = []sort{
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

// names are the actions that an operator may ask for.
func names() []string {
	var all []string
	for _, s := range sorts {
		all = append(all, string(s.action))
	}
	return all
}

func find(name string) (sort, bool) {
	i := slices.IndexFunc(sorts, func(s sort) bool { return string(s.action) == name })
	if i < 0 {
		return sort{}, false
	}
	return sorts[i], true
}

// check complains of an action that the place cannot give what it takes.
func (s sort) check(d *kind.Draft, p Place) {
	at := p.Prefix + "do"
	given := func(param string) bool { return d.Has(p.Prefix + kind.Path("params", param)) }
	members := s.members && kind.TellsMembers(string(p.On))
	switch place := s.action.Place(); {
	case s.on == engine.FriendRequest && p.On != s.on:
		d.Problem(at, `only a friend request can be accepted (on = "friend_request")`)
	case s.on != "" && p.On != s.on:
		d.Problem(at, "%s answers %s, not %s (on = %q)", s.action, s.on, p.On, s.on)
	case place == "room_id" && !given(place) && privately(d):
		d.Problem(at, "%s is done to a group, and there is none here (where = \"group\", or params = {room_id = \"…\"})", s.action)
	case s.action == engine.DeleteFriend && !given(place) && (d.Where == kind.Group || p.On.InGroup()):
		d.Problem(at, "%s is done to a contact, and a group is none (params = {user = \"{{.User}}\"})", s.action)
	case len(s.needs) > 0 && !slices.ContainsFunc(s.needs, given) && !members:
		d.Problem(at, "%s needs params = {%s = …}", s.action, strings.Join(s.needs, " = …} or {"))
	case s.carried:
		d.Need(s.action, at)
	default:
		d.NeedWith(s.action, at, func(param string) bool { return given(param) || param == "members" && members })
	}
}

// privately tells whether the skill's events happen outside of groups only.
func privately(d *kind.Draft) bool { return d.Where == kind.Private || engine.Kind(d.On).OfFriend() }

// misplaced says what is wrong with doing it where the event happened, "" when
// nothing is: a skill that works anywhere meets both.
func (s sort) misplaced(e *engine.Event) string {
	switch {
	case s.action.Place() == "room_id" && !e.Group:
		return string(s.action) + " not done: this is no group"
	case s.action == engine.DeleteFriend && e.Group:
		return string(s.action) + " not done: a group is no friend"
	}
	return ""
}

// accepts tells whether the action answers a request.
func (s sort) accepts() bool {
	return s.action == engine.AcceptFriend || s.action == engine.AcceptGroup || s.action == engine.ApproveMember
}
