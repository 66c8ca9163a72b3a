package stub

import (
	"cmp"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"bot/engine"
)

// qiwe is the QiWe platform (engine/channel/qiwe): one address for all methods,
// HTTP 200 for nearly all answers, a device that can be logged out.
type qiwe struct {
	token, guid, self, secret string
	now                       func() time.Time

	mu       sync.Mutex
	offline  bool
	ids      int64
	sent     map[string]string // message id to the chat it went to
	friends  map[string]bool   // true: accepted, false: has applied
	address  string            // of callbacks, as registered
	requests int
}

// Ids of an account whose options name none.
const (
	qiweGUID = "00000000-AAAA-4BBB-8CCC-000000000001"
	qiweSelf = "1688000000000001"
)

// The base of the first ids of messages and rooms; the rooms' is beyond what a
// float64 holds exactly, as it is on the platform.
const (
	qiweMessages = 1000000
	qiweRooms    = 10800000000000000
)

// qiweSent bounds the messages that can be taken back.
const qiweSent = 10_000

func newQiwe(o *Options) (protocol, error) {
	return &qiwe{
		token: o.Account.Token, guid: cmp.Or(o.Account.GUID, qiweGUID), self: cmp.Or(o.Account.Self, qiweSelf),
		secret: o.Account.Secret, now: o.Now, sent: make(map[string]string), friends: make(map[string]bool),
	}, nil
}

// qiweActions are the methods that have an effect.
var qiweActions = map[string]engine.Action{
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

// qiweCall is a request's body.
type qiweCall struct {
	Method string                     `json:"method"`
	Params map[string]json.RawMessage `json:"params"`
}

// text reads a param that is a string or a whole number, "" for any other.
func (c *qiweCall) text(name string) string {
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

func (q *qiwe) read(c *Call) {
	var said qiweCall
	if json.Unmarshal(c.Body, &said) != nil {
		return
	}
	c.Action = qiweActions[said.Method]
	c.To = cmp.Or(said.text("toId"), said.text("chatId"), said.text("roomId"), said.text("userId"))
	if c.Text = said.text("content"); said.Method == "/msg/sendHyperText" {
		c.Text = qiwePieces(said.Params["content"])
	}
}

// qiwePieces shows a text of pieces as its readers see it.
func qiwePieces(raw json.RawMessage) string {
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

// answer judges a call as the platform does, and carries it out. What it
// refuses is no action.
func (q *qiwe) answer(c *Call) Answer {
	data, code, words := q.carry(c)
	if code != 0 {
		c.Action = ""
		return qiweAnswer(code, words, nil)
	}
	return qiweAnswer(0, "成功", data)
}

func (q *qiwe) carry(c *Call) (data any, code int, words string) {
	var said qiweCall
	switch {
	case c.Method != http.MethodPost, !strings.HasSuffix(c.Path, "/doApi"):
		return nil, 404, "接口不存在"
	case subtle.ConstantTimeCompare([]byte(c.Header.Get("X-Qiwei-Token")), []byte(q.token)) != 1:
		return nil, 401, "token无效"
	case json.Unmarshal(c.Body, &said) != nil, !strings.HasPrefix(said.Method, "/"):
		return nil, 500, "参数错误: method"
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	_, device := said.Params["guid"]
	switch said.Method {
	case "/client/setCallback":
		if device {
			return nil, 500, "参数错误: guid"
		}
		q.address = said.text("callbackUrl")
		return map[string]any{}, 0, ""
	case "/login/checkLogin":
		status := 2
		if q.offline {
			status = 0
		}
		return map[string]any{"userId": q.self, "nickname": "小助手", "userOnlineStatus": status}, 0, ""
	}
	switch {
	case !strings.EqualFold(said.text("guid"), q.guid):
		return nil, 500, "参数错误: guid"
	case q.offline:
		return nil, 500, "账号未登录"
	}
	return q.perform(c.Action, &said)
}

// perform does what a logged-in device can do. The caller holds the lock.
func (q *qiwe) perform(a engine.Action, said *qiweCall) (data any, code int, words string) {
	switch {
	case strings.HasPrefix(said.Method, "/msg/send") && a != "":
		return q.send(said)
	case a == engine.RevokeMessage:
		if q.sent[said.text("msgServerId")] != said.text("chatId") || said.text("chatId") == "" {
			return nil, 500, "参数错误: msgServerId"
		}
		delete(q.sent, said.text("msgServerId"))
	case a == engine.AcceptFriend:
		user := said.text("userId")
		if _, applied := q.friends[user]; !applied {
			return nil, 500, "参数错误: userId"
		}
		q.friends[user] = true
	case a == engine.CreateGroup:
		q.ids++
		return map[string]any{"roomId": strconv.FormatInt(qiweRooms+q.ids, 10)}, 0, ""
	case said.Method == "/cloud/cdnBigUploadByUrl":
		q.ids++
		file := strconv.FormatInt(q.ids, 10)
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
func (q *qiwe) send(said *qiweCall) (data any, code int, words string) {
	to := said.text("toId")
	if to == "" {
		return nil, 500, "参数错误: toId"
	}
	q.ids++
	id := qiweMessages + q.ids
	if len(q.sent) >= qiweSent {
		clear(q.sent)
	}
	q.sent[strconv.FormatInt(id, 10)] = to
	return map[string]any{
		"isSendSuccess": 1, "msgServerId": id, "msgType": 2, "seq": 9_000_000 + id, "timestamp": q.now().Unix(),
		"msgUniqueIdentifier": base64.StdEncoding.EncodeToString([]byte("sent " + strconv.FormatInt(id, 10))),
	}, 0, ""
}

func (q *qiwe) throttled(wait time.Duration) Answer {
	a := qiweAnswer(429, "请求过于频繁", nil)
	a.Status = http.StatusTooManyRequests
	a.Header = map[string]string{"Retry-After": strconv.Itoa(int(math.Ceil(wait.Seconds())))}
	return a
}

func (q *qiwe) failed() Answer {
	a := qiweAnswer(500, "接口调用失败", nil)
	a.Status = http.StatusInternalServerError
	return a
}

func qiweAnswer(code int, words string, data any) Answer {
	b, err := json.Marshal(map[string]any{"code": code, "msg": words, "data": data})
	if err != nil { // cannot be: all of it encodes
		return Answer{Status: http.StatusInternalServerError}
	}
	return Answer{Status: http.StatusOK, Body: string(b)}
}

// accepted: the platform looks at the status alone.
func (q *qiwe) accepted(status int, _ []byte) bool { return status == http.StatusOK }
