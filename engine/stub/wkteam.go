package stub

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"bot/engine"
)

// wkteam is a hosted gateway to personal WeChat (engine/channel/wkteam): a
// developer account with one WeChat account, which can be logged out and comes
// back as another instance, by /secondLogin.
type wkteam struct {
	token  string
	secret string
	self   string
	now    func() time.Time

	mu       sync.Mutex
	wID      string                   // of the latest login
	serial   int64                    // of logins, messages and rooms
	reason   string                   // why it is offline; "" = it is not
	requests map[string]wkteamRequest // of friends, by v1
}

// wkteamRequest is a friend request that waits to be accepted.
type wkteamRequest struct{ user, v2 string }

func newWkteam(o *Options) (protocol, error) {
	w := &wkteam{
		token: o.Account.Token, secret: o.Account.Secret, self: o.Account.Self, now: o.Now,
		wID: o.Account.WID, requests: make(map[string]wkteamRequest),
	}
	if w.self == "" {
		w.self = "wxid_stub"
	}
	if w.wID == "" {
		w.login()
	}
	return w, nil
}

// login begins a new instance.
func (w *wkteam) login() {
	w.serial++
	w.wID, w.reason = fmt.Sprintf("00000000-1111-4222-8333-%012d", w.serial), ""
}

// wkteamCall is a call of the interface: what it does, the members its body must
// have, and what its answer's data is (nil: null).
type wkteamCall struct {
	action engine.Action
	needs  []string
	data   func(w *wkteam, body map[string]any) any
}

// wkteamCalls are those made in the name of an instance.
var wkteamCalls = map[string]wkteamCall{
	"/sendText":      {engine.SendText, []string{"wcId", "content"}, (*wkteam).sent},
	"/sendImage2":    {engine.SendImage, []string{"wcId", "content"}, (*wkteam).sent},
	"/sendFile":      {engine.SendFile, []string{"wcId", "path", "fileName"}, (*wkteam).sent},
	"/sendVoice":     {engine.SendVoice, []string{"wcId", "content", "length"}, (*wkteam).sent},
	"/sendVideo":     {engine.SendVideo, []string{"wcId", "path", "thumbPath"}, (*wkteam).sent},
	"/sendUrl":       {engine.SendLink, []string{"wcId", "title", "url"}, (*wkteam).sent},
	"/sendNameCard":  {engine.SendContact, []string{"wcId", "nameCardId"}, (*wkteam).sent},
	"/sendEmoji":     {engine.SendEmoji, []string{"wcId", "imageMd5", "imgSize"}, (*wkteam).sent},
	"/sendApplet":    {engine.SendMiniapp, []string{"wcId", "content"}, (*wkteam).sent},
	"/sendRecvImage": {engine.Forward, []string{"wcId", "content"}, (*wkteam).sent},
	"/sendRecvVideo": {engine.Forward, []string{"wcId", "content"}, (*wkteam).sent},
	"/sendRecvFile":  {engine.Forward, []string{"wcId", "content"}, (*wkteam).sent},
	"/forwardUrl":    {engine.Forward, []string{"wcId", "content"}, (*wkteam).sent},
	"/revokeMsg":     {engine.RevokeMessage, []string{"wcId", "msgId", "newMsgId", "createTime"}, nil},

	"/acceptUser":          {engine.AcceptFriend, []string{"v1", "v2", "type"}, nil},
	"/addUser":             {engine.AddFriend, []string{"v1", "v2", "type"}, nil},
	"/addRoomMemberFriend": {engine.AddFriend, []string{"chatRoomId", "memberWcId"}, nil},
	"/delContact":          {engine.DeleteFriend, []string{"wcId"}, nil},
	"/modifyRemark":        {engine.SetRemark, []string{"wcId", "remark"}, nil},
	"/modifyGroupRemark":   {engine.SetRemark, []string{"chatRoomId", "content"}, nil},
	"/modifyContactLabel":  {engine.SetLabel, []string{"wcId"}, nil},

	"/createChatroom":          {engine.CreateGroup, []string{"userList"}, (*wkteam).room},
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
	"/searchUser":          {"", []string{"wcId"}, (*wkteam).found},
	"/getContact":          {"", []string{"wcId"}, (*wkteam).contacts},
	"/getContactLabelList": {"", nil, func(*wkteam, map[string]any) any { return []any{} }},
}

func (w *wkteam) read(c *Call) {
	body := c.JSON()
	call := wkteamCalls[c.Path]
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
		w.mu.Lock()
		defer w.mu.Unlock()
		c.To = w.requests[v1].user
	}
}

// answer refuses as the platform does, with HTTP 200 and the code 1001. What it
// refuses has had no effect, so that it is no action in the ledger.
func (w *wkteam) answer(c *Call) Answer {
	body := c.JSON()
	switch {
	case c.Method != http.MethodPost:
		c.Action = ""
		return Answer{Status: http.StatusMethodNotAllowed, Body: wkteamEnvelope("1001", "请求方式错误", nil)}
	case body == nil:
		c.Action = ""
		return wkteamRefusal("参数错误")
	case w.token != "" && c.Header.Get("Authorization") != w.token:
		c.Action = ""
		return wkteamRefusal("token无效")
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.ofDeveloper(c.Path, body); ok {
		return a
	}
	call, ok := wkteamCalls[c.Path]
	if !ok {
		return Answer{Status: http.StatusNotFound, Body: `{"status":404,"error":"Not Found"}`}
	}
	if why := w.declines(c.Path, call, body); why != "" {
		c.Action = ""
		return wkteamRefusal(why)
	}
	if c.Action == engine.AcceptFriend {
		delete(w.requests, body["v1"].(string))
	}
	var data any
	if call.data != nil {
		data = call.data(w, body)
	}
	return wkteamDone(data)
}

// declines says what is wrong with a call, "" for nothing.
func (w *wkteam) declines(path string, call wkteamCall, body map[string]any) string {
	switch wID, _ := body["wId"].(string); {
	case wID == "":
		return "参数错误：wId不能为空"
	case wID != w.wID:
		return "实例不存在"
	case w.reason != "":
		return "当前实例已离线"
	}
	for _, name := range call.needs {
		if body[name] == nil || body[name] == "" {
			return "参数错误：" + name
		}
	}
	if path == "/acceptUser" {
		if r, ok := w.requests[fmt.Sprint(body["v1"])]; !ok || r.v2 != body["v2"] {
			return "参数错误：v1或v2"
		}
	}
	return ""
}

// ofDeveloper answers the calls that name no instance.
func (w *wkteam) ofDeveloper(path string, body map[string]any) (Answer, bool) {
	switch path {
	case "/queryLoginWx":
		logins := []map[string]string{}
		if w.reason == "" {
			logins = append(logins, map[string]string{"wcId": w.self, "wId": w.wID})
		}
		return wkteamDone(logins), true
	case "/offlineReason":
		var reason any
		if w.reason != "" {
			reason = w.reason
		}
		return wkteamDone(map[string]any{"wcId": body["wcId"], "reason": reason}), true
	case "/secondLogin":
		w.login()
		return wkteamDone(map[string]string{"wcId": w.self, "wId": w.wID}), true
	case "/member/offline":
		if wcIDs, _ := body["wcIds"].([]any); slices.Contains(wcIDs, any(w.self)) {
			w.reason = "主动下线"
		}
		return wkteamDone(nil), true
	case "/setHttpCallbackUrl":
		if url, _ := body["httpUrl"].(string); !strings.HasPrefix(url, "http") || fmt.Sprint(body["type"]) != "2" {
			return wkteamRefusal("参数错误"), true
		}
		return wkteamDone(nil), true
	case "/cancelHttpCallbackUrl":
		return wkteamDone(nil), true
	}
	return Answer{}, false
}

// sent is what the platform says of a message it sent.
func (w *wkteam) sent(body map[string]any) any {
	w.serial++
	return map[string]any{
		"type": 1, "msgId": 800_000_000 + w.serial, "newMsgId": 8_200_000_000_000_000_000 + w.serial,
		"createTime": w.now().Unix(), "wcId": body["wcId"],
	}
}

func (w *wkteam) room(map[string]any) any {
	w.serial++
	return map[string]string{"chatRoomId": fmt.Sprintf("%d@chatroom", 10_000_000_000+w.serial)}
}

func (w *wkteam) found(body map[string]any) any {
	return map[string]any{"v1": fmt.Sprintf("v3_%v@stranger", body["wcId"]), "v2": fmt.Sprintf("v4_%v@stranger", body["wcId"])}
}

func (w *wkteam) contacts(body map[string]any) any {
	list := []map[string]string{}
	for id := range strings.SplitSeq(fmt.Sprint(body["wcId"]), ",") {
		list = append(list, map[string]string{"userName": id, "nickName": id, "remark": "", "labelList": ""})
	}
	return list
}

func (w *wkteam) throttled(time.Duration) Answer {
	return wkteamRefusal("操作过于频繁，请稍后再试")
}

func (w *wkteam) failed() Answer {
	return Answer{Status: http.StatusInternalServerError, Body: wkteamEnvelope("1001", "系统异常", nil)}
}

func (w *wkteam) accepted(status int, _ []byte) bool { return status == http.StatusOK }

func wkteamDone(data any) Answer {
	return Answer{Status: http.StatusOK, Body: wkteamEnvelope("1000", "处理成功", data)}
}

func wkteamRefusal(why string) Answer {
	return Answer{Status: http.StatusOK, Body: wkteamEnvelope("1001", why, nil)}
}

func wkteamEnvelope(code, message string, data any) string {
	b, _ := json.Marshal(struct { // strings, numbers and lists of them encode
		Code    string `json:"code"`
		Message string `json:"message"`
		Data    any    `json:"data"`
	}{code, message, data})
	return string(b)
}
