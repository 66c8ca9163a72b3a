package wkteam

import (
	"net/http"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

var (
	taken     = channel.Answer{Status: 200, ContentType: "application/json", Body: []byte(autoAck)}
	broken    = channel.Answer{Status: 400, ContentType: "application/json", Body: []byte(`{"code":"1001","message":"json","data":null}`)}
	nameless  = channel.Answer{Status: 400, ContentType: "application/json", Body: []byte(`{"code":"1001","message":"ids","data":null}`)}
	strangers = channel.Answer{Status: 401, ContentType: "application/json", Body: []byte(`{"code":"1001","message":"signature","data":null}`)}
)

// answers are what the platform says to a send besides what every one may. What
// makes the sender ask for its instance is in instance_test.go.
var answers = []channeltest.Answer{
	{Name: "msg in place of message and a number for a code", Body: `{"code":1000,"msg":"处理成功","data":{"newMsgId":8200000000000009001,"msgId":800009001,"createTime":1790000000}}`},
	{Name: "the token is wrong", Body: `{"code":"1001","message":"Token无效","data":null}`, Want: channel.Credential},
	{Name: "the developer account is frozen", Body: `{"code":"1001","message":"账号已冻结"}`, Want: channel.Credential},
	{Name: "too often", Body: `{"code":"1001","message":"操作过于频繁"}`, Want: channel.Throttled},
	{Name: "risk control", Body: `{"code":1001,"msg":"触发风控"}`, Want: channel.Throttled},
	{Name: "a bad parameter", Body: `{"code":"1001","message":"参数错误"}`, Want: channel.Permanent},
	{Name: "a thumbnail beyond its size", Body: `{"code":"1001","message":"图片大小超出51200","data":null}`, Want: channel.Permanent},
	{Name: "a width is no wId", Body: `{"code":"1001","message":"width of the picture"}`, Want: channel.Permanent},
	{Name: "just a failure", Body: `{"code":"1001","message":"失败","data":null}`, Want: channel.Permanent},
	{Name: "WeChat did not answer the gateway", Body: `{"code":"1001","message":"请求超时"}`, Want: channel.Unsure},
	{Name: "another code", Body: `{"code":"1999","message":"?"}`, Want: channel.Unsure},
	{Name: "another code with words that are known", Body: `{"code":500,"message":"token error"}`, Want: channel.Credential},
	{Name: "no code", Body: `{"status":"success"}`, Want: channel.Unsure},
	{Name: "a list", ContentType: "application/json", Body: `[]`, Want: channel.Unsure},
	{Name: "nothing", Want: channel.Unsure},
	{Name: "longer than is read", Body: `{"code":"1000","x":"` + strings.Repeat("x", channel.MaxReply) + `"}`, Want: channel.Unsure},
}

func harness() channeltest.Harness {
	account := shop
	account.Token, account.WID = "t0ken/+secret", "w-configured"
	return channeltest.Harness{
		Adapter:   Adapter,
		Accounts:  []channel.Account{account},
		Callbacks: callbacks,
		Now:       noon,
		Command:   engine.Command{TaskID: "task-1", Conversation: "u", Action: engine.SendText, Text: "hi"},
		Answers:   answers,
		Success:   `{"code":"1000","message":"处理成功","data":{"type":1,"msgId":800009001,"newMsgId":8200000000000009001,"createTime":1790000000,"wcId":"u"}}`,
		Note:      `{"createTime":"1790000000","msgId":"800009001","newMsgId":"8200000000000009001"}`,
	}
}

func TestSuite(t *testing.T) { channeltest.Run(t, harness()) }

func TestSuiteWithASecretHeader(t *testing.T) {
	h := harness()
	h.Accounts[0].Secret = "header/+secret"
	h.Callbacks = nil
	for _, c := range callbacks {
		c.Header = http.Header{"Authorization": {"header/+secret"}}
		h.Callbacks = append(h.Callbacks, c)
	}
	text := callbacks[0].Body
	h.Callbacks = append(h.Callbacks,
		channeltest.Callback{Name: "without the header", Body: text, Refused: "signature", Answer: strangers},
		channeltest.Callback{Name: "another value", Header: http.Header{"Authorization": {"guessed"}}, Body: text, Refused: "signature", Answer: strangers},
		channeltest.Callback{Name: "a value that is longer", Header: http.Header{"Authorization": {"header/+secret+"}}, Body: text, Refused: "signature", Answer: strangers},
		channeltest.Callback{Name: "neither known nor JSON", Body: `{`, Refused: "signature", Answer: strangers},
		channeltest.Callback{Name: "a ping of nobody", Body: `{"messageType":"00000"}`, Refused: "signature", Answer: strangers},
	)
	h.Command = engine.Command{TaskID: "task-1", Conversation: "u", Action: engine.AcceptFriend,
		Params: map[string]any{"v1": "a", "v2": "b", "scene": "14"}}
	h.Answers, h.Success, h.Note = nil, `{"code":"1000","data":null}`, ""
	channeltest.Run(t, h)
}
