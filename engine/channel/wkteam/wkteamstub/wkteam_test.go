package wkteamstub

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http/httptest"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/stub"
)

const firstLogin = "00000000-1111-4222-8333-000000000001"

func newGateway(t *testing.T) *stub.Stub {
	return newStub(t, stub.Options{Account: channel.Account{Token: "t0ken", Self: "wxid_bot", Secret: "header"}})
}

// ask posts without a network, with the right token unless another is given.
func ask(s *stub.Stub, path, body, token string) (status int, answer string) {
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	r.Header.Set("Authorization", token)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w.Code, w.Body.String()
}

func TestRefusals(t *testing.T) {
	const me = `"wId":"` + firstLogin + `"`
	tests := []struct {
		name, path, body, token string
		status                  int
		says                    string
	}{
		{"a text", "/sendText", `{` + me + `,"wcId":"u","content":"x"}`, "t0ken", 200, `"code":"1000"`},
		{"another token", "/sendText", `{` + me + `,"wcId":"u","content":"x"}`, "Bearer t0ken", 200, "token无效"},
		{"not JSON", "/sendText", `wcId=u`, "t0ken", 200, "参数错误"},
		{"no instance", "/sendText", `{"wcId":"u","content":"x"}`, "t0ken", 200, "wId不能为空"},
		{"an instance that was never", "/sendText", `{"wId":"w","wcId":"u","content":"x"}`, "t0ken", 200, "实例不存在"},
		{"no content", "/sendText", `{` + me + `,"wcId":"u","content":""}`, "t0ken", 200, "参数错误：content"},
		{"a request that was never made", "/acceptUser", `{` + me + `,"v1":"a","v2":"b","type":14}`, "t0ken", 200, "v1或v2"},
		{"an address that is none", "/setHttpCallbackUrl", `{"httpUrl":"x","type":2}`, "t0ken", 200, "参数错误"},
		{"the old form of callbacks", "/setHttpCallbackUrl", `{"httpUrl":"http://x","type":1}`, "t0ken", 200, "参数错误"},
		{"no such call", "/sendThought", `{` + me + `}`, "t0ken", 404, "Not Found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newGateway(t)
			status, answer := ask(s, tt.path, tt.body, tt.token)
			if status != tt.status || !strings.Contains(answer, tt.says) {
				t.Errorf("got %d %s, want %d with %s", status, answer, tt.status, tt.says)
			}
			if done := strings.Contains(answer, `"1000"`); s.Calls(nil)[0].Refused == done || s.Calls(nil)[0].Authorized != (tt.token == "t0ken") || (s.Counts().Done == 1) != done {
				t.Errorf("the ledger has %+v, and %+v", s.Calls(nil)[0], s.Counts())
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	s := newGateway(t)
	data := func(path, body string, into any) {
		t.Helper()
		_, answer := ask(s, path, `{"wId":"`+firstLogin+`",`+body+`}`, "t0ken")
		var v struct {
			Code string
			Data json.RawMessage
		}
		if err := json.Unmarshal([]byte(answer), &v); err != nil || v.Code != "1000" || json.Unmarshal(v.Data, into) != nil {
			t.Errorf("%s: %s", path, answer)
		}
	}
	var a, b struct {
		MsgID, NewMsgID, CreateTime json.Number
		WcID                        string
	}
	data("/sendText", `"wcId":"u","content":"x"`, &a)
	data("/sendUrl", `"wcId":"u","title":"t","url":"x"`, &b)
	if a.NewMsgID == b.NewMsgID || len(a.NewMsgID) != 19 || a.WcID != "u" || a.CreateTime == "" {
		t.Errorf("sent %+v and %+v", a, b)
	}
	var room struct{ ChatRoomID string }
	if data("/createChatroom", `"userList":"a,b"`, &room); !strings.HasSuffix(room.ChatRoomID, "@chatroom") {
		t.Errorf("room %+v", room)
	}
	var contacts []struct{ UserName string }
	if data("/getContact", `"wcId":"a,b"`, &contacts); len(contacts) != 2 || contacts[1].UserName != "b" {
		t.Errorf("contacts %+v", contacts)
	}
	var found struct{ V1, V2 string }
	if data("/searchUser", `"wcId":"138"`, &found); found.V1 == "" || found.V2 == "" {
		t.Errorf("found %+v", found)
	}
	if ask(s, "/operateChatRoom", `{"wId":"`+firstLogin+`","chatRoomId":"r","wcId":"u","type":3}`, "t0ken"); s.Calls(nil)[5].Action != engine.TransferGroup {
		t.Errorf("ledger %+v", s.Calls(nil)[5])
	}
}

func TestLogsOutAndIn(t *testing.T) {
	s := newGateway(t)
	steps := []struct{ path, body, says string }{
		{"/queryLoginWx", `{}`, `[{"wId":"` + firstLogin + `","wcId":"wxid_bot"}]`},
		{"/offlineReason", `{"wcId":"wxid_bot"}`, `"reason":null`},
		{"/member/offline", `{"wcIds":["wxid_other"]}`, `"1000"`},
		{"/isOnline", `{"wId":"` + firstLogin + `"}`, `"1000"`},
		{"/member/offline", `{"wcIds":["wxid_bot"]}`, `"1000"`},
		{"/isOnline", `{"wId":"` + firstLogin + `"}`, `已离线`},
		{"/queryLoginWx", `{}`, `"data":[]`},
		{"/offlineReason", `{"wcId":"wxid_bot"}`, `主动下线`},
		{"/secondLogin", `{"wcId":"wxid_bot"}`, `-000000000002"`},
		{"/isOnline", `{"wId":"` + firstLogin + `"}`, `实例不存在`},
		{"/offlineReason", `{"wcId":"wxid_bot"}`, `"reason":null`},
	}
	for _, step := range steps {
		if _, answer := ask(s, step.path, step.body, "t0ken"); !strings.Contains(answer, step.says) {
			t.Errorf("%s %s: %s, want %s", step.path, step.body, answer, step.says)
		}
	}
}

func TestCallbacks(t *testing.T) {
	tests := []struct {
		said stub.Said
		want string // "" = an error
	}{
		{stub.Said{Kind: engine.Message, Type: "text", ID: "9007199254740993", User: "u", Text: "x", Time: noon},
			`{"account":"dev-account-stub","data":{"content":"x","fromUser":"u","msgId":254740993,"newMsgId":9007199254740993,"self":false,"timestamp":1788264000,"toUser":"wxid_bot","wId":"` + firstLogin + `"},"messageType":"60001","wcId":"wxid_bot"}`},
		{stub.Said{Kind: engine.Offline, ID: "1", Text: "r"},
			`{"account":"dev-account-stub","data":{"reason":"r","wId":"` + firstLogin + `"},"messageType":"30000","wcId":"wxid_bot"}`},
		{stub.Said{Kind: engine.Message, Type: "hologram", ID: "1"}, ""},
		{stub.Said{Kind: engine.Online, ID: "1"}, ""},
	}
	for _, tt := range tests {
		s := newGateway(t)
		r, err := s.Protocol().Callback("http://bot/callback", tt.said, 0)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%+v: no error", tt.said)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := io.ReadAll(r.Body); string(body) != tt.want || r.Header.Get("Authorization") != "header" {
			t.Errorf("got  %s\nwant %s", body, tt.want)
		}
	}
	if a, b := messageID("e-1"), messageID("e-2"); a <= 0 || b <= 0 || a == b || a != messageID("e-1") {
		t.Errorf("ids %d, %d", a, b)
	}
	if got := fmt.Sprint(messageID("-5") > 0, messageID("99999999999999999999") > 0); got != "true true" {
		t.Error("ids that are no identities of the platform's own")
	}
}
