package gewestub

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

// method is one call of the interface: what it does, the member that names
// whom, and the members it wants. A sign after a name says what it must be:
// "#" a number, "[]" a list, nothing a text.
type method struct {
	action engine.Action
	to     string
	wants  string
	does   func(p *platform, c *stub.Call, said map[string]any) stub.Answer
}

// methods are the calls by the end of their path.
var methods = map[string]method{
	"message/postText":       {engine.SendText, "toWxid", "content", (*platform).message},
	"message/postImage":      {engine.SendImage, "toWxid", "imgUrl", (*platform).message},
	"message/postFile":       {engine.SendFile, "toWxid", "fileUrl fileName", (*platform).message},
	"message/postVoice":      {engine.SendVoice, "toWxid", "voiceUrl voiceDuration#", (*platform).message},
	"message/postVideo":      {engine.SendVideo, "toWxid", "videoUrl thumbUrl videoDuration#", (*platform).message},
	"message/postLink":       {engine.SendLink, "toWxid", "title desc linkUrl thumbUrl", (*platform).message},
	"message/postNameCard":   {engine.SendContact, "toWxid", "nickName nameCardWxid", (*platform).message},
	"message/postEmoji":      {engine.SendEmoji, "toWxid", "emojiMd5 emojiSize#", (*platform).message},
	"message/postMiniApp":    {engine.SendMiniapp, "toWxid", "miniAppId displayName pagePath coverImgUrl title userName", (*platform).message},
	"message/postAppMsg":     {engine.SendCard, "toWxid", "appmsg", (*platform).message},
	"message/forwardImage":   {engine.Forward, "toWxid", "xml", (*platform).message},
	"message/forwardVideo":   {engine.Forward, "toWxid", "xml", (*platform).message},
	"message/forwardFile":    {engine.Forward, "toWxid", "xml", (*platform).message},
	"message/forwardUrl":     {engine.Forward, "toWxid", "xml", (*platform).message},
	"message/forwardMiniApp": {engine.Forward, "toWxid", "xml coverImgUrl", (*platform).message},
	"message/revokeMsg":      {engine.RevokeMessage, "toWxid", "msgId newMsgId createTime", (*platform).revoke},

	"contacts/addContacts":     {engine.AcceptFriend, "", "scene# option# v3 v4", (*platform).done},
	"contacts/deleteFriend":    {engine.DeleteFriend, "wxid", "", (*platform).done},
	"contacts/setFriendRemark": {engine.SetRemark, "wxid", "remark", (*platform).done},
	"contacts/getBriefInfo":    {"", "", "wxids[]", (*platform).brief},

	"group/createChatroom":              {engine.CreateGroup, "", "wxids[]", (*platform).createRoom},
	"group/inviteMember":                {engine.AddMember, "chatroomId", "wxids", (*platform).done},
	"group/removeMember":                {engine.RemoveMember, "chatroomId", "wxids", (*platform).done},
	"group/roomAccessApplyCheckApprove": {engine.ApproveMember, "chatroomId", "newMsgId msgContent", (*platform).done},
	"group/agreeJoinRoom":               {engine.AcceptGroup, "", "url", (*platform).enterRoom},
	"group/modifyChatroomName":          {engine.RenameGroup, "chatroomId", "chatroomName", (*platform).done},
	"group/setChatroomAnnouncement":     {engine.SetAnnouncement, "chatroomId", "content", (*platform).done},
	"group/quitChatroom":                {engine.LeaveGroup, "chatroomId", "", (*platform).done},
	"group/disbandChatroom":             {engine.DissolveGroup, "chatroomId", "", (*platform).done},
	"group/addGroupMemberAsFriend":      {engine.AddFriend, "", "chatroomId memberWxid", (*platform).done},

	"label/add":              {"", "", "labelName", (*platform).label},
	"label/list":             {"", "", "", (*platform).allLabels},
	"label/modifyMemberList": {engine.SetLabel, "", "labelIds wxIds[]", (*platform).setLabels},

	"login/checkOnline": {"", "", "", (*platform).online},
	"login/setCallback": {"", "", "token callbackUrl", (*platform).setCallback},
	"tools/setCallback": {"", "", "token callbackUrl", (*platform).setCallback},
}

// firstID, of messages and of groups, is beyond what floating point can hold.
const firstID = 7_100_000_000_000_000_001

// revocable is how long a message may be taken back; of more messages than
// maxSent the older ones are forgotten.
const (
	revocable = 2 * time.Minute
	maxSent   = 10_000
)

func (p *platform) done(*stub.Call, map[string]any) stub.Answer { return success(nil) }

// message takes a message. The mentioned must show in a text, or phones show no
// mention.
func (p *platform) message(c *stub.Call, said map[string]any) stub.Answer {
	if ats, _ := said["ats"].(string); ats != "" && strings.Count(c.Text, "@") < len(strings.Split(ats, ",")) {
		return refusal(500, "操作失败", "参数错误: content 缺少 @")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	id, now := firstID+p.messages, p.now()
	p.messages++
	delete(p.sent, strconv.FormatInt(id-maxSent, 10))
	p.sent[strconv.FormatInt(id, 10)] = now
	return success(map[string]any{"toWxid": c.To, "createTime": now.Unix(), "msgId": 0, "newMsgId": id, "type": 1})
}

func (p *platform) revoke(_ *stub.Call, said map[string]any) stub.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	id, _ := said["newMsgId"].(string)
	if at, known := p.sent[id]; !known || p.now().Sub(at) > revocable {
		return refusal(500, "操作失败", "消息已超过可撤回时间")
	}
	delete(p.sent, id)
	return success(nil)
}

func (p *platform) createRoom(_ *stub.Call, said map[string]any) stub.Answer {
	if who, _ := said["wxids"].([]any); len(who) < 2 {
		return refusal(500, "操作失败", "MemberList are wrong")
	}
	return p.enterRoom(nil, nil)
}

func (p *platform) enterRoom(*stub.Call, map[string]any) stub.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.groups++
	return success(map[string]any{"chatroomId": fmt.Sprintf("%d@chatroom", firstID+p.groups)})
}

func (p *platform) brief(_ *stub.Call, said map[string]any) stub.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := []any{}
	who, _ := said["wxids"].([]any)
	for _, one := range who {
		id, _ := one.(string)
		all = append(all, map[string]any{"userName": id, "nickName": id, "labelList": p.has[id]})
	}
	return success(all)
}

// label returns the one of that name, or makes it.
func (p *platform) label(_ *stub.Call, said map[string]any) stub.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	name, _ := said["labelName"].(string)
	for i, known := range p.labels {
		if known == name {
			return success(entry(name, i+1))
		}
	}
	p.labels = append(p.labels, name)
	return success(entry(name, len(p.labels)))
}

func entry(name string, id int) map[string]any {
	return map[string]any{"labelName": name, "labelId": id}
}

func (p *platform) allLabels(*stub.Call, map[string]any) stub.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := []any{}
	for i, name := range p.labels {
		all = append(all, entry(name, i+1))
	}
	return success(map[string]any{"labelList": all})
}

func (p *platform) setLabels(_ *stub.Call, said map[string]any) stub.Answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids, _ := said["labelIds"].(string)
	who, _ := said["wxIds"].([]any)
	for _, one := range who {
		if id, _ := one.(string); id != "" {
			p.has[id] = ids
		}
	}
	return success(nil)
}

func (p *platform) online(*stub.Call, map[string]any) stub.Answer { return success(!p.isOffline()) }

// setCallback tries the address before it takes it. Of a failure it says
// nothing but that it is one.
func (p *platform) setCallback(_ *stub.Call, said map[string]any) stub.Answer {
	target, _ := said["callbackUrl"].(string)
	token, _ := said["token"].(string)
	if p.token != "" && token != p.token || !p.reaches(target) {
		return refusal(500, "", "")
	}
	return success(nil)
}

func (p *platform) reaches(target string) bool {
	r, err := request(target, map[string]any{"testMsg": "验证回调地址是否可用", "token": p.token})
	if err != nil {
		return false
	}
	r.Close = true
	client := http.Client{Timeout: 3 * time.Second} // the vendor's limit
	resp, err := client.Do(r)
	if err != nil {
		return false
	}
	defer resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}
