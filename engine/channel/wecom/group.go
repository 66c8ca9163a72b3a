package wecom

import (
	"context"
	"fmt"
	"unicode/utf8"

	"bot/engine"
	"bot/engine/channel"
)

// groupPrefix begins the conversation of a group that an app made.
const groupPrefix = "appchat/"

// tellGroup sends to a group of the app. The platform neither gives the message
// an id nor drops a repeat of it.
func (s *appSender) tellGroup(ctx context.Context, c *engine.Command, chat string) error {
	if c.Action == engine.SendCard || c.Action == engine.SendMiniapp {
		return permanent("groups cannot be sent what " + string(c.Action) + " says")
	}
	body, err := s.contents(ctx, c)
	if err != nil {
		return err
	}
	if ids := mentioned(c); c.Action == engine.SendText && len(ids) > 0 {
		body["text"].(object)["mentioned_list"] = ids
	}
	body["chatid"] = chat
	given(body, c, "safe")
	_, err = s.post(ctx, "appchat/send", body, "")
	return err
}

// createGroup makes a group under an id of our own, so that a repeat finds it
// made. Members see it with the first message.
func (s *appSender) createGroup(ctx context.Context, c *engine.Command) (note string, err error) {
	chat, members := short(c.TaskID), channel.Params(c, "members")
	if len(members) < minMembers || len(members) > maxMembers {
		return "", permanent(fmt.Sprintf("a group has %d to %d members", minMembers, maxMembers))
	}
	body := object{"chatid": chat, "userlist": members}
	if err := naming(body, c); err != nil {
		return "", err
	}
	given(body, c, "owner")
	_, err = s.post(ctx, "appchat/create", body, "chatid")
	if err != nil && codeOf(err) != codeGroupMade {
		return "", err
	}
	return channel.Note(map[string]string{"chatid": chat, "conversation": groupPrefix + chat}), nil
}

// changeGroup changes a group that the app made.
func (s *appSender) changeGroup(ctx context.Context, c *engine.Command) (note string, err error) {
	conversation := c.Conversation
	if room := channel.Param(c, "room_id"); room != "" {
		conversation = room
	}
	group := placeOf(conversation)
	if group.kind != toGroup {
		return "", permanent("only groups that the app made (appchat/<chatid>) can be changed")
	}
	body := object{"chatid": group.id}
	switch c.Action {
	case engine.AddMember:
		members := channel.Params(c, "members", "invited_wxid")
		if len(members) == 0 {
			return "", permanent("add_member needs the param members")
		}
		body["add_user_list"] = members
	case engine.RemoveMember:
		body["del_user_list"] = channel.Params(c, "members")
	case engine.TransferGroup:
		body["owner"] = channel.Param(c, "user")
	default:
		if err := naming(body, c); err != nil {
			return "", err
		}
	}
	_, err = s.post(ctx, "appchat/update", body, "")
	return "", err
}

// naming puts a group's new name into the request, if there is one.
func naming(body object, c *engine.Command) error {
	name := channel.Param(c, "name")
	if utf8.RuneCountInString(name) > maxGroupName {
		return permanent(fmt.Sprintf("a group's name has at most %d characters", maxGroupName))
	}
	if name != "" {
		body["name"] = name
	}
	return nil
}
