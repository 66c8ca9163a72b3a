package gewe

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

var (
	success   = channel.Answer{Status: 200, ContentType: "text/plain; charset=utf-8", Body: []byte("success")}
	badAnswer = channel.Answer{Status: 400, ContentType: "text/plain; charset=utf-8", Body: []byte("bad request")}
	notFound  = channel.Answer{Status: 404, ContentType: "text/plain; charset=utf-8", Body: []byte("not found")}
)

// v1 is a message of structure v1.0; more are members of Data.
func v1(from, to, msgType, content, more string) string {
	return `{"TypeName":"AddMsg","Appid":"` + appID + `","Wxid":"` + self + `","Data":{"NewMsgId":7100000000000000101,` +
		`"FromUserName":{"string":` + quote(from) + `},"ToUserName":{"string":` + quote(to) + `},"MsgType":` + msgType +
		`,"Content":{"string":` + quote(content) + `},"CreateTime":1790000000` + more + `}}`
}

// v2 is a callback of structure v2.0; more are further members.
func v2(msgType, from, to, content, more string) string {
	return `{"appid":"` + appID + `","wxid":"` + self + `","msgType":"` + msgType + `","newMsgId":7100000000000000101,` +
		`"createTime":1790000000123,"fromUser":` + quote(from) + `,"toUser":` + quote(to) +
		`,"content":` + quote(content) + more + `}`
}

func one(e engine.Event) []engine.Event {
	e.Account = "shop"
	if e.ID == "" {
		e.ID = "7100000000000000101"
	}
	return []engine.Event{e}
}

const requestXML = `<msg fromusername="wxid_testnewbie00001" encryptusername="v3_x@stranger" fromnickname="新朋友" ` +
	`content="你好 &amp; hi" scene="14" ticket="v4_x@stranger" opcode="2" />`

var callbacks = []channeltest.Callback{
	{
		Name: "v1.0, a text in private",
		Body: v1(friend, self, "1", "你好", `,"PushContent":"小测 : 你好"`),
		Events: one(engine.Event{Kind: engine.Message, Type: "text", Conversation: friend, Sender: friend, SenderName: "小测",
			Text: "你好", Time: time.Unix(1790000000, 0)}),
		Answer: success,
	},
	{
		Name: "v1.0, a text in a group that mentions",
		Body: v1(group, self, "1", friend+":\n@小助手\u2005在吗", `,"MsgSource":"<msgsource><atuserlist><![CDATA[`+self+`]]></atuserlist></msgsource>"`),
		Events: one(engine.Event{Kind: engine.Message, Type: "text", Conversation: group, Sender: friend, Group: true,
			Mention: engine.MentionMe, Text: "@小助手\u2005在吗", Time: time.Unix(1790000000, 0)}),
		Answer: success,
	},
	{
		Name: "v1.0, a picture",
		Body: v1(friend, self, "3", `<msg><img length="29980"/></msg>`, ""),
		Events: one(engine.Event{Kind: engine.Message, Type: "image", Conversation: friend, Sender: friend,
			Media: []engine.Media{{Kind: "image", Size: 29980}}, Params: map[string]string{"content": `<msg><img length="29980"/></msg>`},
			Time: time.Unix(1790000000, 0)}),
		Answer: success,
	},
	{
		Name: "v1.0, a friend request",
		Body: v1("fmessage", self, "37", requestXML, ""),
		Events: one(engine.Event{Kind: engine.FriendRequest, Conversation: newbie, Sender: newbie, SenderName: "新朋友",
			Text: "你好 & hi", Params: map[string]string{"v3": "v3_x@stranger", "v4": "v4_x@stranger", "scene": "14"},
			Learned: []engine.Note{{Key: "pending/v3_x@stranger/" + newbie, Value: "1", Expires: noon.Add(7 * 24 * time.Hour)}},
			Time:    time.Unix(1790000000, 0)}),
		Answer: success,
	},
	{
		Name: "v2.0, a text in a group",
		Body: v2("TEXT", friend, self, "大家好", `,"fromGroup":"`+group+`","pushContent":"小测 : 大家好","isSelf":false`),
		Events: one(engine.Event{Kind: engine.Message, Type: "text", Conversation: group, Sender: friend, SenderName: "小测",
			Group: true, Text: "大家好", Time: time.UnixMilli(1790000000123)}),
		Answer: success,
	},
	{
		Name: "v2.0, a group that nothing names",
		Body: v2("TEXT", friend, self, friend+":\n@小助手 在吗", ""),
		Events: one(engine.Event{Kind: engine.Message, Type: "text", Conversation: "unknown-room/7100000000000000101",
			Sender: friend, Group: true, Mute: "the callback did not say which group it came from", Mention: engine.MentionMe, Text: "@小助手 在吗", Time: time.UnixMilli(1790000000123)}),
		Answer: success,
	},
	{
		Name: "v2.0, an unknown type",
		Body: v2("SOMETHING_NEW", friend, self, "x", ""),
		Events: one(engine.Event{Kind: engine.Unknown, Type: "SOMETHING_NEW", Conversation: friend, Sender: friend,
			Time: time.UnixMilli(1790000000123)}),
		Answer: success,
	},
	{
		Name:   "v1.0, by the appid where there is no wxid",
		Body:   `{"TypeName":"DelContacts","Appid":"` + appID + `","Data":{"UserName":{"string":"` + friend + `"}}}`,
		Events: one(engine.Event{Kind: engine.FriendDeleted, ID: "sha256:5f1c", Conversation: friend, Sender: friend, Fact: "friend/" + friend}),
		Answer: success,
	},

	{Name: "somebody else's", Body: `{"TypeName":"Offline","Appid":"wx_x","Wxid":"wxid_other"}`, Foreign: "wxid_other", Answer: success},
	{Name: "somebody else on our device", Body: `{"TypeName":"Offline","Appid":"` + appID + `","Wxid":"wxid_other"}`, Foreign: "wxid_other", Answer: success},
	{Name: "the address is tried", Body: `{"testMsg":"回调地址链接成功！","token":"t0ken-of/gewe+"}`, Answer: success},
	{Name: "the address was set", Body: `{"msg":"设置订阅成功!!","callBackUrl":"https://x"}`, Answer: success},
	{Name: "the address is tried by a message", Body: v1(friend, self, "1", ping, ""), Answer: success},

	{Name: "nothing", Body: ``, Refused: "json", Answer: badAnswer},
	{Name: "half an object", Body: `{"TypeName":"AddMsg"`, Refused: "json", Answer: badAnswer},
	{Name: "a list", Body: `[{"TypeName":"AddMsg"}]`, Refused: "json", Answer: badAnswer},
	{Name: "two objects", Body: `{"TypeName":"Offline"}{}`, Refused: "json", Answer: badAnswer},
	{Name: "an object too deep", Body: strings.Repeat(`{"a":`, 20_000), Refused: "json", Answer: badAnswer},
	{Name: "an empty object", Body: `{}`, Refused: "ids", Answer: badAnswer},
	{Name: "of no account", Body: `{"TypeName":"Offline"}`, Refused: "ids", Answer: badAnswer},
	{Name: "of an endless account", Body: `{"TypeName":"Offline","Appid":"` + appID + `","Wxid":"` + strings.Repeat("w", 257) + `"}`, Refused: "ids", Answer: badAnswer},
	{Name: "a message without Data", Body: `{"TypeName":"AddMsg","Wxid":"` + self + `"}`, Refused: "ids", Answer: badAnswer},
	{Name: "a message from nobody", Body: v1("", self, "1", "x", ""), Refused: "ids", Answer: badAnswer},
	{Name: "a message from a broken id", Body: v1("wxid_\ufffd", self, "1", "x", ""), Refused: "ids", Answer: badAnswer},
	{Name: "a message from an endless id", Body: v1(strings.Repeat("w", 257), self, "1", "x", ""), Refused: "ids", Answer: badAnswer},
	{Name: "v2.0, a message from nobody", Body: v2("TEXT", "", self, "x", ""), Refused: "ids", Answer: badAnswer},
	{Name: "a contact notice about nobody", Body: `{"TypeName":"ModContacts","Wxid":"` + self + `","Data":{}}`, Refused: "ids", Answer: badAnswer},
}

// answers are what the gateway says to a message besides what every platform may.
var answers = []channeltest.Answer{
	{Name: "ret 0", Body: strings.Replace(sentData, "200", "0", 1)},
	{Name: "ret as text", Body: strings.Replace(sentData, "200", `"200"`, 1)},
	{Name: "no ret", Body: `{"msg":"操作成功"}`, Want: channel.Unsure},
	{Name: "a ret of no kind", Body: `{"ret":[],"msg":"操作成功"}`, Want: channel.Unsure},
	{Name: "a ret in words", Body: `{"ret":"fine","msg":"操作成功"}`, Want: channel.Unsure},
	{Name: "a ret with a fraction", Body: `{"ret":200.0,"msg":"操作成功"}`, Want: channel.Unsure},
	{Name: "a list", Body: `[]`, Want: channel.Unsure},
	{Name: "nothing", Want: channel.Unsure},
	{Name: "too long", Body: `{"ret":200,"data":"` + strings.Repeat("x", channel.MaxReply) + `"}`, Want: channel.Unsure},
	{Name: "the token in the reason", Body: `{"ret":500,"msg":"x-gewe-token t0ken-of/gewe+ 错误"}`, Want: channel.Credential},
	{Name: "ret 401", Body: `{"ret":401,"msg":"未授权"}`, Want: channel.Credential},
	{Name: "logged out", Body: `{"ret":500,"msg":"发送文字消息失败","data":{"code":"-1","msg":"登录过期，请重新登录"}}`, Want: channel.Halted},
	{Name: "no such device", Body: `{"ret":500,"msg":"[wx_x]设备不存在"}`, Want: channel.Halted},
	{Name: "a warning", Body: `{"ret":500,"msg":"发送失败","data":{"code":"-1","msg":"操作过于频繁"}}`, Want: channel.Throttled},
	{Name: "a warning in the detail", Body: `{"ret":500,"msg":"发送失败","data":{"detail":"{\"msg_err\":\"触发风控\"}"}}`, Want: channel.Throttled},
	{Name: "a video is no frequency", Body: `{"ret":500,"msg":"发送视频失败"}`, Want: channel.Unsure},
	{Name: "a cover is no ban", Body: `{"ret":500,"msg":"x","data":{"msg":"封面图不可为空"}}`, Want: channel.Permanent},
	{Name: "a file too large", Body: `{"ret":500,"msg":"x","data":{"msg":"文件大小超过限制"}}`, Want: channel.Permanent},
	{Name: "a bad param", Body: `{"ret":500,"msg":"参数错误"}`, Want: channel.Permanent},
	{Name: "ret 400", Body: `{"ret":400,"msg":"x"}`, Want: channel.Permanent},
	{Name: "ret 500 without a reason", Body: `{"ret":500,"msg":null,"data":null}`, Want: channel.Unsure},
	{Name: "ret 500 with an unknown reason", Body: `{"ret":500,"msg":"发送失败","data":{"msg":"exceeded maximum retries"}}`, Want: channel.Unsure},
	{Name: "another ret", Body: `{"ret":-3,"msg":"x"}`, Want: channel.Permanent},
}

const (
	sentData = `{"ret":200,"msg":"操作成功","data":{"toWxid":"u","createTime":1790000000,"msgId":0,"newMsgId":9007199254740993,"type":1}}`
	sentNote = `{"createTime":"1790000000","msgId":"0","newMsgId":"9007199254740993"}`
)

func harness(a channel.Account) channeltest.Harness {
	return channeltest.Harness{
		Adapter:  Adapter,
		Accounts: []channel.Account{a},
		Now:      noon,
		Command:  engine.Command{TaskID: "task-1", Account: "shop", Conversation: friend, Action: engine.SendText, Text: "hi"},
		Answers:  answers,
		Success:  sentData,
		Note:     sentNote,
	}
}

func TestSuite(t *testing.T) {
	h := harness(shop())
	h.Callbacks = withHashes(t, callbacks)
	channeltest.Run(t, h)
}

// With a secret, everything but the control packets needs the header.
func TestSuiteWithASecret(t *testing.T) {
	a := shop()
	a.Secret = "header-secret/+"
	h := harness(a)
	for _, c := range withHashes(t, callbacks) {
		bare := c
		c.Header = http.Header{"Authorization": {a.Secret}}
		h.Callbacks = append(h.Callbacks, c)
		if control := c.Refused == "" && c.Events == nil && strings.HasPrefix(c.Name, "the address") && c.Name != "the address is tried by a message"; control {
			h.Callbacks = append(h.Callbacks, bare)
			continue
		}
		bare.Name += ", without the header"
		bare.Events, bare.Foreign, bare.Refused, bare.Answer = nil, "", "signature", notFound
		almost := bare
		almost.Name, almost.Header = c.Name+", with Bearer before it", http.Header{"Authorization": {"Bearer " + a.Secret}}
		h.Callbacks = append(h.Callbacks, bare, almost)
	}
	channeltest.Run(t, h)
}

// withHashes fills in the identities that are hashes of the body.
func withHashes(t *testing.T, all []channeltest.Callback) (filled []channeltest.Callback) {
	t.Helper()
	for _, c := range all {
		for i := range c.Events {
			if strings.HasPrefix(c.Events[i].ID, "sha256:") {
				c.Events = append([]engine.Event(nil), c.Events...)
				c.Events[i].ID = digest([]byte(c.Body))
			}
		}
		filled = append(filled, c)
	}
	return filled
}
