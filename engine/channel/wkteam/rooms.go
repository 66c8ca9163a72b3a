package wkteam

import (
	"context"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// The kinds of /operateChatRoom.
const (
	makeAdmin   = 1
	unmakeAdmin = 2
	makeOwner   = 3
)

// roomOf is the room a command is about: the conversation, unless it is named.
func roomOf(c *engine.Command) string {
	if id := channel.Param(c, "room_id"); id != "" {
		return id
	}
	return c.Conversation
}

func createGroup(_ context.Context, s *sender, c *engine.Command) (order, error) {
	members := channel.Params(c, "members")
	if len(members) < 2 {
		return order{}, s.never("create_group needs two members at least, besides the account itself")
	}
	f := fields{"userList": strings.Join(members, ",")}
	if topic := channel.Param(c, "name"); topic != "" {
		f["topic"] = topic
	}
	return order{"/createChatroom", f}, nil
}

// addMember takes people in at once, which rooms up to 40 members allow. With
// "invite" they get a card to accept, as larger rooms want it; with "reason" the
// room's owner is asked, where that is switched on.
func addMember(_ context.Context, s *sender, c *engine.Command) (order, error) {
	members := channel.Params(c, "members", "invited_wxid")
	if len(members) == 0 {
		return order{}, s.never("add_member needs members or invited_wxid")
	}
	f := fields{"chatRoomId": roomOf(c), "userList": strings.Join(members, ",")}
	if reason := channel.Param(c, "reason"); reason != "" {
		f["reason"] = reason
		return order{"/addChatRoomMemberVerify", f}, nil
	}
	if channel.Param(c, "invite") == "true" {
		return order{"/inviteChatRoomMember", f}, nil
	}
	return order{"/addChatRoomMember", f}, nil
}

func removal(c *engine.Command) fields {
	return fields{"chatRoomId": roomOf(c), "userList": strings.Join(channel.Params(c, "members"), ",")}
}

func approval(c *engine.Command) fields {
	return fields{"chatRoomId": roomOf(c), "newMsgId": number(channel.Param(c, "newMsgId")), "xml": channel.Param(c, "xml")}
}

func address(c *engine.Command) fields { return fields{"url": channel.Param(c, "url")} }

func name(c *engine.Command) fields {
	return fields{"chatRoomId": roomOf(c), "content": channel.Param(c, "name")}
}

func notify(c *engine.Command) fields {
	return fields{"chatRoomId": roomOf(c), "content": c.Text}
}

// admin makes "user" an administrator, or with "on" = false no longer one.
func admin(c *engine.Command) fields {
	kind := makeAdmin
	if channel.Param(c, "on") == "false" {
		kind = unmakeAdmin
	}
	return operate(c, kind)
}

func transfer(c *engine.Command) fields { return operate(c, makeOwner) }

func operate(c *engine.Command, kind int) fields {
	return fields{"chatRoomId": roomOf(c), "wcId": channel.Param(c, "user"), "type": kind}
}

func leave(c *engine.Command) fields { return fields{"chatRoomId": roomOf(c)} }
