package qiwe

import (
	"cmp"
	"errors"
	"maps"

	"bot/engine"
	"bot/engine/channel"
)

// The params of the calls about rooms are documented nowhere. roomId and
// userIdList are what the platform calls such things elsewhere; a command may
// bring others, or other names, in an object called "params".

// room begins the params of a call about the command's group.
func room(c *engine.Command, method string, m map[string]any) (string, map[string]any, error) {
	m["roomId"] = cmp.Or(channel.Param(c, "room_id", "roomId"), c.Conversation)
	return method, extended(c, m), nil
}

// extended lets the command's own params have the last word.
func extended(c *engine.Command, m map[string]any) map[string]any {
	if own, ok := c.Params["params"].(map[string]any); ok {
		maps.Copy(m, own)
	}
	return m
}

func inRoom(method string) func(*engine.Command, *upload) (string, map[string]any, error) {
	return func(c *engine.Command, _ *upload) (string, map[string]any, error) {
		return room(c, method, map[string]any{})
	}
}

func createGroup(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := map[string]any{"userIdList": channel.Params(c, "members")}
	if name := channel.Param(c, "name"); name != "" {
		m["roomName"] = name
	}
	return "/room/createRoom", extended(c, m), nil
}

func addMember(c *engine.Command, _ *upload) (string, map[string]any, error) {
	members := channel.Params(c, "members", "invited_wxid")
	if len(members) == 0 {
		return "", nil, errors.New("needs the param members")
	}
	return room(c, "/room/inviteRoomMember", map[string]any{"userIdList": members})
}

func removeMember(c *engine.Command, _ *upload) (string, map[string]any, error) {
	return room(c, "/room/removeRoomMember", map[string]any{"userIdList": channel.Params(c, "members")})
}

// acceptGroup follows the link of an invitation.
func acceptGroup(c *engine.Command, _ *upload) (string, map[string]any, error) {
	return "/room/agreeInviteByLink", extended(c, map[string]any{"linkUrl": channel.Param(c, "url")}), nil
}

func renameGroup(c *engine.Command, _ *upload) (string, map[string]any, error) {
	return room(c, "/room/modifyRoomName", map[string]any{"roomName": channel.Param(c, "name")})
}

func setAnnouncement(c *engine.Command, _ *upload) (string, map[string]any, error) {
	return room(c, "/room/modifyRoomNotice", map[string]any{"notice": c.Text})
}

func transferGroup(c *engine.Command, _ *upload) (string, map[string]any, error) {
	return room(c, "/room/changeRoomMaster", map[string]any{"userId": channel.Param(c, "user")})
}
