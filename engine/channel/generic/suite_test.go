package generic

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

var noon = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

var (
	success     = channel.Answer{Status: 200, ContentType: "text/plain; charset=utf-8", Body: []byte("success")}
	successJSON = channel.Answer{Status: 200, ContentType: "application/json", Body: []byte(`{"status":"success"}`)}
	invalid     = channel.Answer{Status: 400, ContentType: "text/plain; charset=utf-8", Body: []byte("invalid_data")}
	invalidJSON = channel.Answer{Status: 400, ContentType: "application/json", Body: []byte(`{"status":"error"}`)}
	stranger    = channel.Answer{Status: 401, ContentType: "text/plain; charset=utf-8", Body: []byte("unauthorized")}
)

const appID = "app-test-01"

func one(e engine.Event) []engine.Event {
	e.Account = "shop"
	return []engine.Event{e}
}

// callbacks are what gateways send, readings by platforms/generic.md.
var callbacks = []channeltest.Callback{
	{
		Name: "friend request",
		Body: `{"type":"FRIEND_REQUEST","eventId":"evt-test-0001","appId":"app-test-01","scene":"scene-credential-test-0001"}`,
		Events: one(engine.Event{Kind: engine.FriendRequest, ID: "evt-test-0001", Conversation: "evt-test-0001",
			Params: map[string]string{"scene": "scene-credential-test-0001"}}),
		Answer: success,
	},
	{
		Name: "friend request that says who and why",
		Body: `{"type":"FRIEND_REQUEST","eventId":"evt-test-0002","appId":"app-test-01","scene":"scene-credential-test-0002",
			"fromUser":"user-test-02","nickname":"新朋友","content":"我是小王","timestamp":1790000000}`,
		Events: one(engine.Event{Kind: engine.FriendRequest, ID: "evt-test-0002", Conversation: "user-test-02",
			Sender: "user-test-02", SenderName: "新朋友", Text: "我是小王", Time: time.Unix(1790000000, 0),
			Params: map[string]string{"scene": "scene-credential-test-0002"}}),
		Answer: success,
	},
	{
		Name:   "friend request without its credential",
		Body:   `{"type":"FRIEND_REQUEST","eventId":"e"}`,
		Events: one(engine.Event{Kind: engine.FriendRequest, ID: "e", Conversation: "e"}),
		Answer: success,
	},
	{
		Name: "friend added",
		Body: `{"type":"FRIEND_ADDED","eventId":"evt-test-0003","appId":"app-test-01","fromUser":"user-test-01","msgId":"msg-test-0001"}`,
		Events: one(engine.Event{Kind: engine.FriendAdded, ID: "msg-test-0001", Conversation: "user-test-01",
			Sender: "user-test-01"}),
		Answer: success,
	},
	{
		Name: "friend added, the same msgId under another eventId",
		Body: `{"type":"FRIEND_ADDED","eventId":"evt-test-0004","appId":"app-test-01","fromUser":"user-test-01","msgId":"msg-test-0001"}`,
		Events: one(engine.Event{Kind: engine.FriendAdded, ID: "msg-test-0001", Conversation: "user-test-01",
			Sender: "user-test-01"}),
		Answer: success,
	},
	{
		Name: "friend added without msgId",
		Body: `{"type":"FRIEND_ADDED","eventId":"evt-test-0005","appId":"app-test-01","fromUser":"user-test-03"}`,
		Events: one(engine.Event{Kind: engine.FriendAdded, ID: "evt-test-0005", Conversation: "user-test-03",
			Sender: "user-test-03"}),
		Answer: success,
	},
	{
		Name: "friend added with an empty msgId",
		Body: `{"type":"FRIEND_ADDED","eventId":"e","fromUser":"u","msgId":""}`,
		Events: one(engine.Event{Kind: engine.FriendAdded, ID: "e", Conversation: "u",
			Sender: "u"}),
		Answer: success,
	},
	{
		Name: "the result of a command",
		Body: `{"type":"COMMAND_RESULT","eventId":"evt-test-0008","appId":"app-test-01","taskId":"bulk/1 a","status":"ok","timestamp":1790000000}`,
		Events: one(engine.Event{Kind: engine.Confirmed, ID: "evt-test-0008", Conversation: "bulk/1 a", Time: time.Unix(1790000000, 0),
			Params: map[string]string{"key": "bulk/1 a", "outcome": "ok"}}),
		Answer: success,
	},
	{
		Name: "the result of a command that failed, its id written as in our envelopes",
		Body: `{"type":"COMMAND_RESULT","eventId":"e","task_id":"t1","status":"failed","reason":"not\na friend"}`,
		Events: one(engine.Event{Kind: engine.Confirmed, ID: "e", Conversation: "t1",
			Params: map[string]string{"key": "t1", "outcome": "failed", "note": "not a friend"}}),
		Answer: success,
	},
	{Name: "the result of nothing", Body: `{"type":"COMMAND_RESULT","eventId":"e","status":"ok"}`, Refused: "ids", Answer: invalid},
	{Name: "a result that says nothing", Body: `{"type":"COMMAND_RESULT","eventId":"e","taskId":"t","status":"maybe"}`, Refused: "ids", Answer: invalid},
	{
		Name: "a type that means nothing",
		Body: `{"type":"GROUP_RENAMED","eventId":"evt-test-0007","appId":"app-test-01","fromUser":7}`,
		Events: one(engine.Event{Kind: engine.Unknown, Type: "GROUP_RENAMED", ID: "evt-test-0007",
			Conversation: "evt-test-0007"}),
		Answer: success,
	},
	{
		Name:   "message",
		Body:   `{"msg_id":"m-test-0001","sender":"user-test-01","content":"你好"}`,
		Events: one(message("m-test-0001", "user-test-01", "你好")),
		Answer: successJSON,
	},
	{
		Name:   "message written another way",
		Body:   " {\r\n \"content\" : \"\\u4f60\\u597d\",\"x\":[1,{\"msg_id\":\"no\"}],\"sender\":\"user-test-01\", \"msg\\u005fid\":\"m-test-0001\"}\n",
		Events: one(message("m-test-0001", "user-test-01", "你好")),
		Answer: successJSON,
	},
	{
		Name:   "message with a type of its own",
		Body:   `{"msg_id":"m","sender":"u","content":"x","type":"text"}`,
		Events: one(message("m", "u", "x")),
		Answer: successJSON,
	},
	{
		Name:   "message whose names come twice: the last counts",
		Body:   `{"msg_id":1,"msg_id":"m","sender":"a","content":"x","sender":"u"}`,
		Events: one(message("m", "u", "x")),
		Answer: successJSON,
	},
	{
		Name:   "message whose names differ in case only",
		Body:   `{"msg_id":"m","sender":"u","content":"x","MSG_ID":"n","Sender":"v"}`,
		Events: one(message("m", "u", "x")),
		Answer: successJSON,
	},
	{
		Name:   "message without content",
		Body:   `{"msg_id":"m","sender":"u"}`,
		Events: one(message("m", "u", "")),
		Answer: successJSON,
	},
	{
		Name:   "message of digits too long for floating point",
		Body:   `{"msg_id":"9007199254740993","sender":"9007199254740995","content":9007199254740997}`,
		Events: one(message("9007199254740993", "9007199254740995", "9007199254740997")),
		Answer: successJSON,
	},
	{
		Name:   "the longest id",
		Body:   `{"msg_id":"` + strings.Repeat("i", 512) + `","sender":"u","content":""}`,
		Events: one(message(strings.Repeat("i", 512), "u", "")),
		Answer: successJSON,
	},
	{
		Name:    "somebody else's event",
		Body:    `{"type":"FRIEND_REQUEST","eventId":"e51","appId":"app-other","scene":"s"}`,
		Foreign: "app-other", Answer: success,
	},
	{
		Name:    "somebody else's message",
		Body:    `{"msg_id":"m","sender":"u","content":"x","appId":"app-other"}`,
		Foreign: "app-other", Answer: successJSON,
	},

	{Name: "typed without eventId", Body: `{"type":"FRIEND_REQUEST","appId":"app-test-01","scene":"s"}`, Refused: "ids", Answer: invalid},
	{Name: "typed without type", Body: `{"eventId":"evt-test-0006","appId":"app-test-01"}`, Refused: "ids", Answer: invalid},
	{Name: "typed with a null type", Body: `{"type":null,"eventId":"e"}`, Refused: "ids", Answer: invalid},
	{Name: "typed with a number for an id", Body: `{"type":"FRIEND_REQUEST","eventId":12}`, Refused: "ids", Answer: invalid},
	{Name: "typed with an empty id", Body: `{"type":"FRIEND_REQUEST","eventId":""}`, Refused: "ids", Answer: invalid},
	{Name: "typed with an endless id", Body: `{"type":"X","eventId":"` + strings.Repeat("i", 513) + `"}`, Refused: "ids", Answer: invalid},
	{Name: "typed with a broken surrogate for an id", Body: `{"type":"X","eventId":"\ud800"}`, Refused: "ids", Answer: invalid},
	{Name: "typed with a number for an appId", Body: `{"type":"X","eventId":"e","appId":1}`, Refused: "ids", Answer: invalid},
	{Name: "friend added by nobody", Body: `{"type":"FRIEND_ADDED","eventId":"e","msgId":"m"}`, Refused: "ids", Answer: invalid},
	{Name: "friend added with a number for a msgId", Body: `{"type":"FRIEND_ADDED","eventId":"e","fromUser":"u","msgId":5}`, Refused: "ids", Answer: invalid},
	{Name: "friend request by a number", Body: `{"type":"FRIEND_REQUEST","eventId":"e","fromUser":5}`, Refused: "ids", Answer: invalid},
	{Name: "message with an empty id", Body: `{"msg_id":"","sender":"u","content":"x"}`, Refused: "ids", Answer: invalidJSON},
	{Name: "message with a null id", Body: `{"msg_id":null,"sender":"u","content":"x"}`, Refused: "ids", Answer: invalidJSON},
	{Name: "message with a number for an id", Body: `{"msg_id":1,"sender":"u","content":"x"}`, Refused: "ids", Answer: invalidJSON},
	{Name: "message with a list for an id", Body: `{"msg_id":["m"],"sender":"u"}`, Refused: "ids", Answer: invalidJSON},
	{Name: "message with an endless id", Body: `{"msg_id":"` + strings.Repeat("界", 171) + `","sender":"u"}`, Refused: "ids", Answer: invalidJSON},
	{Name: "message from nobody", Body: `{"msg_id":"m","content":"x"}`, Refused: "ids", Answer: invalidJSON},
	{Name: "message and half an event", Body: `{"msg_id":"","eventId":"e"}`, Refused: "ids", Answer: invalidJSON},
	{Name: "message without id", Body: `{"sender":"user-test-01","content":"没有id"}`, Refused: "ids", Answer: invalid},

	{Name: "an empty object", Body: `{}`, Refused: "ids", Answer: invalid},
	{Name: "nothing", Body: ``, Refused: "json", Answer: invalid},
	{Name: "half an object", Body: `{`, Refused: "json", Answer: invalid},
	{Name: "two objects", Body: `{"msg_id":"m","sender":"u"}{}`, Refused: "json", Answer: invalid},
	{Name: "a list", Body: `[]`, Refused: "json", Answer: invalid},
	{Name: "null", Body: `null`, Refused: "json", Answer: invalid},
	{Name: "a string", Body: `"msg_id"`, Refused: "json", Answer: invalid},
	{Name: "a form", Body: `msg_id=m&sender=u`, Refused: "json", Answer: invalid},
	{Name: "invalid UTF-8", Body: "{\"msg_id\":\"m\xff\",\"sender\":\"u\"}", Refused: "json", Answer: invalid},
	{Name: "a list in a list, a hundred thousand deep", Body: strings.Repeat("[", 100_000), Refused: "json", Answer: invalid},
	{Name: "an object as deep", Body: strings.Repeat(`{"a":`, 100_000), Refused: "json", Answer: invalid},
}

func message(id, sender, content string) engine.Event {
	return engine.Event{Kind: engine.Message, Type: "text", ID: id, Conversation: sender, Sender: sender, Text: content}
}

// answers are what gateways say to a send besides what every platform may.
var answers = []channeltest.Answer{
	{Name: "no body"},
	{Name: "a word", Body: "ok"},
	{Name: "ok", Body: `{"status":"OK"}`},
	{Name: "status 200", Body: `{"status":200}`},
	{Name: "code 0", Body: `{"code":0,"msg":"done"}`},
	{Name: "code 200 as text", Body: `{"code":"200"}`},
	{Name: "code 1000", Body: `{"code":1000}`},
	{Name: "ret 200", Body: `{"ret":200}`},
	{Name: "errcode 0", Body: `{"errcode":0,"errmsg":"ok"}`},
	{Name: "no verdict", Body: `{"id":"123"}`},
	{Name: "a list", Body: `[]`},
	{Name: "created", Status: 201, Body: `{"status":"success"}`},
	{Name: "a failure by status", Body: `{"status":"error","msg":"not a friend, sending refused"}`, Want: channel.Permanent},
	{Name: "a failure by code", Body: `{"code":9499}`, Want: channel.Permanent},
	{Name: "400 with a code", Status: 400, Body: `{"code":9499}`, Want: channel.Permanent},
	{Name: "a failure by ret", Body: `{"ret":500}`, Want: channel.Permanent},
	{Name: "a failure by error", Body: `{"error":"no such user"}`, Want: channel.Permanent},
	{Name: "a failure by success", Body: `{"success":false,"code":0}`, Want: channel.Permanent},
	{Name: "a failure by an object", Body: `{"status":{"code":1}}`, Want: channel.Permanent},
	{Name: "throttled by errcode", Body: `{"errcode":45009,"errmsg":"reach max api daily quota limit"}`, Want: channel.Throttled},
	{Name: "throttled by code, with a time", Header: map[string]string{"Retry-After": "3"}, Body: `{"code":429}`, Want: channel.Throttled},
	{Name: "throttled by status", Body: `{"status":"throttled"}`, Want: channel.Throttled},
	{Name: "a token refused in the body", Body: `{"code":401}`, Want: channel.Credential},
	{Name: "JSON by its type alone, broken", ContentType: "application/json; charset=utf-8", Body: `oops`, Want: channel.Unsure},
	{Name: "JSON cut off by its length", Body: `{"status":"success","x":"` + strings.Repeat("x", channel.MaxReply) + `"}`, Want: channel.Unsure},
	{Name: "an earlier attempt is still at work", Status: 409, Want: channel.Transient},
}

func TestSuite(t *testing.T) {
	channeltest.Run(t, channeltest.Harness{
		Adapter:   Adapter,
		Accounts:  []channel.Account{{Name: "shop", AppID: appID, Token: "t0ken/+secret"}},
		Callbacks: callbacks,
		Now:       noon,
		Command:   engine.Command{TaskID: "task-1", Conversation: "u", Action: engine.SendText, Text: "hi"},
		Answers:   answers,
		Success:   `{"status":"success"}`,
		Repeats:   true,
	})
}

func TestSuiteSigned(t *testing.T) {
	account := channel.Account{Name: "shop", AppID: appID, Token: "t0ken", Secret: "whsec_MDEyMzQ1Njc4OWFiY2RlZg=="}
	webhook, err := channel.NewWebhook(account.Secret, 0)
	if err != nil {
		t.Fatal(err)
	}
	sign := func(q *channel.Request) {
		for k, v := range webhook.Sign("w-1", q.Now, q.Body) {
			q.Header[k] = v
		}
	}
	signed := make([]channeltest.Callback, 0, len(callbacks)+1)
	for _, c := range callbacks {
		c.Sign = sign
		signed = append(signed, c)
	}
	signed = append(signed,
		channeltest.Callback{Name: "not signed and not parsed", Body: `{`, Refused: "signature", Answer: stranger},
		channeltest.Callback{
			Name: "signed an hour ago", Body: `{"msg_id":"m","sender":"u"}`, Refused: "timestamp", Answer: stranger,
			Sign: func(q *channel.Request) { q.Header = webhook.Sign("w", noon.Add(-time.Hour), q.Body) },
		})
	channeltest.Run(t, channeltest.Harness{
		Adapter: Adapter, Accounts: []channel.Account{account}, Callbacks: signed, Now: noon,
		Command: engine.Command{TaskID: "task-1", Conversation: "u", Action: engine.AcceptFriend, Params: map[string]any{"scene": "s"}},
		Success: `{"code":0}`, Repeats: true,
	})
}

func TestMethods(t *testing.T) {
	if len(Adapter.Methods) != 1 || Adapter.Methods[0] != http.MethodPost {
		t.Errorf("methods %v, want POST alone", Adapter.Methods)
	}
}
