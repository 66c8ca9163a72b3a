package wecom

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

// streamAnswer is an answer as the platform reads it.
type streamAnswer struct {
	MsgType string
	Stream  struct {
		ID, Content string
		Finish      bool
	}
}

// openPlain decrypts what an AI bot's callback was answered.
func openPlain(t *testing.T, a channel.Account, answer channel.Answer) []byte {
	t.Helper()
	var e struct {
		Encrypt, MsgSignature, Nonce string
		Timestamp                    json.Number
	}
	if err := json.Unmarshal(answer.Body, &e); err != nil || answer.Status != 200 {
		t.Fatalf("answered %d %q: %v", answer.Status, answer.Body, err)
	}
	if e.Nonce != "nonce-1" {
		t.Errorf("nonce %q, want the request's", e.Nonce)
	}
	plain, err := secretOf(t, a).Open(e.MsgSignature, string(e.Timestamp), e.Nonce, e.Encrypt)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// openAnswer reads an answer that is a stream.
func openAnswer(t *testing.T, a channel.Account, answer channel.Answer) streamAnswer {
	t.Helper()
	var s streamAnswer
	if plain := openPlain(t, a, answer); json.Unmarshal(plain, &s) != nil || s.MsgType != "stream" {
		t.Fatalf("answered %s", plain)
	}
	return s
}

// inStream is a message as it is answered: by a stream, and later through url.
func inStream(id, url string, e engine.Event) engine.Event {
	stream := newStreamID("helper", id)
	e.Kind, e.ID, e.Sender, e.Tally = engine.Message, id, "lina", stream.replies()
	if e.Conversation = "lina"; e.Group {
		e.Conversation, e.Mention = "SYNTHCHATID", engine.MentionMe
	}
	return ticketed(stream, "1767225600", url, e)
}

func ticketed(stream streamID, began, url string, e engine.Event) engine.Event {
	e.Ticket = engine.Ticket{Token: stream.said(), Expires: noon.Add(time.Hour)}
	e.Learned = []engine.Note{{Key: stream.began(), Value: began, Expires: noon.Add(2 * time.Hour)}}
	if url != "" {
		e.Learned = append(e.Learned, engine.Note{Key: stream.url(), Value: url, Expires: noon.Add(2 * time.Hour)})
	}
	return e
}

const responseURL = "https://qyapi.weixin.qq.com/cgi-bin/aibot/response?response_code=SYNTHRESPONSECODE"

var botReadings = []struct {
	name  string
	plain string // or the name of a vector
	want  engine.Event
}{
	{"text", `{"msgid":"SYNTHMSGID-0001","aibotid":"SYNTHAIBOTID","chattype":"single","from":{"userid":"LiNa"},"msgtype":"text","text":{"content":"查订单 42"}}`,
		inStream("SYNTHMSGID-0001", "", engine.Event{Type: "text", Text: "查订单 42"})},
	{"text in a group", "synth-json-aibot_text_group", inStream("SYNTHMSGID-0002", responseURL+"2", engine.Event{
		Type: "text", Group: true, Text: "@示例机器人 hello", Params: map[string]string{"quote.msgtype": "text", "quote.text.content": "被引用的内容"}})},
	{"image", "synth-json-aibot_image", inStream("SYNTHMSGID-0003", responseURL+"3", engine.Event{
		Type: "image", Media: []engine.Media{{Kind: "image", URL: "https://ww-aibot-img.example.com/SYNTH?sign=abc"}}})},
	{"text and image", "synth-json-aibot_mixed", inStream("SYNTHMSGID-0004", responseURL+"4", engine.Event{
		Type: "mixed", Group: true, Text: "@示例机器人 这是什么", Media: []engine.Media{{Kind: "image", URL: "https://ww-aibot-img.example.com/SYNTH2?sign=abc"}}})},
	{"voice", "synth-json-aibot_voice", inStream("SYNTHMSGID-0005", responseURL+"5", engine.Event{Type: "voice", Text: "语音转成的文字"})},

	{"the chat was opened", `{"msgid":"M9","create_time":1767225600,"chattype":"single","from":{"userid":"lina"},"msgtype":"event","event":{"eventtype":"enter_chat","enter_chat":{}}}`,
		engine.Event{Kind: engine.EnterChat, ID: "M9", Sender: "lina", Conversation: "lina", Time: noon, Mute: noEnter}},
	{"a card was answered", "synth-json-aibot_template_card_event", ticketed(newStreamID("helper", "SYNTHMSGID-0010"), "0", responseURL+"10", engine.Event{
		Kind: engine.Button, ID: "SYNTHMSGID-0010", Sender: "lina", Conversation: "lina", Time: noon, Text: "submit_1",
		Params: map[string]string{"card_type": "vote_interaction", "task_id": "task-0001", "selected.q1": "a,b"}})},
	{"feedback", `{"msgid":"M11","create_time":1767225600,"chattype":"single","from":{"userid":"lina"},"msgtype":"event","event":{"eventtype":"feedback_event","feedback_event":{"id":"fb-0001","type":2,"content":"答非所问","inaccurate_reason_list":[2,4]}}}`,
		engine.Event{Kind: engine.Feedback, ID: "M11", Sender: "lina", Conversation: "lina", Time: noon, Text: "答非所问", Mute: noComment,
			Params: map[string]string{"id": "fb-0001", "type": "2", "inaccurate_reason_list": "2,4"}}},
	{"an event that is not known", `{"msgid":"M12","chattype":"single","from":{"userid":"lina"},"msgtype":"event","event":{"eventtype":"auth_change_event","auth_change_event":{"n":9007199254740993}}}`,
		engine.Event{Kind: engine.Unknown, Type: "auth_change_event", ID: "M12", Sender: "lina", Conversation: "lina",
			Params: map[string]string{"n": "9007199254740993"}}},
}

func TestBotDocuments(t *testing.T) {
	for _, tt := range botReadings {
		t.Run(tt.name, func(t *testing.T) {
			plain := tt.plain
			if strings.HasPrefix(plain, "synth-") {
				plain = plaintext(t, plain)
			}
			receipt, refusal := tell(t, botAccount, plain)
			if refusal != nil || len(receipt.Events) != 1 {
				t.Fatalf("got %+v, %v", receipt, refusal)
			}
			got := *receipt.Events[0]
			if got.Time.IsZero() {
				got.Time = noon // wantReading's own
			}
			wantReading(t, got, tt.want)
			if got.Kind != engine.Message {
				if receipt.Answer.Status != 200 || len(receipt.Answer.Body) > 0 {
					t.Errorf("answered %q, want nothing", receipt.Answer.Body)
				}
				return
			}
			first := openAnswer(t, botAccount, receipt.Answer).Stream
			if "stream/"+first.ID != got.Ticket.Token || first.Finish || first.Content != "" {
				t.Errorf("answered %+v, want the stream %s opened", first, got.Ticket.Token)
			}
		})
	}
}

// Who opens the chat is welcomed in the callback's own answer, each time that it
// is repeated; nothing else is answered so.
func TestABotWelcomes(t *testing.T) {
	polite := botAccount
	polite.Welcome = "您好 <b>"
	entered := `{"msgid":"M9","create_time":1767225600,"chattype":"single","from":{"userid":"lina"},"msgtype":"event","event":{"eventtype":"enter_chat","enter_chat":{}}}`
	for range 2 {
		receipt, refusal := tell(t, polite, entered)
		if refusal != nil || len(receipt.Events) != 1 || receipt.Events[0].Kind != engine.EnterChat {
			t.Fatalf("got %+v, %v", receipt, refusal)
		}
		var told struct {
			MsgType string
			Text    struct{ Content string }
		}
		if err := json.Unmarshal(openPlain(t, polite, receipt.Answer), &told); err != nil || told.MsgType != "text" || told.Text.Content != polite.Welcome {
			t.Errorf("answered %+v, %v", told, err)
		}
	}
	receipt, refusal := tell(t, polite, plaintext(t, "synth-json-aibot_template_card_event"))
	if refusal != nil || len(receipt.Answer.Body) > 0 {
		t.Errorf("a press was answered %q, %v", receipt.Answer.Body, refusal)
	}
	for _, a := range []channel.Account{appAccount, robotAccount, botAccount} {
		if a.Welcome = "hello"; a.Form == FormAIBot {
			a.Welcome = strings.Repeat("界", 683)
		}
		if _, err := checkedSender(a, channeltest.Host(t)); err == nil || !strings.Contains(err.Error(), "welcome") {
			t.Errorf("form %s: got %v", a.Form, err)
		}
	}
}

func TestBotDocumentsThatAreNotTaken(t *testing.T) {
	tests := []struct{ name, plain, reason, detail string }{
		{"XML", xmlOf("<MsgType>text</MsgType><MsgId>1</MsgId>"), "ids", `MsgId "1"`},
		{"nothing", "", "json", "malformed"},
		{"a list", "[]", "json", "malformed"},
		{"no id", `{"from":{"userid":"lina"},"msgtype":"text"}`, "ids", "no msgid"},
		{"no sender", `{"msgid":"m-1","msgtype":"text"}`, "ids", `msgid "m-1"`},
		{"no type", `{"msgid":"m","from":{"userid":"lina"}}`, "ids", "msgtype"},
		{"an endless id", `{"msgid":"` + strings.Repeat("i", 513) + `","from":{"userid":"lina"},"msgtype":"text"}`, "ids", "512"},
		{"a group without id", `{"msgid":"m","chattype":"group","from":{"userid":"lina"},"msgtype":"text"}`, "ids", "chatid"},
		{"a poll for nothing", `{"msgid":"m","from":{"userid":"lina"},"msgtype":"stream","stream":{}}`, "ids", "stream.id"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			receipt, refusal := tell(t, botAccount, tt.plain)
			if refusal == nil || refusal.Reason != tt.reason || !strings.Contains(refusal.Detail, tt.detail) || refusal.Answer.Status != 400 {
				t.Errorf("got %+v, %v, want %s: …%s…", receipt, refusal, tt.reason, tt.detail)
			}
		})
	}
}

func TestUnmention(t *testing.T) {
	nameless := botAccount
	nameless.Names = nil
	for text, want := range map[string]string{
		"@小助手 绑定":      "绑定",
		"@小助手\u2005绑定": "绑定",
		"@小助手":         "",
		"绑定 @小助手":      "绑定 @小助手",
		" 绑定 ":         " 绑定 ",
	} {
		for _, c := range []struct {
			account channel.Account
			chat    string
			want    string
		}{
			{nameless, `"chattype":"group","chatid":"g",`, want},
			{nameless, `"chattype":"single",`, text},
			{botAccount, `"chattype":"group","chatid":"g",`, text}, // the engine knows its name
		} {
			receipt, refusal := tell(t, c.account, `{"msgid":"m",`+c.chat+`"from":{"userid":"lina"},"msgtype":"text","text":{"content":"`+text+`"}}`)
			if refusal != nil || receipt.Events[0].Text != c.want {
				t.Errorf("%q with names %q: got %+v, %v, want %q", text, c.account.Names, receipt, refusal, c.want)
			}
		}
	}
}

// A repeat must be given the same stream, another message another one.
func TestStreamIDs(t *testing.T) {
	ids := make(map[streamID]bool)
	for _, of := range [][2]string{{"a", "1"}, {"a", "2"}, {"b", "1"}, {"a1", ""}, {"", "a1"}} {
		id := newStreamID(of[0], of[1])
		if id != newStreamID(of[0], of[1]) || len(id) != 32 {
			t.Errorf("%q: id %q", of, id)
		}
		ids[id] = true
	}
	if len(ids) != 5 {
		t.Errorf("%d ids, want 5", len(ids))
	}
}
