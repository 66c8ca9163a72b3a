package gewe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"bot/engine/channel"
)

// coolDown is how long an account rests after the platform warned of it. The
// vendor advises a rest and no length.
const coolDown = 10 * time.Minute

// envelope is around every answer.
type envelope struct {
	Ret  *word           `json:"ret"`
	Msg  word            `json:"msg"`
	Data json.RawMessage `json:"data"`
}

// failure is what an answer says went wrong; no class means nothing.
type failure struct {
	class channel.Class
	note  string
}

// judge takes the envelope off an answer, which comes with status 200 whatever
// happened:
//
//	no JSON, cut off, no ret or none that is a number Unsure
//	ret 200 (or 0, which one consumer counts, too)    success
//	ret 401, 403; the reason speaks of the token      Credential
//	the reason says that the account is offline       Halted
//	ret 429; the reason warns of risk or frequency    Throttled
//	ret 400; it finds fault with the request or file  Permanent
//	the gateway could not fetch the file              Transient
//	any other ret 5xx                                 Unsure
//	any other ret                                     Permanent
//
// The vendor publishes no codes, so the reason's words decide, in this order.
// After a ret of 5xx without a known reason nobody can say whether the message
// went out.
func judge(r *channel.Reply) (json.RawMessage, failure) {
	var env envelope
	switch err := json.Unmarshal(r.Body, &env); {
	case r.Cut:
		return nil, failure{channel.Unsure, "the answer is too long to be read"}
	case err != nil:
		return nil, failure{channel.Unsure, "not the gateway's JSON: " + string(r.Body)}
	case env.Ret == nil:
		return nil, failure{channel.Unsure, "an answer without ret: " + string(r.Body)}
	case *env.Ret == "200", *env.Ret == "0":
		return env.Data, failure{}
	case env.Ret.digits() == "":
		return nil, failure{channel.Unsure, "an answer whose ret is no number: " + string(r.Body)}
	}
	reason := env.reason()
	return nil, failure{classOf(string(*env.Ret), reason), "ret " + string(*env.Ret) + ": " + cmp.Or(reason, "no reason given")}
}

// reason is the innermost of the nested explanations: data.msg, then those in
// the JSON text data.detail, then msg, which only names the call that failed.
func (env *envelope) reason() string {
	var data struct{ Msg, Detail word }
	if bytes.HasPrefix(bytes.TrimSpace(env.Data), []byte("{")) {
		json.Unmarshal(env.Data, &data) // valid JSON; what does not fit is not there
	}
	var detail struct {
		MsgErr word `json:"msg_err"`
		Msg    word `json:"msg"`
	}
	json.Unmarshal([]byte(data.Detail), &detail) // often no JSON at all
	return string(cmp.Or(data.Msg, detail.MsgErr, detail.Msg, env.Msg))
}

// The words that reasons are known by.
var (
	ofToken    = []string{"token"}
	ofOffline  = []string{"离线", "未登录", "登录过期", "设备不存在"}
	ofRisk     = []string{"风控", "限制", "频", "封"}
	ofFile     = []string{"大小", "长度", "格式"} // whose limits are no warning
	ofRequest  = []string{"参数", "不可为空", "不能为空", "用户不存在", "memberlist are wrong", "已超过可撤回时间"}
	ofFetching = []string{"无法访问", "下载失败"}
)

// harmless are words in which those of risk stand for something else: a video,
// a sound, a cover picture.
var harmless = strings.NewReplacer("视频", "", "音频", "", "频道", "", "封面", "")

func classOf(ret, reason string) channel.Class {
	reason = strings.ToLower(reason)
	says := func(words []string) bool {
		for _, w := range words {
			if strings.Contains(reason, w) {
				return true
			}
		}
		return false
	}
	switch {
	case ret == "401", ret == "403", says(ofToken):
		return channel.Credential
	case says(ofOffline):
		return channel.Halted
	}
	reason = harmless.Replace(reason)
	switch {
	case ret == "429", says(ofRisk) && !says(ofFile):
		return channel.Throttled
	case ret == "400", says(ofRequest), says(ofFile):
		return channel.Permanent
	case says(ofFetching):
		return channel.Transient
	case len(ret) == 3 && ret[0] == '5':
		return channel.Unsure
	}
	return channel.Permanent
}

// noteOf keeps what a later command needs: the ids that revoke a message, or a
// group's id. Digits stay as they were written.
func noteOf(data json.RawMessage) string {
	var d struct {
		MsgID      word `json:"msgId"`
		NewMsgID   word `json:"newMsgId"`
		CreateTime word `json:"createTime"`
		ChatroomID word `json:"chatroomId"`
	}
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) || json.Unmarshal(data, &d) != nil {
		return ""
	}
	note := map[string]string{"room_id": string(d.ChatroomID)}
	if d.NewMsgID != "" { // the others may be missing, and revoking wants all three
		note["newMsgId"], note["msgId"], note["createTime"] = string(d.NewMsgID), string(cmp.Or(d.MsgID, "0")), string(cmp.Or(d.CreateTime, "0"))
	}
	return channel.Note(note)
}
