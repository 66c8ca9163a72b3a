package gewe

import (
	"cmp"
	"strings"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// The option of addContacts. (4 refuses a request.)
const (
	optionAdd    = 2
	optionAccept = 3
)

func acceptFriend(c *engine.Command) order { return addContacts(c, optionAccept, "") }

// addFriend asks somebody who was searched for (v3, v4 and scene, which says
// how they were found), or a member of a group (memberWxid, chatroomId).
func addFriend(c *engine.Command) order {
	greeting := channel.Param(c, "content", "greeting")
	if member, room := channel.Param(c, "memberWxid"), channel.Param(c, "chatroomId", "room_id"); member != "" && room != "" {
		return order{path: "/group/addGroupMemberAsFriend", body: fields{
			"chatroomId": room, "memberWxid": member, "content": greeting,
		}}
	}
	if lacks := channel.Lacking(c, []string{"scene", "v3", "v4"}); lacks != "" {
		return order{problem: "add_friend needs scene, v3 and v4, or memberWxid and chatroomId; there is no " + lacks}
	}
	return addContacts(c, optionAdd, greeting)
}

func addContacts(c *engine.Command, option int, greeting string) order {
	scene, ok := number(channel.Param(c, "scene"))
	if !ok {
		return order{problem: "scene is no number"}
	}
	return order{path: "/contacts/addContacts", body: fields{
		"scene": scene, "option": option, "content": greeting,
		"v3": channel.Param(c, "v3"), "v4": channel.Param(c, "v4"),
	}}
}

func deleteFriend(c *engine.Command) order {
	return order{path: "/contacts/deleteFriend", body: fields{"wxid": c.Conversation}}
}

// setRemark sends the value under "remark". Public clients send it under
// "onlyChat", which is a mistake of theirs.
func setRemark(c *engine.Command) order {
	if wechat.IsRoom(c.Conversation) {
		return order{problem: "a group cannot be given a remark here"}
	}
	return order{path: "/contacts/setFriendRemark", body: fields{"wxid": c.Conversation, "remark": channel.Param(c, "remark")}}
}

// createGroup cannot name the group; rename_group can, once it is there.
func createGroup(c *engine.Command) order {
	members := channel.Params(c, "members")
	if len(members) < 2 {
		return order{problem: "a group takes at least two members besides the account"}
	}
	return order{path: "/group/createChatroom", body: fields{"wxids": members}}
}

// room is the group a command is about.
func room(c *engine.Command) string { return cmp.Or(channel.Param(c, "room_id"), c.Conversation) }

// inRoom is a request about a group.
func inRoom(c *engine.Command, path string, f fields) order {
	id := room(c)
	if !wechat.IsRoom(id) {
		return order{problem: "no group is named: room_id or the conversation must end in " + wechat.RoomSuffix}
	}
	f["chatroomId"] = id
	return order{path: path, body: f}
}

func roomOnly(path string) func(c *engine.Command) order {
	return func(c *engine.Command) order { return inRoom(c, path, fields{}) }
}

// addMember sends the ids as one text with commas, as the clones' reference has
// it; one client sends a list.
func addMember(c *engine.Command) order {
	members := channel.Params(c, "members", "invited_wxid")
	if len(members) == 0 {
		return order{problem: "add_member needs the param members"}
	}
	return inRoom(c, "/group/inviteMember", fields{
		"wxids": strings.Join(members, ","), "reason": channel.Param(c, "reason"),
	})
}

func removeMember(c *engine.Command) order {
	return inRoom(c, "/group/removeMember", fields{"wxids": strings.Join(channel.Params(c, "members"), ",")})
}

func approveMember(c *engine.Command) order {
	return inRoom(c, "/group/roomAccessApplyCheckApprove", own(c, []string{"newMsgId", "msgContent"}))
}

func acceptGroup(c *engine.Command) order {
	return order{path: "/group/agreeJoinRoom", body: fields{"url": channel.Param(c, "url")}}
}

func renameGroup(c *engine.Command) order {
	return inRoom(c, "/group/modifyChatroomName", fields{"chatroomName": channel.Param(c, "name")})
}

func setAnnouncement(c *engine.Command) order {
	return inRoom(c, "/group/setChatroomAnnouncement", fields{"content": c.Text})
}
