package stub

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"bot/engine"
)

// geweCall is one call of the interface: what it does, the member that names
// whom, and the members it wants. A sign after a name says what it must be:
// "#" a number, "[]" a list, nothing a text.
type geweCall struct {
	action engine.Action
	to     string
	wants  string
	does   func(g *gewe, c *Call, said map[string]any) Answer
}

// geweCalls are the calls by the end of their path.
var geweCalls = map[string]geweCall{
	"message/postText":       {engine.SendText, "toWxid", "content", (*gewe).message},
	"message/postImage":      {engine.SendImage, "toWxid", "imgUrl", (*gewe).message},
	"message/postFile":       {engine.SendFile, "toWxid", "fileUrl fileName", (*gewe).message},
	"message/postVoice":      {engine.SendVoice, "toWxid", "voiceUrl voiceDuration#", (*gewe).message},
	"message/postVideo":      {engine.SendVideo, "toWxid", "videoUrl thumbUrl videoDuration#", (*gewe).message},
	"message/postLink":       {engine.SendLink, "toWxid", "title desc linkUrl thumbUrl", (*gewe).message},
	"message/postNameCard":   {engine.SendContact, "toWxid", "nickName nameCardWxid", (*gewe).message},
	"message/postEmoji":      {engine.SendEmoji, "toWxid", "emojiMd5 emojiSize#", (*gewe).message},
	"message/postMiniApp":    {engine.SendMiniapp, "toWxid", "miniAppId displayName pagePath coverImgUrl title userName", (*gewe).message},
	"message/postAppMsg":     {engine.SendCard, "toWxid", "appmsg", (*gewe).message},
	"message/forwardImage":   {engine.Forward, "toWxid", "xml", (*gewe).message},
	"message/forwardVideo":   {engine.Forward, "toWxid", "xml", (*gewe).message},
	"message/forwardFile":    {engine.Forward, "toWxid", "xml", (*gewe).message},
	"message/forwardUrl":     {engine.Forward, "toWxid", "xml", (*gewe).message},
	"message/forwardMiniApp": {engine.Forward, "toWxid", "xml coverImgUrl", (*gewe).message},
	"message/revokeMsg":      {engine.RevokeMessage, "toWxid", "msgId newMsgId createTime", (*gewe).revoke},

	"contacts/addContacts":     {engine.AcceptFriend, "", "scene# option# v3 v4", (*gewe).done},
	"contacts/deleteFriend":    {engine.DeleteFriend, "wxid", "", (*gewe).done},
	"contacts/setFriendRemark": {engine.SetRemark, "wxid", "remark", (*gewe).done},
	"contacts/getBriefInfo":    {"", "", "wxids[]", (*gewe).brief},

	"group/createChatroom":              {engine.CreateGroup, "", "wxids[]", (*gewe).createRoom},
	"group/inviteMember":                {engine.AddMember, "chatroomId", "wxids", (*gewe).done},
	"group/removeMember":                {engine.RemoveMember, "chatroomId", "wxids", (*gewe).done},
	"group/roomAccessApplyCheckApprove": {engine.ApproveMember, "chatroomId", "newMsgId msgContent", (*gewe).done},
	"group/agreeJoinRoom":               {engine.AcceptGroup, "", "url", (*gewe).enterRoom},
	"group/modifyChatroomName":          {engine.RenameGroup, "chatroomId", "chatroomName", (*gewe).done},
	"group/setChatroomAnnouncement":     {engine.SetAnnouncement, "chatroomId", "content", (*gewe).done},
	"group/quitChatroom":                {engine.LeaveGroup, "chatroomId", "", (*gewe).done},
	"group/disbandChatroom":             {engine.DissolveGroup, "chatroomId", "", (*gewe).done},
	"group/addGroupMemberAsFriend":      {engine.AddFriend, "", "chatroomId memberWxid", (*gewe).done},

	"label/add":              {"", "", "labelName", (*gewe).label},
	"label/list":             {"", "", "", (*gewe).allLabels},
	"label/modifyMemberList": {engine.SetLabel, "", "labelIds wxIds[]", (*gewe).setLabels},

	"login/checkOnline": {"", "", "", (*gewe).online},
	"login/setCallback": {"", "", "token callbackUrl", (*gewe).setCallback},
	"tools/setCallback": {"", "", "token callbackUrl", (*gewe).setCallback},
}

// next is a fresh id beyond what floating point can hold.
func (g *gewe) next() int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.last++
	return 7_100_000_000_000_000_000 + g.last
}

// geweRevocable is how long a message may be taken back; of more messages than
// geweSentKept the older ones are forgotten.
const (
	geweRevocable = 2 * time.Minute
	geweSentKept  = 10_000
)

func (g *gewe) done(*Call, map[string]any) Answer { return geweSuccess(nil) }

// message takes a message. The mentioned must show in a text, or phones show no
// mention.
func (g *gewe) message(c *Call, said map[string]any) Answer {
	if ats, _ := said["ats"].(string); ats != "" && strings.Count(c.Text, "@") < len(strings.Split(ats, ",")) {
		return geweFailure(500, "操作失败", "参数错误: content 缺少 @")
	}
	id, now := g.next(), g.now()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.sent) > geweSentKept {
		maps.DeleteFunc(g.sent, func(_ string, at time.Time) bool { return now.Sub(at) > geweRevocable })
	}
	g.sent[strconv.FormatInt(id, 10)] = now
	return geweSuccess(map[string]any{"toWxid": c.To, "createTime": now.Unix(), "msgId": 0, "newMsgId": id, "type": 1})
}

func (g *gewe) revoke(_ *Call, said map[string]any) Answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	id, _ := said["newMsgId"].(string)
	if at, known := g.sent[id]; !known || g.now().Sub(at) > geweRevocable {
		return geweFailure(500, "操作失败", "消息已超过可撤回时间")
	}
	delete(g.sent, id)
	return geweSuccess(nil)
}

func (g *gewe) createRoom(_ *Call, said map[string]any) Answer {
	if who, _ := said["wxids"].([]any); len(who) < 2 {
		return geweFailure(500, "操作失败", "MemberList are wrong")
	}
	return g.enterRoom(nil, nil)
}

func (g *gewe) enterRoom(*Call, map[string]any) Answer {
	return geweSuccess(map[string]any{"chatroomId": fmt.Sprintf("%d@chatroom", g.next())})
}

func (g *gewe) brief(_ *Call, said map[string]any) Answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := []any{}
	who, _ := said["wxids"].([]any)
	for _, one := range who {
		id, _ := one.(string)
		all = append(all, map[string]any{"userName": id, "nickName": id, "labelList": g.has[id]})
	}
	return geweSuccess(all)
}

// label returns the one of that name, or makes it.
func (g *gewe) label(_ *Call, said map[string]any) Answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	name, _ := said["labelName"].(string)
	for i, known := range g.labels {
		if known == name {
			return geweSuccess(geweLabel(name, i+1))
		}
	}
	g.labels = append(g.labels, name)
	return geweSuccess(geweLabel(name, len(g.labels)))
}

func geweLabel(name string, id int) map[string]any {
	return map[string]any{"labelName": name, "labelId": id}
}

func (g *gewe) allLabels(*Call, map[string]any) Answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := []any{}
	for i, name := range g.labels {
		all = append(all, geweLabel(name, i+1))
	}
	return geweSuccess(map[string]any{"labelList": all})
}

func (g *gewe) setLabels(_ *Call, said map[string]any) Answer {
	g.mu.Lock()
	defer g.mu.Unlock()
	ids, _ := said["labelIds"].(string)
	who, _ := said["wxIds"].([]any)
	for _, one := range who {
		if id, _ := one.(string); id != "" {
			g.has[id] = ids
		}
	}
	return geweSuccess(nil)
}

func (g *gewe) online(*Call, map[string]any) Answer { return geweSuccess(!g.isOffline()) }

// setCallback tries the address before it takes it. Of a failure it says
// nothing but that it is one.
func (g *gewe) setCallback(_ *Call, said map[string]any) Answer {
	target, _ := said["callbackUrl"].(string)
	token, _ := said["token"].(string)
	if g.token != "" && token != g.token || !g.reaches(target) {
		return geweFailure(500, "", "")
	}
	return geweSuccess(nil)
}

func (g *gewe) reaches(target string) bool {
	r, err := geweRequest(target, map[string]any{"testMsg": "验证回调地址是否可用", "token": g.token})
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
