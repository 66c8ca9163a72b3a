package qiwe

import (
	"net/http"
	"os"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

var (
	ok      = channel.Answer{Status: 200, ContentType: "application/json", Body: []byte(accepted)}
	invalid = unreadable
)

// at is the time of the recorded event of that number.
func at(n int64) time.Time { return time.Unix(1790000000+n, 0) }

func ofShop(e engine.Event) []engine.Event {
	e.Account = "shop"
	return []engine.Event{e}
}

func callbacks(t *testing.T) []channeltest.Callback {
	said := func(id, text string, n int64) engine.Event {
		return engine.Event{Kind: engine.Message, Type: "text", ID: id, Conversation: friend, Sender: friend, Text: text, Time: at(n)}
	}
	inRoom := func(e engine.Event) engine.Event {
		e.Conversation, e.Group = roomID, true
		return e
	}
	mentions := func(e engine.Event, m engine.Mention) engine.Event {
		e.Mention = m
		return e
	}
	return []channeltest.Callback{
		{Name: "a private text", Body: sample(t, "text_private"), Events: ofShop(said("VEVTVFVJRDAwMDAx", "你好，在吗", 1)), Answer: ok},
		{Name: "ids as numbers", Body: sample(t, "text_private_numeric_ids"), Events: ofShop(said("VEVTVFVJRDAwMDAy", "数字型id", 2)), Answer: ok},
		{Name: "a time in milliseconds", Body: sample(t, "text_private_ms_timestamp"), Events: ofShop(said("VEVTVFVJRDAwMDA1", "毫秒时间", 5)), Answer: ok},
		{Name: "a room beyond 2^53", Body: sample(t, "text_group_numeric_room"), Events: ofShop(inRoom(said("VEVTVFVJRDAwMDA4", "房间号是数字", 8))), Answer: ok},
		{Name: "a mention", Body: sample(t, "text_group_at_me"), Events: ofShop(mentions(inRoom(said("VEVTVFVJRDAwMDA5", "@小助手 今天几点开会", 9)), engine.MentionMe)), Answer: ok},
		{Name: "a bare list", Body: sample(t, "envelope_bare_array"), Events: ofShop(said("VEVTVFVJRDAwMDIw", "裸数组", 20)), Answer: ok},
		{Name: "data in a string", Body: sample(t, "envelope_data_string"), Events: ofShop(inRoom(said("VEVTVFVJRDAwMDE4", "data是字符串", 18))), Answer: ok},
		{Name: "a bare event", Body: `{"guid":"` + guid + `","msgType":2,"senderId":"7881","msgUniqueIdentifier":"u","msgData":{"content":"x"}}`,
			Events: ofShop(engine.Event{Kind: engine.Message, Type: "text", ID: "u", Conversation: "7881", Sender: "7881", Text: "x"}), Answer: ok},
		{Name: "an application", Body: sample(t, "friend_request"), Events: ofShop(engine.Event{
			Kind: engine.FriendRequest, ID: "VEVTVFVJRDAwMDM3", Identity: "2357/9000037/VEVTVFVJRDAwMDM3", Time: at(37),
			Conversation: "7881300000000002", Sender: "7881300000000002", SenderName: "新朋友",
			Params:  map[string]string{"userId": "7881300000000002"},
			Learned: []engine.Note{{Key: "applied/7881300000000002", Value: "1", Expires: noon.Add(7 * 24 * time.Hour)}},
		}), Answer: ok},
		{Name: "a contact's change", Body: sample(t, "contact_changed"), Events: ofShop(engine.Event{
			Kind: engine.ContactChanged, ID: "contact_change", Identity: "2131/9000039/contact_change", Time: at(39),
			Conversation: "7881300000000002", Sender: "7881300000000002",
			IfNoted: "applied/7881300000000002", NotedAs: engine.FriendAdded, Learned: []engine.Note{{Key: "applied/7881300000000002"}},
		}), Answer: ok},
		{Name: "an unknown type", Body: sample(t, "unknown_msgtype"), Events: ofShop(engine.Event{
			Kind: engine.Unknown, Type: "88888", ID: "VEVTVFVJRDAwMDYw", Identity: "88888/9000060/VEVTVFVJRDAwMDYw", Time: at(60),
			Conversation: friend, Sender: friend,
		}), Answer: ok},
		{Name: "no events", Body: sample(t, "envelope_empty"), Answer: ok},
		{Name: "a read receipt", Body: sample(t, "read_receipt"), Answer: ok},
		{Name: "a test of the address", Body: sample(t, "test_ping"), Answer: ok},
		{Name: "a test in another field", Body: sample(t, "test_ping_content"), Answer: ok},
		{Name: "a test in data", Body: `{"code":0,"data":"验证回调地址是否可用"}`, Answer: ok},
		{Name: "a connection told", Body: sample(t, "test_ping_connected"), Answer: ok},
		{Name: "a subscription confirmed", Body: sample(t, "subscription_confirm"), Answer: ok},
		{Name: "another's device", Body: `[{"guid":"another","msgType":2}]`, Foreign: "another", Answer: ok},

		// Well-formed and strange: not repeated by the platform, but told to the operator.
		{Name: "an empty object", Body: `{}`, Refused: "ids", Answer: ok},
		{Name: "a ping of a later day", Body: `{"hello":"world"}`, Refused: "ids", Answer: ok},

		{Name: "nothing", Body: ``, Refused: "json", Answer: invalid},
		{Name: "half an object", Body: `{"data":[`, Refused: "json", Answer: invalid},
		{Name: "a word", Body: `"验证回调地址是否可用"`, Refused: "json", Answer: invalid},
		{Name: "a form", Body: `msg=x`, Refused: "json", Answer: invalid},
		{Name: "a list of numbers", Body: `[1,2]`, Refused: "json", Answer: invalid},
		{Name: "data that is a number", Body: `{"code":0,"data":7}`, Refused: "json", Answer: invalid},
		{Name: "data in a string that is none", Body: `{"code":0,"data":"[{"}`, Refused: "json", Answer: invalid},
		{Name: "data in a string in a string", Body: `{"code":0,"data":"\"[]\""}`, Refused: "json", Answer: invalid},
	}
}

func response(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile("testdata/responses/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const sentNote = `{"msgServerId":"1009001","msgUniqueIdentifier":"VEVTVFNFTkQwMQ==","timestamp":"1790000000"}`

func harness(t *testing.T) channeltest.Harness {
	return channeltest.Harness{
		Adapter: Adapter, Accounts: []channel.Account{ours()}, Callbacks: callbacks(t), Now: noon,
		Command: engine.Command{TaskID: "task-1", Account: "shop", Conversation: friend, Action: engine.SendText, Text: "hi"},
		Success: response(t, "send_text_ok"), Note: sentNote,
		Answers: []channeltest.Answer{
			{Name: "not sent, code 0", Body: response(t, "send_text_not_sent"), Want: channel.Permanent},
			{Name: "a failure nobody explains", Body: response(t, "business_error_500"), Want: channel.Unsure},
			{Name: "wrong params", Body: response(t, "business_error_permanent"), Want: channel.Permanent},
			{Name: "words in the other field", Body: `{"code":500,"message":"参数错误"}`, Want: channel.Permanent},
			{Name: "a code as a string", Body: `{"code":"500","msg":"权限不足"}`, Want: channel.Permanent},
			{Name: "a limit reached", Body: `{"code":500,"msg":"今日次数已达上限"}`, Want: channel.Permanent},
			{Name: "a wrong token", Body: `{"code":401,"msg":"未授权"}`, Want: channel.Credential},
			{Name: "a token that has expired", Body: `{"code":500,"msg":"Token已过期"}`, Want: channel.Credential},
			{Name: "logged out", Body: `{"code":500,"msg":"账号未登录"}`, Want: channel.Halted},
			{Name: "too often", Body: `{"code":500,"msg":"操作过于频繁，请稍后再试"}`, Want: channel.Throttled},
			{Name: "too often, by the code", Body: `{"code":429,"msg":""}`, Want: channel.Throttled},
			{Name: "nothing", Body: ``, Want: channel.Unsure},
			{Name: "an object of nobody's", Body: `{"status":"success"}`, Want: channel.Unsure},
			{Name: "503", Status: 503, Want: channel.Transient},
			{Name: "504", Status: 504, Want: channel.Unsure},
		},
	}
}

func TestSuite(t *testing.T) { channeltest.Run(t, harness(t)) }

// The page knows two codes of success.
func TestTheOtherSuccess(t *testing.T) {
	h := harness(t)
	h.Callbacks, h.Answers = nil, nil
	h.Success = response(t, "send_text_ok_code200")
	h.Note = `{"msgServerId":"1009002","msgUniqueIdentifier":"VEVTVFNFTkQwMg==","timestamp":"1790000000"}`
	channeltest.Run(t, h)
}

// With a secret, the callbacks that hold nothing but a test go without it, so
// tampering is tried in TestTheSecretIsWantedOfAllButTestsOfTheAddress.
func TestSuiteWithASecret(t *testing.T) {
	h := harness(t)
	h.Accounts[0].Secret = "s3cret of callbacks"
	for i := range h.Callbacks {
		h.Callbacks[i].Header = http.Header{"Authorization": {"s3cret of callbacks"}}
	}
	channeltest.Run(t, h)
}

func TestMethods(t *testing.T) {
	if len(Adapter.Methods) != 1 || Adapter.Methods[0] != http.MethodPost || Adapter.Name != "qiwe" {
		t.Errorf("adapter %+v", Adapter)
	}
}
