// Package wkteamstub is the platform of engine/channel/wkteam: a hosted gateway
// to personal WeChat. It has no idempotency keys and does again what it is told
// again.
package wkteamstub

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

// platform is a developer account with one WeChat account, which can be logged
// out and comes back as another instance, by /secondLogin.
type platform struct {
	token  string
	secret string
	owner  string // the developer account
	self   string
	now    func() time.Time

	mu       sync.Mutex
	wID      string                 // of the latest login
	serial   int64                  // of logins, messages and rooms
	reason   string                 // why it is offline; "" = it is not
	requests map[string]application // of friends, by v1
}

// application is a friend request that waits to be accepted.
type application struct{ user, v2 string }

// New is a stub.Maker. Of the account it uses Token, Secret, Self and
// WID; what is missing may be anything, or is made up.
func New(o *stub.Options) (stub.Protocol, error) {
	p := &platform{
		token: o.Account.Token, secret: o.Account.Secret, self: o.Account.Self, now: o.Now,
		owner: cmp.Or(o.Account.Developer, "dev-account-stub"),
		wID:   o.Account.WID, requests: make(map[string]application),
	}
	if p.self == "" {
		p.self = "wxid_stub"
	}
	if p.wID == "" {
		p.login()
	}
	return p, nil
}

// login begins a new instance.
func (p *platform) login() {
	p.serial++
	p.wID, p.reason = fmt.Sprintf("00000000-1111-4222-8333-%012d", p.serial), ""
}

// method is a call of the interface: what it does, the members its body must
// have, and what its answer's data is (nil: null).
type method struct {
	action engine.Action
	needs  []string
	data   func(p *platform, body map[string]any) any
}

// methods are those made in the name of an instance.
var methods = map[string]method{
	"/sendText":      {engine.SendText, []string{"wcId", "content"}, (*platform).sent},
	"/sendImage2":    {engine.SendImage, []string{"wcId", "content"}, (*platform).sent},
	"/sendFile":      {engine.SendFile, []string{"wcId", "path", "fileName"}, (*platform).sent},
	"/sendVoice":     {engine.SendVoice, []string{"wcId", "content", "length"}, (*platform).sent},
	"/sendVideo":     {engine.SendVideo, []string{"wcId", "path", "thumbPath"}, (*platform).sent},
	"/sendUrl":       {engine.SendLink, []string{"wcId", "title", "url"}, (*platform).sent},
	"/sendNameCard":  {engine.SendContact, []string{"wcId", "nameCardId"}, (*platform).sent},
	"/sendEmoji":     {engine.SendEmoji, []string{"wcId", "imageMd5", "imgSize"}, (*platform).sent},
	"/sendApplet":    {engine.SendMiniapp, []string{"wcId", "content"}, (*platform).sent},
	"/sendRecvImage": {engine.Forward, []string{"wcId", "content"}, (*platform).sent},
	"/sendRecvVideo": {engine.Forward, []string{"wcId", "content"}, (*platform).sent},
	"/sendRecvFile":  {engine.Forward, []string{"wcId", "content"}, (*platform).sent},
	"/forwardUrl":    {engine.Forward, []string{"wcId", "content"}, (*platform).sent},
	"/revokeMsg":     {engine.RevokeMessage, []string{"wcId", "msgId", "newMsgId", "createTime"}, nil},

	"/acceptUser":          {engine.AcceptFriend, []string{"v1", "v2", "type"}, nil},
	"/addUser":             {engine.AddFriend, []string{"v1", "v2", "type"}, nil},
	"/addRoomMemberFriend": {engine.AddFriend, []string{"chatRoomId", "memberWcId"}, nil},
	"/delContact":          {engine.DeleteFriend, []string{"wcId"}, nil},
	"/modifyRemark":        {engine.SetRemark, []string{"wcId", "remark"}, nil},
	"/modifyGroupRemark":   {engine.SetRemark, []string{"chatRoomId", "content"}, nil},
	"/modifyContactLabel":  {engine.SetLabel, []string{"wcId"}, nil},

	"/createChatroom":          {engine.CreateGroup, []string{"userList"}, (*platform).room},
	"/addChatRoomMember":       {engine.AddMember, []string{"chatRoomId", "userList"}, nil},
	"/inviteChatRoomMember":    {engine.AddMember, []string{"chatRoomId", "userList"}, nil},
	"/addChatRoomMemberVerify": {engine.AddMember, []string{"chatRoomId", "userList", "reason"}, nil},
	"/deleteChatRoomMember":    {engine.RemoveMember, []string{"chatRoomId", "userList"}, nil},
	"/agreeAddChatRoomMember":  {engine.ApproveMember, []string{"chatRoomId", "newMsgId", "xml"}, nil},
	"/acceptUrl":               {engine.AcceptGroup, []string{"url"}, nil},
	"/modifyGroupName":         {engine.RenameGroup, []string{"chatRoomId", "content"}, nil},
	"/setChatRoomAnnouncement": {engine.SetAnnouncement, []string{"chatRoomId", "content"}, nil},
	"/operateChatRoom":         {engine.SetAdmin, []string{"chatRoomId", "wcId", "type"}, nil},
	"/quitChatRoom":            {engine.LeaveGroup, []string{"chatRoomId"}, nil},

	"/isOnline":            {},
	"/searchUser":          {"", []string{"wcId"}, (*platform).found},
	"/getContact":          {"", []string{"wcId"}, (*platform).contacts},
	"/getContactLabelList": {"", nil, func(*platform, map[string]any) any { return []any{} }},
}

func (p *platform) Read(c *stub.Call) {
	body := c.JSON()
	c.Authorized = stub.Good(c.Header.Get("Authorization"), p.token)
	call := methods[c.Path]
	c.Action = call.action
	if c.Path == "/operateChatRoom" && fmt.Sprint(body["type"]) == "3" {
		c.Action = engine.TransferGroup
	}
	c.To, _ = body["chatRoomId"].(string)
	if c.To == "" {
		c.To, _ = body["wcId"].(string)
	}
	c.Text, _ = body["content"].(string)
	if v1, _ := body["v1"].(string); c.Action == engine.AcceptFriend {
		p.mu.Lock()
		defer p.mu.Unlock()
		c.To = p.requests[v1].user
	}
}

// Answer refuses as the platform does, with HTTP 200 and the code 1001.
func (p *platform) Answer(c *stub.Call) stub.Answer {
	body := c.JSON()
	switch {
	case c.Method != http.MethodPost:
		return stub.Answer{Status: http.StatusMethodNotAllowed, Body: envelope("1001", "请求方式错误", nil), Refused: true}
	case body == nil:
		return refusal("参数错误")
	case p.token != "" && !c.Authorized:
		return refusal("token无效")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if a, ok := p.ofDeveloper(c.Path, body); ok {
		return a
	}
	call, ok := methods[c.Path]
	if !ok {
		return stub.Answer{Status: http.StatusNotFound, Body: `{"status":404,"error":"Not Found"}`, Refused: true}
	}
	if why := p.declines(c.Path, call, body); why != "" {
		return refusal(why)
	}
	if c.Action == engine.AcceptFriend {
		delete(p.requests, body["v1"].(string))
	}
	var data any
	if call.data != nil {
		data = call.data(p, body)
	}
	return done(data)
}

// declines says what is wrong with a call, "" for nothing.
func (p *platform) declines(path string, call method, body map[string]any) string {
	switch wID, _ := body["wId"].(string); {
	case wID == "":
		return "参数错误：wId不能为空"
	case wID != p.wID:
		return "实例不存在"
	case p.reason != "":
		return "当前实例已离线"
	}
	for _, name := range call.needs {
		if body[name] == nil || body[name] == "" {
			return "参数错误：" + name
		}
	}
	if path == "/acceptUser" {
		if r, ok := p.requests[fmt.Sprint(body["v1"])]; !ok || r.v2 != body["v2"] {
			return "参数错误：v1或v2"
		}
	}
	return ""
}

// ofDeveloper answers the calls that name no instance.
func (p *platform) ofDeveloper(path string, body map[string]any) (stub.Answer, bool) {
	switch path {
	case "/queryLoginWx":
		logins := []map[string]string{}
		if p.reason == "" {
			logins = append(logins, map[string]string{"wcId": p.self, "wId": p.wID})
		}
		return done(logins), true
	case "/offlineReason":
		var reason any
		if p.reason != "" {
			reason = p.reason
		}
		return done(map[string]any{"wcId": body["wcId"], "reason": reason}), true
	case "/secondLogin":
		p.login()
		return done(map[string]string{"wcId": p.self, "wId": p.wID}), true
	case "/member/offline":
		if wcIDs, _ := body["wcIds"].([]any); slices.Contains(wcIDs, any(p.self)) {
			p.reason = "主动下线"
		}
		return done(nil), true
	case "/setHttpCallbackUrl":
		if url, _ := body["httpUrl"].(string); !strings.HasPrefix(url, "http") || fmt.Sprint(body["type"]) != "2" {
			return refusal("参数错误"), true
		}
		return done(nil), true
	case "/cancelHttpCallbackUrl":
		return done(nil), true
	}
	return stub.Answer{}, false
}

// sent is what the platform says of a message it sent.
func (p *platform) sent(body map[string]any) any {
	p.serial++
	return map[string]any{
		"type": 1, "msgId": 800_000_000 + p.serial, "newMsgId": 8_200_000_000_000_000_000 + p.serial,
		"createTime": p.now().Unix(), "wcId": body["wcId"],
	}
}

func (p *platform) room(map[string]any) any {
	p.serial++
	return map[string]string{"chatRoomId": fmt.Sprintf("%d@chatroom", 10_000_000_000+p.serial)}
}

func (p *platform) found(body map[string]any) any {
	return map[string]any{"v1": fmt.Sprintf("v3_%v@stranger", body["wcId"]), "v2": fmt.Sprintf("v4_%v@stranger", body["wcId"])}
}

func (p *platform) contacts(body map[string]any) any {
	list := []map[string]string{}
	for id := range strings.SplitSeq(fmt.Sprint(body["wcId"]), ",") {
		list = append(list, map[string]string{"userName": id, "nickName": id, "remark": "", "labelList": ""})
	}
	return list
}

func (p *platform) Throttled(time.Duration) stub.Answer {
	return refusal("操作过于频繁，请稍后再试")
}

func (p *platform) Failed() stub.Answer {
	return stub.Answer{Status: http.StatusInternalServerError, Body: envelope("1001", "系统异常", nil)}
}

func (p *platform) Accepted(status int, _ []byte) bool { return status == http.StatusOK }

func done(data any) stub.Answer {
	return stub.Answer{Status: http.StatusOK, Body: envelope("1000", "处理成功", data)}
}

func refusal(why string) stub.Answer {
	return stub.Answer{Status: http.StatusOK, Body: envelope("1001", why, nil), Refused: true}
}

func envelope(code, message string, data any) string {
	b, _ := json.Marshal(struct { // strings, numbers and lists of them encode
		Code    string `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data"`
	}{code, message, data})
	return string(b)
}
