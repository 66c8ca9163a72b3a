package wkteam

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"
	"unicode/utf8"

	"bot/engine/channel"
	"bot/engine/channel/wechat"
)

// maxType bounds a messageType in bytes. Those seen have five.
const maxType = 64

// body is a callback, decoded as far as it means something here. Names match
// whatever their case, which lets atlist be atList too.
type body struct {
	Account word `json:"account"` // the developer account's name
	Type    word `json:"messageType"`
	WcID    word `json:"wcId"`
	Data    data `json:"data"`
}

// data holds the fields of all types of callback; each has some of them.
type data struct {
	WID       word `json:"wId"`
	FromUser  word `json:"fromUser"`
	FromGroup word `json:"fromGroup"`
	ToUser    word `json:"toUser"`

	MsgID      word  `json:"msgId"` // short, collides
	NewMsgID   word  `json:"newMsgId"`
	Timestamp  word  `json:"timestamp"`
	CreateTime word  `json:"createTime"` // some types have it in place of timestamp
	Self       word  `json:"self"`
	Content    word  `json:"content"`
	Title      word  `json:"title"`
	URL        word  `json:"url"`
	AtList     words `json:"atlist"`

	MD5         word `json:"md5"`
	Length      word `json:"length"`
	VoiceLength word `json:"voiceLength"`
	BufID       word `json:"bufId"`

	UserName  word `json:"userName"` // of a contact or a room
	NickName  word `json:"nickName"`
	Remark    word `json:"remark"`
	Labels    word `json:"labelIdList"`
	V1        word `json:"v1"`
	V2        word `json:"v2"`
	Scene     word `json:"scene"`
	RoomOwner word `json:"chatRoomOwner"`

	Reason word `json:"reason"`
	AsynID word `json:"asynId"`
	ID     word `json:"id"`
	Kind   word `json:"type"`
}

// UnmarshalJSON leaves data empty where it is no object: control callbacks may
// have none.
func (d *data) UnmarshalJSON(b []byte) error {
	if b[0] != '{' {
		return nil
	}
	type plain data
	return json.Unmarshal(b, (*plain)(d))
}

// parse decodes a callback; reason and detail say why it cannot be read.
func parse(raw []byte) (b *body, reason, detail string) {
	b = new(body)
	if !utf8.Valid(raw) {
		return nil, "json", "not UTF-8"
	}
	if json.Unmarshal(raw, b) != nil {
		return nil, "json", "not a JSON object"
	}
	if b.Type == "" || len(b.Type) > maxType {
		return nil, "ids", "messageType is not a text of 1 to 64 bytes"
	}
	if n := len(b.Type); n < 5 && digits(string(b.Type)) { // 00000 written as a number
		b.Type = word(strings.Repeat("0", 5-n)) + b.Type
	}
	d := &b.Data
	for _, id := range []struct {
		name string
		word
	}{
		{"wcId", b.WcID}, {"wId", d.WID}, {"fromUser", d.FromUser}, {"fromGroup", d.FromGroup},
		{"toUser", d.ToUser}, {"userName", d.UserName},
	} {
		if !wechat.IsID(string(id.word)) {
			return nil, "ids", id.name + " is longer than 256 bytes or no text"
		}
	}
	return b, "", ""
}

// at is when it happened, zero where the platform does not say.
func (d *data) at() time.Time {
	if t := d.Timestamp.Time(); !t.IsZero() {
		return t
	}
	return d.CreateTime.Time()
}

// word is a field of which nobody promises whether it is a number or a string.
type word = channel.Scalar

// words is a list of scalars, or one text with commas in it.
type words []string

// UnmarshalJSON never fails.
func (l *words) UnmarshalJSON(b []byte) error {
	var all []word
	if b[0] == '[' {
		if json.Unmarshal(b, &all) != nil {
			return nil
		}
	} else {
		var one word
		_ = one.UnmarshalJSON(b) // which does not fail
		for s := range strings.SplitSeq(string(one), ",") {
			all = append(all, word(s))
		}
	}
	*l = nil
	for _, w := range all {
		if s := strings.TrimSpace(string(w)); s != "" {
			*l = append(*l, s)
		}
	}
	return nil
}

// digits tells whether s is a whole number in plain digits.
func digits(s string) bool {
	s = strings.TrimPrefix(s, "-")
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// decode reads JSON into any, with numbers as they were written.
func decode(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}
