package gewe

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// maxID bounds an id in bytes: true ones have some 20 to 40, and the engine
// keeps notes under keys that are made of them.
const maxID = 256

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

// word is a scalar of JSON as text: a string, the digits of a number as they
// were written, true or false. v1.0 wraps most of its strings,
// {"string":"…"}, and leaves the member out of empty ones.
type word string

// UnmarshalJSON never fails: what is none of these is "".
func (w *word) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var wrapped struct {
			String json.RawMessage `json:"string"`
		}
		json.Unmarshal(b, &wrapped) // b is valid JSON
		b = wrapped.String
	}
	*w = scalar(b)
	return nil
}

func scalar(b []byte) word {
	if len(b) == 0 {
		return ""
	}
	switch b[0] {
	case '"':
		var s string
		json.Unmarshal(b, &s) // b is valid JSON
		return word(s)
	case '{', '[', 'n':
		return ""
	}
	return word(b)
}

// digits is an id that is a number; "" for anything else and for 0, which
// stands for none.
func (w word) digits() string {
	s := strings.TrimPrefix(string(w), "-")
	if s == "" || len(s) > 20 || strings.Trim(s, "0123456789") != "" || strings.Trim(s, "0") == "" {
		return ""
	}
	return string(w)
}

// time reads Unix seconds (v1.0) or milliseconds (v2.0), told apart by size.
// Zero for anything else.
func (w word) time() time.Time {
	n, err := strconv.ParseInt(string(w), 10, 64)
	switch {
	case err != nil, n <= 0, n >= 1e14: // beyond the year 5138 it is neither
		return time.Time{}
	case n >= 1e11:
		return time.UnixMilli(n)
	default:
		return time.Unix(n, 0)
	}
}

// badID tells what cannot be an id of a user or a room. The replacement
// character is refused, since all broken text decodes to it and two ids would
// become one.
func badID(id string) bool {
	return len(id) > maxID || strings.ContainsFunc(id, func(r rune) bool {
		return r == unicode.ReplacementChar || unicode.IsControl(r)
	})
}
