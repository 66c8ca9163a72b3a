package qiwe

import (
	"errors"
	"strings"

	"bot/engine"
	"bot/engine/channel"
)

// colleague begins the user ids of the members of companies that use WeCom;
// those of people who use WeChat begin with 7881.
const colleague = "1688"

// acceptFriend: the sources differ in what this takes. One that ran sends
// userId and corpId; what the others want is passed on where a command has it.
func acceptFriend(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := map[string]any{"userId": channel.Param(c, "userId")}
	pass(m, c, "corpId", "contactId", "encryptUserName", "ticket")
	return "/contact/agreeContact", m, nil
}

// addFriend asks a member of a room that both are in, or somebody who was a
// friend before.
func addFriend(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := map[string]any{"userId": channel.Param(c, "userId")}
	room := channel.Param(c, "room_id", "roomId")
	if room == "" {
		return "/contact/addDeletedContact", m, nil
	}
	m["roomId"] = room
	if words := channel.Param(c, "verify"); words != "" {
		m["verify"] = words
	}
	pass(m, c, "corpId", "verifyText", "content") // the name of the words is not documented
	return "/contact/addRoomContact", m, nil
}

func setRemark(c *engine.Command, _ *upload) (string, map[string]any, error) {
	m := map[string]any{"userId": c.Conversation, "remark": channel.Param(c, "remark")}
	pass(m, c, "desc", "remarkMobiles", "remarkCorpName")
	if strings.HasPrefix(c.Conversation, colleague) {
		return "/contact/updateWxWorkContact", m, nil
	}
	return "/contact/updateWxContact", m, nil
}

// setLabel: the platform adds and removes by two calls, and a command is one.
func setLabel(c *engine.Command, _ *upload) (string, map[string]any, error) {
	add, remove := channel.Params(c, "add"), channel.Params(c, "remove")
	op, labels := 1, add
	switch {
	case len(add) > 0 && len(remove) > 0:
		return "", nil, errors.New("the params add and remove take two commands")
	case len(remove) > 0:
		op, labels = 2, remove
	case len(add) == 0:
		return "", nil, errors.New("needs the param add or remove")
	}
	one := map[string]any{"userId": c.Conversation, "labelIdList": labels}
	pass(one, c, "labelSuperIdList", "labelOwnerList")
	return "/label/contactEditLabel", map[string]any{"opType": op, "paramList": []any{one}}, nil
}
