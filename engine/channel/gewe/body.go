package gewe

import (
	"encoding/json"
	"time"

	"bot/engine/channel"
)

// body is a callback of either form, or a control packet. Names match without
// regard to case, so that Appid and appid, Data and data (both seen) are one.
type body struct {
	AppID word `json:"appid"`
	Wxid  word `json:"wxid"`

	TypeName word            `json:"TypeName"` // v1.0
	Data     json.RawMessage `json:"Data"`

	MsgType     word `json:"msgType"` // v2.0
	NewMsgID    word `json:"newMsgId"`
	CreateTime  word `json:"createTime"`
	FromUser    word `json:"fromUser"`
	ToUser      word `json:"toUser"`
	FromGroup   word `json:"fromGroup"`
	IsSelf      word `json:"isSelf"`
	Content     word `json:"content"`
	PushContent word `json:"pushContent"`

	TestMsg     *word `json:"testMsg"` // control packets
	CallBackURL *word `json:"callBackUrl"`
}

// isControl tells the packets by which the platform tries the address:
// {"testMsg","token"} while the address is being set, which fails if they are
// not answered, and {"msg","callBackUrl"} after the console's settings.
func (b *body) isControl() bool {
	return b.TypeName == "" && b.MsgType == "" && (b.TestMsg != nil || b.CallBackURL != nil)
}

// ping is the content of a message that does the same (seen by one source).
const ping = "验证回调地址是否可用"

// word is a channel.Scalar. v1.0 wraps most of its strings, {"string":"…"}, and
// leaves the member out of empty ones.
type word channel.Scalar

// UnmarshalJSON never fails: what is none of these is "".
func (w *word) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var wrapped struct {
			String json.RawMessage `json:"string"`
		}
		json.Unmarshal(b, &wrapped) // b is valid JSON
		b = wrapped.String
	}
	return (*channel.Scalar)(w).UnmarshalJSON(b)
}

func (w word) digits() string  { return channel.Scalar(w).Digits() }
func (w word) time() time.Time { return channel.Scalar(w).Time() }
