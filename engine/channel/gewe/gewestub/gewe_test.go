package gewestub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/stub"
)

func newGateway(t *testing.T, secret string) *stub.Stub {
	t.Helper()
	return newStub(t, stub.Options{
		Now:     func() time.Time { return noon },
		Account: channel.Account{AppID: "wx_app", Self: "wxid_bot", Token: "t0ken", Secret: secret},
	})
}

// post makes one call and returns the envelope.
func post(s *stub.Stub, token, path, body string) (status int, envelope struct {
	Ret  int
	Msg  *string
	Data json.RawMessage
}) {
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("X-GEWE-TOKEN", token)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	json.Unmarshal(w.Body.Bytes(), &envelope) // what is none stays empty, and the test sees it
	return w.Code, envelope
}

func TestRefusesInTheEnvelope(t *testing.T) {
	tests := []struct {
		name, token, path, body string
		ret                     int
		reason                  string
	}{
		{"a wrong token", "other", "/v2/api/message/postText", `{"appId":"wx_app","toWxid":"u","content":"x"}`, 401, "X-GEWE-TOKEN"},
		{"another appId", "t0ken", "/v2/api/message/postText", `{"appId":"wx_other","toWxid":"u","content":"x"}`, 500, "设备不存在"},
		{"no JSON", "t0ken", "/v2/api/message/postText", `x`, 400, "null"},
		{"nobody to send to", "t0ken", "/v2/api/message/postText", `{"appId":"wx_app","content":"x"}`, 400, "toWxid不可为空"},
		{"a number that is a text", "t0ken", "/v2/api/message/postVoice", `{"appId":"wx_app","toWxid":"u","voiceUrl":"x","voiceDuration":"3"}`, 400, "voiceDuration"},
		{"a list that is a text", "t0ken", "/v2/api/group/createChatroom", `{"appId":"wx_app","wxids":"a,b"}`, 400, "wxids"},
		{"a group of two", "t0ken", "/v2/api/group/createChatroom", `{"appId":"wx_app","wxids":["a"]}`, 500, "MemberList"},
		{"a mention that does not show", "t0ken", "/v2/api/message/postText", `{"appId":"wx_app","toWxid":"1@chatroom","content":"x","ats":"u"}`, 500, "缺少 @"},
		{"what was not sent", "t0ken", "/v2/api/message/revokeMsg", `{"appId":"wx_app","toWxid":"u","msgId":"0","newMsgId":"7","createTime":"0"}`, 500, "已超过可撤回时间"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newGateway(t, "")
			status, e := post(s, tt.token, tt.path, tt.body)
			if status != 200 || e.Ret != tt.ret || !strings.Contains(string(e.Data), tt.reason) {
				t.Errorf("got %d, ret %d, data %s", status, e.Ret, e.Data)
			}
			if c := s.Calls(nil)[0]; !c.Refused || c.Authorized != (tt.token == "t0ken") || s.Counts().Done != 0 {
				t.Errorf("the ledger has %+v, and %+v", c, s.Counts())
			}
		})
	}
	if status, _ := post(newGateway(t, ""), "t0ken", "/v2/api/message/postNothing", `{}`); status != 404 {
		t.Errorf("an unknown call: status %d", status)
	}
}

func TestSendsAndRevokes(t *testing.T) {
	s := newGateway(t, "")
	_, e := post(s, "t0ken", "/gewe/v2/api/message/postText", `{"appId":"wx_app","toWxid":"u","content":"你好"}`)
	var sent struct {
		NewMsgID json.Number `json:"newMsgId"`
	}
	if err := json.Unmarshal(e.Data, &sent); err != nil || len(sent.NewMsgID) != 19 {
		t.Fatalf("sent as %s", e.Data)
	}
	if got := s.Calls(stub.Text("u")); len(got) != 1 || got[0].Text != "你好" {
		t.Errorf("ledger %+v", got)
	}
	revoke := `{"appId":"wx_app","toWxid":"u","msgId":"0","newMsgId":"` + string(sent.NewMsgID) + `","createTime":"1"}`
	for i, ret := range []int{200, 500} {
		if _, e := post(s, "t0ken", "/message/revokeMsg", revoke); e.Ret != ret {
			t.Errorf("revoke number %d: ret %d, want %d", i+1, e.Ret, ret)
		}
	}
}

// heard is a bot that keeps what it was told.
func heard(t *testing.T) (target string, bodies chan map[string]any, headers chan http.Header) {
	t.Helper()
	bodies, headers = make(chan map[string]any, 8), make(chan http.Header, 8)
	bot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m map[string]any
		d := json.NewDecoder(r.Body)
		d.UseNumber()
		if err := d.Decode(&m); err != nil {
			t.Errorf("callback: %v", err)
		}
		headers <- r.Header
		bodies <- m
		io.WriteString(w, "success")
	}))
	t.Cleanup(bot.Close)
	return bot.URL, bodies, headers
}

func TestTellsInBothStructures(t *testing.T) {
	target, bodies, headers := heard(t)
	said := stub.Said{ID: "9007199254740993", User: "wxid_u", Name: "小测", Group: "1@chatroom", Text: "@小助手 你好", Mention: engine.MentionMe}
	for _, secret := range []string{"", "header-secret"} {
		told, err := newGateway(t, secret).Tell(t.Context(), target, said)
		if err != nil || !told.Taken || told.Calls != 1 {
			t.Fatalf("told %+v, %v", told, err)
		}
		body, header := <-bodies, <-headers
		if header.Get("Authorization") != secret {
			t.Errorf("Authorization %q, want %q", header.Get("Authorization"), secret)
		}
		if secret == "" {
			data := body["Data"].(map[string]any)
			content := data["Content"].(map[string]any)["string"]
			if data["NewMsgId"] != json.Number(said.ID) || content != "wxid_u:\n@小助手 你好" ||
				!strings.Contains(data["MsgSource"].(string), "[,wxid_bot]") {
				t.Errorf("v1.0: %v", body)
			}
			continue
		}
		if body["newMsgId"] != json.Number(said.ID) || body["fromGroup"] != "1@chatroom" || body["fromUser"] != "wxid_u" ||
			body["pushContent"] != "小测在群聊中@了你" {
			t.Errorf("v2.0: %v", body)
		}
	}
}

// An account that was told to be offline takes nothing until it is back.
func TestOffline(t *testing.T) {
	target, _, _ := heard(t)
	s := newGateway(t, "")
	text := `{"appId":"wx_app","toWxid":"u","content":"x"}`
	for _, step := range []struct {
		kind   engine.Kind
		ret    int
		online string
	}{{engine.Offline, 500, "false"}, {engine.Online, 200, "true"}} {
		if _, err := s.Tell(t.Context(), target, stub.Said{Kind: step.kind}); err != nil {
			t.Fatal(err)
		}
		if _, e := post(s, "t0ken", "/message/postText", text); e.Ret != step.ret {
			t.Errorf("%s: ret %d, want %d", step.kind, e.Ret, step.ret)
		}
		if _, e := post(s, "t0ken", "/login/checkOnline", `{"appId":"wx_app"}`); string(e.Data) != step.online {
			t.Errorf("%s: online %s", step.kind, e.Data)
		}
	}
}

func TestTriesTheAddress(t *testing.T) {
	target, bodies, headers := heard(t)
	set := func(token, url string) int {
		_, e := post(newGateway(t, "header-secret"), "t0ken", "/tools/setCallback", `{"token":"`+token+`","callbackUrl":"`+url+`"}`)
		return e.Ret
	}
	if ret := set("t0ken", target); ret != 200 {
		t.Errorf("ret %d", ret)
	}
	if body, header := <-bodies, <-headers; body["testMsg"] == nil || header.Get("Authorization") != "" {
		t.Errorf("tried with %v, %v", body, header)
	}
	if ret := set("other", target); ret != 500 {
		t.Errorf("with another token: ret %d", ret)
	}
	if ret := set("t0ken", "http://127.0.0.1:1/"); ret != 500 {
		t.Errorf("an address that nobody is at: ret %d", ret)
	}
}

func TestCannotTellEverything(t *testing.T) {
	for _, what := range []stub.Said{{Kind: engine.Feedback, User: "u"}, {Type: "pigeon", User: "u"}} {
		if _, err := newGateway(t, "").Tell(t.Context(), "http://127.0.0.1:1/", what); err == nil {
			t.Errorf("%+v was told", what)
		}
	}
}

// However many messages are sent, the newest can be taken back and no more are
// kept.
func TestOldMessagesAreForgotten(t *testing.T) {
	s := newGateway(t, "")
	sent := s.Protocol().(*platform)
	for range maxSent + 5 {
		sent.message(&stub.Call{}, nil)
	}
	if n := len(sent.sent); n != maxSent {
		t.Errorf("%d messages are kept", n)
	}
	for id, ret := range map[int64]int{firstID: 500, firstID + 4: 500, firstID + 5: 200, firstID + maxSent + 4: 200} {
		_, e := post(s, "t0ken", "/message/revokeMsg", fmt.Sprintf(`{"appId":"wx_app","toWxid":"u","msgId":"0","newMsgId":"%d","createTime":"0"}`, id))
		if e.Ret != ret {
			t.Errorf("revoke of message %d: ret %d, want %d", id-firstID, e.Ret, ret)
		}
	}
}
