package wkteam

import (
	"context"
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// action is how a command is carried out. order may make requests that change
// nothing; its error is a *channel.SendError. note reads the answer's data.
type action struct {
	needs []string
	order func(ctx context.Context, s *sender, c *engine.Command) (order, error)
	note  func(data json.RawMessage) string
}

// actions are what this platform has of the engine's. The wId is added to every
// body. It has no way to dissolve a group, to send a location, a Markdown text
// or an interactive card.
var actions = map[engine.Action]action{
	engine.SendText:    {nil, to("/sendText", sayText), sentNote},
	engine.SendImage:   {[]string{"url"}, to("/sendImage2", sayImage), sentNote},
	engine.SendFile:    {[]string{"url"}, to("/sendFile", sayFile), sentNote},
	engine.SendVoice:   {[]string{"url", "duration"}, sendVoice, sentNote},
	engine.SendVideo:   {[]string{"url", "cover_url"}, to("/sendVideo", sayVideo), sentNote},
	engine.SendLink:    {[]string{"title", "url"}, to("/sendUrl", sayLink), sentNote},
	engine.SendContact: {[]string{"user"}, to("/sendNameCard", sayContact), sentNote},
	engine.SendEmoji:   {[]string{"md5", "size"}, to("/sendEmoji", sayEmoji), sentNote},
	engine.SendMiniapp: {[]string{"content"}, to("/sendApplet", sayContent), sentNote},
	engine.Forward:     {[]string{"type", "content"}, forward, sentNote},

	engine.RevokeMessage: {[]string{"msgId", "newMsgId", "createTime"}, to("/revokeMsg", takeBack), nil},

	engine.AcceptFriend: {[]string{"v1", "v2", "scene"}, to("/acceptUser", accept), nil},
	engine.AddFriend:    {nil, addFriend, nil},
	engine.DeleteFriend: {nil, to("/delContact", peer), nil},
	engine.SetRemark:    {[]string{"remark"}, setRemark, nil},
	engine.SetLabel:     {nil, setLabel, nil},

	engine.CreateGroup:     {[]string{"members"}, createGroup, roomNote},
	engine.AddMember:       {nil, addMember, nil},
	engine.RemoveMember:    {[]string{"members"}, to("/deleteChatRoomMember", removal), nil},
	engine.ApproveMember:   {[]string{"newMsgId", "xml"}, to("/agreeAddChatRoomMember", approval), nil},
	engine.AcceptGroup:     {[]string{"url"}, to("/acceptUrl", address), nil},
	engine.RenameGroup:     {[]string{"name"}, to("/modifyGroupName", name), nil},
	engine.SetAnnouncement: {nil, to("/setChatRoomAnnouncement", notify), nil},
	engine.SetAdmin:        {[]string{"user"}, to("/operateChatRoom", admin), nil},
	engine.TransferGroup:   {[]string{"user"}, to("/operateChatRoom", transfer), nil},
	engine.LeaveGroup:      {nil, to("/quitChatRoom", leave), nil},
}

// to makes an order of a path and of what the body is.
func to(path string, body func(c *engine.Command) fields) func(context.Context, *sender, *engine.Command) (order, error) {
	return func(_ context.Context, _ *sender, c *engine.Command) (order, error) {
		return order{path, body(c)}, nil
	}
}

// sayText mentions people twice: in at for their phones and in the text for
// their eyes. The platform does not write the names by itself.
func sayText(c *engine.Command) fields {
	f := fields{"wcId": c.Conversation, "content": c.Text}
	ids, names := channel.Mentions(c)
	if len(ids) == 0 || !wechat.IsRoom(c.Conversation) {
		return f
	}
	var shown strings.Builder
	for i, id := range ids {
		if id == "all" {
			ids[i] = wechat.Everybody
		}
		if _, written := engine.Addressed(c.Text, names[i:i+1]); !written {
			shown.WriteString("@" + names[i] + " ")
		}
	}
	f["content"], f["at"] = shown.String()+c.Text, strings.Join(ids, ",")
	return f
}

func sayImage(c *engine.Command) fields {
	return fields{"wcId": c.Conversation, "content": channel.Param(c, "url")}
}

// sayFile names the file after its address where it has no name of its own.
func sayFile(c *engine.Command) fields {
	url := channel.Param(c, "url")
	name := channel.Param(c, "name")
	if name == "" {
		bare, _, _ := strings.Cut(url, "?")
		name = path.Base(bare)
	}
	return fields{"wcId": c.Conversation, "path": url, "fileName": name}
}

// sendVoice gives the length in milliseconds, as WeChat's own voicelength is.
func sendVoice(_ context.Context, s *sender, c *engine.Command) (order, error) {
	seconds, err := strconv.ParseFloat(channel.Param(c, "duration"), 64)
	if err != nil || !(seconds > 0 && seconds <= 3600) {
		return order{}, s.never("duration is not a number of seconds")
	}
	return order{"/sendVoice", fields{
		"wcId": c.Conversation, "content": channel.Param(c, "url"), "length": int(seconds * 1000),
	}}, nil
}

func sayVideo(c *engine.Command) fields {
	return fields{"wcId": c.Conversation, "path": channel.Param(c, "url"), "thumbPath": channel.Param(c, "cover_url")}
}

func sayLink(c *engine.Command) fields {
	return fields{
		"wcId": c.Conversation, "title": channel.Param(c, "title"), "url": channel.Param(c, "url"),
		"description": channel.Param(c, "description"), "thumbUrl": channel.Param(c, "cover_url"),
	}
}

func sayContact(c *engine.Command) fields {
	return fields{"wcId": c.Conversation, "nameCardId": channel.Param(c, "user")}
}

func sayEmoji(c *engine.Command) fields {
	return fields{"wcId": c.Conversation, "imageMd5": channel.Param(c, "md5"), "imgSize": number(channel.Param(c, "size"))}
}

// sayContent sends XML as it is: a mini-program's appmsg, or a message as received.
func sayContent(c *engine.Command) fields {
	return fields{"wcId": c.Conversation, "content": channel.Param(c, "content")}
}

// forwards are the calls that send on what was received.
var forwards = map[string]string{
	"image": "/sendRecvImage", "video": "/sendRecvVideo", "file": "/sendRecvFile", "link": "/forwardUrl",
}

func forward(_ context.Context, s *sender, c *engine.Command) (order, error) {
	path, ok := forwards[channel.Param(c, "type")]
	if !ok {
		return order{}, s.never("type is none of image, video, file, link")
	}
	return order{path, sayContent(c)}, nil
}

func takeBack(c *engine.Command) fields {
	return fields{
		"wcId": c.Conversation, "msgId": number(channel.Param(c, "msgId")),
		"newMsgId": number(channel.Param(c, "newMsgId")), "createTime": number(channel.Param(c, "createTime")),
	}
}

// number puts an id into JSON without quotes, digit by digit, as the platform
// wants it.
func number(s string) any { return channel.Scalar(s).Number() }
