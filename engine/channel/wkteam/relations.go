package wkteam

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// accept answers a friend request; type is where the request came from.
func accept(c *engine.Command) fields {
	return fields{
		"v1": channel.Param(c, "v1"), "v2": channel.Param(c, "v2"), "type": number(channel.Param(c, "scene")),
	}
}

// The ways to a new contact, as the platform numbers them.
const (
	byName  = "3"
	byPhone = "15"
)

// addFriend asks somebody to become a friend: by v1 and v2 (of a name card), by
// a "phone" or WeChat number, which is looked up first, or as "user" of the room
// "room_id".
func addFriend(ctx context.Context, s *sender, c *engine.Command) (order, error) {
	greeting := channel.Param(c, "greeting")
	if greeting == "" {
		greeting = c.Text
	}
	v1, v2, way := channel.Param(c, "v1"), channel.Param(c, "v2"), byName
	phone, user, room := channel.Param(c, "phone"), channel.Param(c, "user"), channel.Param(c, "room_id")
	switch {
	case v1 != "" && v2 != "":
	case phone != "":
		if len(phone) == 11 && digits(phone) {
			way = byPhone
		}
		data, err := s.look(ctx, "/searchUser", fields{"wcId": phone})
		if err != nil {
			return order{}, err
		}
		var found struct{ V1, V2 word }
		if json.Unmarshal(data, &found) != nil || found.V1 == "" {
			return order{}, s.never("nobody is found by that phone or WeChat number")
		}
		v1, v2 = string(found.V1), string(found.V2)
	case user != "" && room != "":
		return order{"/addRoomMemberFriend", fields{"chatRoomId": room, "memberWcId": user, "content": greeting}}, nil
	default:
		return order{}, s.never("add_friend needs v1 and v2, or phone, or user and room_id")
	}
	if t := channel.Param(c, "type"); t != "" {
		way = t
	}
	return order{"/addUser", fields{"v1": v1, "v2": v2, "type": number(way), "verify": greeting}}, nil
}

func peer(c *engine.Command) fields { return fields{"wcId": c.Conversation} }

func setRemark(_ context.Context, _ *sender, c *engine.Command) (order, error) {
	remark := channel.Param(c, "remark")
	if wechat.IsRoom(c.Conversation) {
		return order{"/modifyGroupRemark", fields{"chatRoomId": c.Conversation, "content": remark}}, nil
	}
	return order{"/modifyRemark", fields{"wcId": c.Conversation, "remark": remark}}, nil
}

// setLabel replaces the contact's set of labels by the one that "add" and
// "remove" make of it: the platform has no other way. Labels are named, or given
// by their ids.
func setLabel(ctx context.Context, s *sender, c *engine.Command) (order, error) {
	add, remove := channel.Params(c, "add"), channel.Params(c, "remove")
	if len(add)+len(remove) == 0 {
		return order{}, s.never("set_label needs add or remove")
	}
	ids, err := s.labels(ctx)
	if err != nil {
		return order{}, err
	}
	have, err := s.labelsOf(ctx, c.Conversation)
	if err != nil {
		return order{}, err
	}
	for _, label := range add {
		id := ids[label]
		if id == "" {
			return order{}, s.never("there is no label " + label + "; create it first (addContactLabel)")
		}
		if !slices.Contains(have, id) {
			have = append(have, id)
		}
	}
	for _, label := range remove {
		have = slices.DeleteFunc(have, func(id string) bool { return id == ids[label] })
	}
	return order{"/modifyContactLabel", fields{"wcId": c.Conversation, "labelIdList": strings.Join(have, ",")}}, nil
}

// labels are the account's labels: their ids by name, and by themselves.
func (s *sender) labels(ctx context.Context) (map[string]string, error) {
	data, err := s.look(ctx, "/getContactLabelList", nil)
	if err != nil {
		return nil, err
	}
	var list []struct {
		ID   word `json:"labelId"`
		Name word `json:"labelName"`
	}
	if json.Unmarshal(data, &list) != nil {
		return nil, s.never("/getContactLabelList: data is no list of labels")
	}
	ids := make(map[string]string, 2*len(list))
	for _, l := range list {
		ids[string(l.ID)] = string(l.ID)
	}
	for _, l := range list { // a label may be called like the id of another
		ids[string(l.Name)] = string(l.ID)
	}
	return ids, nil
}

func (s *sender) labelsOf(ctx context.Context, contact string) ([]string, error) {
	data, err := s.look(ctx, "/getContact", fields{"wcId": contact})
	if err != nil {
		return nil, err
	}
	var list []struct {
		UserName  word  `json:"userName"`
		LabelList words `json:"labelList"`
	}
	if json.Unmarshal(data, &list) == nil {
		for _, one := range list {
			if string(one.UserName) == contact {
				return one.LabelList, nil
			}
		}
	}
	return nil, s.never("/getContact does not know " + contact)
}
