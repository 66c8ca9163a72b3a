package wkteam

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// coolDown is how long an account is to rest after the platform spoke of risk
// control; the page advises half an hour at least.
const coolDown = 30 * time.Minute

// The codes of the answer's envelope.
const (
	codeDone   = "1000"
	codeFailed = "1001"
)

// envelope is every answer; some have msg in place of message, and the code is a
// string or a number.
type envelope struct {
	Code    word            `json:"code"`
	Message word            `json:"message"`
	Msg     word            `json:"msg"`
	Data    json.RawMessage `json:"data"`
}

// judge reads the body of a 2xx answer; no class means done.
//
//	no JSON object, or one that was cut off       Unsure: an answer that nobody can read
//	1000                                          done
//	1001                                          by the words of its message (told), else Permanent:
//	                                              the platform understood and declined
//	any other code, or none                       by the words, else Unsure: outside of what is documented
func judge(r *channel.Reply) (data json.RawMessage, class channel.Class, note string) {
	var v envelope
	switch body := bytes.TrimSpace(r.Body); {
	case r.Cut:
		return nil, channel.Unsure, "the answer is too long to be read"
	case len(body) == 0 || body[0] != '{' || json.Unmarshal(body, &v) != nil:
		return nil, channel.Unsure, "no answer of the platform: " + string(body)
	}
	if v.Code == codeDone {
		return v.Data, "", ""
	}
	words := string(v.Message + v.Msg)
	class = told(words)
	switch {
	case class != "":
	case v.Code == codeFailed:
		class = channel.Permanent
	default:
		class = channel.Unsure
	}
	return nil, class, "code " + string(v.Code) + ": " + words
}

// reasons are the words by which failures are told apart, in order. There is no
// public table of errors: this is a reading of the messages that were seen, and
// what it does not know stays Permanent.
var reasons = []struct {
	class channel.Class
	words []string
}{
	{channel.Credential, []string{"token", "authorization", "登录失效", "冻结", "过期"}},
	{channel.Halted, []string{"离线", "不在线", "未登录", "实例不存在", "wid"}},
	{channel.Throttled, []string{"频繁", "风控", "限制"}},
	{channel.Permanent, []string{"参数", "图片大小超出", "51200"}},
	{channel.Unsure, []string{"超时", "timeout", "timed out"}}, // between the gateway and WeChat
}

// told finds the class that a message tells, "" for none.
func told(message string) channel.Class {
	message = strings.ToLower(message)
	for _, r := range reasons {
		for _, w := range r.words {
			if says(message, w) {
				return r.class
			}
		}
	}
	return ""
}

// says tells whether a message in lower case has the word in it. A Latin word
// ends where its letters end: width is no wid.
func says(message, word string) bool {
	for {
		_, rest, found := strings.Cut(message, word)
		if !found {
			return false
		}
		if last := word[len(word)-1]; !letter(last) || rest == "" || !letter(rest[0]) {
			return true
		}
		message = rest
	}
}

func letter(c byte) bool { return 'a' <= c && c <= 'z' }

// sentNote is what a message can be revoked by. The ids are strings: whoever
// reads the note as JSON keeps every digit.
func sentNote(data json.RawMessage) string {
	var sent struct{ MsgID, NewMsgID, CreateTime word }
	if json.Unmarshal(data, &sent) != nil || sent.NewMsgID == "" {
		return ""
	}
	return channel.Note(map[string]string{
		"msgId": string(sent.MsgID), "newMsgId": string(sent.NewMsgID), "createTime": string(sent.CreateTime),
	})
}

// roomNote is a new room's id. In which member it stands is not certain; only a
// room's id ends like one.
func roomNote(data json.RawMessage) string {
	v, err := decode(data)
	if err != nil {
		return ""
	}
	if m, ok := v.(map[string]any); ok {
		for _, name := range []string{"chatRoomId", "chatroomId", "userName", "wcId"} {
			if id, _ := m[name].(string); wechat.IsRoom(id) {
				return channel.Note(map[string]string{"room_id": id})
			}
		}
	}
	if id, _ := v.(string); wechat.IsRoom(id) {
		return channel.Note(map[string]string{"room_id": id})
	}
	return ""
}
