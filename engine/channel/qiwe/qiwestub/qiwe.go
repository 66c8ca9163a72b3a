// Package qiwestub is the platform of engine/channel/qiwe. It has no idempotency
// keys and does again what it is told again.
package qiwestub

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"bot/engine"
	"bot/engine/stub"
)

// platform is QiWe: one address for all methods, HTTP 200 for nearly all answers,
// a device that can be logged out.
type platform struct {
	token, guid, self, secret string
	now                       func() time.Time

	mu       sync.Mutex
	offline  bool
	messages int64             // so far
	ids      int64             // of anything else
	sent     map[string]string // message id to the chat it went to
	friends  map[string]bool   // true: accepted, false: has applied
	address  string            // of callbacks, as registered
	requests int
}

// Ids of an account whose options name none.
const (
	defaultGUID = "00000000-AAAA-4BBB-8CCC-000000000001"
	defaultSelf = "1688000000000001"
)

// The base of the first ids of messages and rooms; the rooms' is beyond what a
// float64 holds exactly, as it is on the platform.
const (
	firstMessage = 1000000
	firstRoom    = 10800000000000000
)

// maxSent bounds the messages that can be taken back: the newest.
const maxSent = 10_000

// New is a stub.Maker. Of the account it uses Token, GUID, Self and
// Secret; GUID and Self have a default.
func New(o *stub.Options) (stub.Protocol, error) {
	return &platform{
		token: o.Account.Token, guid: cmp.Or(o.Account.GUID, defaultGUID), self: cmp.Or(o.Account.Self, defaultSelf),
		secret: o.Account.Secret, now: o.Now, sent: make(map[string]string), friends: make(map[string]bool),
	}, nil
}

// actions are the methods that have an effect.
var actions = map[string]engine.Action{
	"/msg/sendText": engine.SendText, "/msg/sendHyperText": engine.SendText, "/msg/sendImage": engine.SendImage,
	"/msg/sendGif": engine.SendEmoji, "/msg/sendFile": engine.SendFile, "/msg/sendVoice": engine.SendVoice,
	"/msg/sendVideo": engine.SendVideo, "/msg/sendLink": engine.SendLink, "/msg/sendWeapp": engine.SendMiniapp,
	"/msg/sendPersonalCard": engine.SendContact, "/msg/sendLocation": engine.SendLocation,
	"/msg/revokeMsg": engine.RevokeMessage, "/contact/agreeContact": engine.AcceptFriend,
	"/contact/addRoomContact": engine.AddFriend, "/contact/addDeletedContact": engine.AddFriend,
	"/contact/updateWxContact": engine.SetRemark, "/contact/updateWxWorkContact": engine.SetRemark,
	"/label/contactEditLabel": engine.SetLabel, "/room/createRoom": engine.CreateGroup,
	"/room/inviteRoomMember": engine.AddMember, "/room/removeRoomMember": engine.RemoveMember,
	"/room/modifyRoomName": engine.RenameGroup, "/room/modifyRoomNotice": engine.SetAnnouncement,
	"/room/quitRoom": engine.LeaveGroup, "/room/dismissRoom": engine.DissolveGroup,
	"/room/changeRoomMaster": engine.TransferGroup, "/room/agreeInviteByLink": engine.AcceptGroup,
}

// request is a request's body.
type request struct {
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
}

// text reads a param that is a string or a whole number, "" for any other.
func (c *request) text(name string) string {
	raw := c.Params[name]
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if strings.Trim(string(raw), "0123456789") == "" {
		return string(raw)
	}
	return ""
}

func (p *platform) Read(c *stub.Call) {
	c.Authorized = stub.Good(c.Header.Get("X-Qiwei-Token"), p.token)
	var said request
	if json.Unmarshal(c.Body, &said) != nil {
		return
	}
	c.Action = actions[said.Method]
	c.To = cmp.Or(said.text("toId"), said.text("chatId"), said.text("roomId"), said.text("userId"))
	if c.Text = said.text("content"); said.Method == "/msg/sendHyperText" {
		c.Text = assembled(said.Params["content"])
	}
}

// assembled shows a text of pieces as its readers see it.
func assembled(raw json.RawMessage) string {
	var pieces []struct {
		Subtype int
		Text    string
	}
	json.Unmarshal(raw, &pieces) // what is no list has no pieces
	var b strings.Builder
	for _, p := range pieces {
		if p.Subtype == 1 {
			b.WriteByte('@')
		}
		b.WriteString(p.Text)
	}
	return b.String()
}

// Answer judges a call as the platform does, and carries it out.
func (p *platform) Answer(c *stub.Call) stub.Answer {
	data, code, words := p.carry(c)
	if code != 0 {
		return refusal(code, words)
	}
	return envelope(0, "成功", data)
}

func (p *platform) carry(c *stub.Call) (data any, code int, words string) {
	var said request
	switch {
	case c.Method != http.MethodPost, !strings.HasSuffix(c.Path, "/doApi"):
		return nil, 404, "接口不存在"
	case p.token != "" && !c.Authorized:
		return nil, 401, "token无效"
	case json.Unmarshal(c.Body, &said) != nil, !strings.HasPrefix(said.Method, "/"):
		return nil, 500, "参数错误: method"
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, device := said.Params["guid"]
	switch said.Method {
	case "/client/setCallback":
		if device {
			return nil, 500, "参数错误: guid"
		}
		p.address = said.text("callbackUrl")
		return map[string]any{}, 0, ""
	case "/login/checkLogin":
		status := 2
		if p.offline {
			status = 0
		}
		return map[string]any{"userId": p.self, "nickname": "小助手", "userOnlineStatus": status}, 0, ""
	}
	switch {
	case !strings.EqualFold(said.text("guid"), p.guid):
		return nil, 500, "参数错误: guid"
	case p.offline:
		return nil, 500, "账号未登录"
	}
	return p.perform(c.Action, &said)
}

// perform does what a logged-in device can do. The caller holds the lock.
func (p *platform) perform(a engine.Action, said *request) (data any, code int, words string) {
	switch {
	case strings.HasPrefix(said.Method, "/msg/send") && a != "":
		return p.send(said)
	case a == engine.RevokeMessage:
		if p.sent[said.text("msgServerId")] != said.text("chatId") || said.text("chatId") == "" {
			return nil, 500, "参数错误: msgServerId"
		}
		delete(p.sent, said.text("msgServerId"))
	case a == engine.AcceptFriend:
		user := said.text("userId")
		if _, applied := p.friends[user]; !applied {
			return nil, 500, "参数错误: userId"
		}
		p.friends[user] = true
	case a == engine.CreateGroup:
		p.ids++
		return map[string]any{"roomId": strconv.FormatInt(firstRoom+p.ids, 10)}, 0, ""
	case said.Method == "/cloud/cdnBigUploadByUrl":
		p.ids++
		file := strconv.FormatInt(p.ids, 10)
		return map[string]any{
			"fileAesKey": "00112233445566778899AABBCCDDEEFF", "fileId": "stub-file-" + file, "fileKey": "stub-key-" + file,
			"fileMd5": "0123456789abcdef0123456789abcdef", "fileSize": 1024, "fileThumbSize": 64,
			"cloudUrl": "https://files.example.com/" + file, "filename": said.text("filename"),
		}, 0, ""
	case a == "":
		return nil, 500, "参数错误: method"
	}
	return map[string]any{}, 0, ""
}

// send takes a message. The caller holds the lock.
func (p *platform) send(said *request) (data any, code int, words string) {
	to := said.text("toId")
	if to == "" {
		return nil, 500, "参数错误: toId"
	}
	p.messages++
	id := firstMessage + p.messages
	delete(p.sent, strconv.FormatInt(id-maxSent, 10))
	p.sent[strconv.FormatInt(id, 10)] = to
	return map[string]any{
		"isSendSuccess": 1, "msgServerId": id, "msgType": 2, "seq": 9_000_000 + id, "timestamp": p.now().Unix(),
		"msgUniqueIdentifier": base64.StdEncoding.EncodeToString([]byte("sent " + strconv.FormatInt(id, 10))),
	}, 0, ""
}

func (p *platform) Throttled(wait time.Duration) stub.Answer {
	a := refusal(429, "请求过于频繁")
	a.Status = http.StatusTooManyRequests
	a.Header = map[string]string{"Retry-After": strconv.Itoa(int(math.Ceil(wait.Seconds())))}
	return a
}

func (p *platform) Failed() stub.Answer {
	a := envelope(500, "接口调用失败", nil)
	a.Status = http.StatusInternalServerError
	return a
}

func refusal(code int, words string) stub.Answer {
	a := envelope(code, words, nil)
	a.Refused = true
	return a
}

func envelope(code int, words string, data any) stub.Answer {
	b, err := json.Marshal(map[string]any{"code": code, "msg": words, "data": data})
	if err != nil { // cannot be: all of it encodes
		return stub.Answer{Status: http.StatusInternalServerError}
	}
	return stub.Answer{Status: http.StatusOK, Body: string(b)}
}

// Accepted: the platform looks at the status alone.
func (p *platform) Accepted(status int, _ []byte) bool { return status == http.StatusOK }
