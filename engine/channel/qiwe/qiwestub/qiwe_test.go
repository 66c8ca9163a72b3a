package qiwestub

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/stub"
)

var ours = channel.Account{Token: "t0ken", GUID: "guid-1", Self: "1688000000000001", Secret: "s3cret"}

// do makes one call and returns the code of its answer and the data.
func do(t *testing.T, s *stub.Stub, token, body string) (code int, data map[string]any) {
	t.Helper()
	r := httptest.NewRequest(http.MethodPost, "/qiwe/api/qw/doApi", strings.NewReader(body))
	r.Header.Set("X-QIWEI-TOKEN", token)
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	var said struct {
		Code int
		Data map[string]any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &said); err != nil || w.Code != 200 {
		t.Fatalf("status %d, %v in %s", w.Code, err, w.Body)
	}
	return said.Code, said.Data
}

func TestAnswers(t *testing.T) {
	const text = `{"method":"/msg/sendText","params":{"guid":"guid-1","toId":"7881","content":"hi"}}`
	tests := []struct {
		name, token, body string
		code              int
	}{
		{"a text", "t0ken", text, 0},
		{"the guid in another case", "t0ken", strings.ReplaceAll(text, "guid-1", "GUID-1"), 0},
		{"a wrong token", "guessed", text, 401},
		{"no token", "", text, 401},
		{"another device", "t0ken", strings.ReplaceAll(text, "guid-1", "guid-2"), 500},
		{"nobody to write to", "t0ken", `{"method":"/msg/sendText","params":{"guid":"guid-1"}}`, 500},
		{"a method without its slash", "t0ken", strings.ReplaceAll(text, "/msg", "msg"), 500},
		{"a method that is none", "t0ken", strings.ReplaceAll(text, "/msg/sendText", "/group/send"), 500},
		{"no JSON", "t0ken", `method=/msg/sendText`, 500},
		{"an application that was not made", "t0ken", `{"method":"/contact/agreeContact","params":{"guid":"guid-1","userId":"7881"}}`, 500},
		{"a message that was not sent", "t0ken", `{"method":"/msg/revokeMsg","params":{"guid":"guid-1","chatId":"7881","msgServerId":5}}`, 500},
		{"the address of callbacks", "t0ken", `{"method":"/client/setCallback","params":{"callbackUrl":"https://bot.example.com"}}`, 0},
		{"the same with a guid", "t0ken", `{"method":"/client/setCallback","params":{"guid":"guid-1","callbackUrl":"https://bot.example.com"}}`, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newStub(t, stub.Options{Account: ours})
			if code, _ := do(t, s, tt.token, tt.body); code != tt.code {
				t.Errorf("code %d, want %d", code, tt.code)
			}
			if c := s.Calls(nil)[0]; c.Refused != (tt.code != 0) || c.Authorized != (tt.token == "t0ken") {
				t.Errorf("the ledger has %+v", c)
			}
		})
	}
}

func TestRevokesWhatItSentToThatChat(t *testing.T) {
	s := newStub(t, stub.Options{Account: ours})
	_, data := do(t, s, "t0ken", `{"method":"/msg/sendText","params":{"guid":"guid-1","toId":"7881","content":"hi"}}`)
	id, _ := json.Marshal(data["msgServerId"])
	revoke := func(chat string) int {
		code, _ := do(t, s, "t0ken", `{"method":"/msg/revokeMsg","params":{"guid":"guid-1","chatId":"`+chat+`","msgServerId":`+string(id)+`}}`)
		return code
	}
	if got := []int{revoke("7882"), revoke("7881"), revoke("7881")}; got[0] != 500 || got[1] != 0 || got[2] != 500 {
		t.Errorf("codes %v, want 500 elsewhere, 0 once, 500 again", got)
	}
	if n := len(s.Calls(func(c stub.Call) bool { return c.Action == engine.RevokeMessage && !c.Refused })); n != 1 {
		t.Errorf("%d calls revoked something, want 1", n)
	}
}

func TestSpeaksNotWhileLoggedOut(t *testing.T) {
	s := newStub(t, stub.Options{Account: ours})
	text := func() int {
		code, _ := do(t, s, "t0ken", `{"method":"/msg/sendText","params":{"guid":"guid-1","toId":"7881","content":"hi"}}`)
		return code
	}
	tell := func(k engine.Kind) {
		if _, err := s.Protocol().Callback("http://bot/", stub.Said{Kind: k, Time: noon}, 0); err != nil {
			t.Fatal(err)
		}
	}
	tell(engine.Offline)
	if code := text(); code != 500 {
		t.Errorf("code %d while logged out", code)
	}
	if _, data := do(t, s, "t0ken", `{"method":"/login/checkLogin","params":{"guid":"guid-1"}}`); data["userOnlineStatus"] != 0.0 {
		t.Errorf("state %v while logged out", data)
	}
	tell(engine.Online)
	if code := text(); code != 0 {
		t.Errorf("code %d when back", code)
	}
}

func TestTells(t *testing.T) {
	tests := []struct {
		name string
		said stub.Said
		want []string
		err  bool
	}{
		{"a text", stub.Said{Kind: engine.Message, Type: "text", User: "7881", Text: "你好"},
			[]string{`"cmd":15000`, `"msgType":2`, `"senderId":"7881"`, `"fromRoomId":"0"`, `"content":"你好"`, `"atList":[]`}, false},
		{"a text that mentions the account", stub.Said{Kind: engine.Message, Type: "text", User: "7881", Group: "108", Mention: engine.MentionMe},
			[]string{`"fromRoomId":"108"`, `"userId":"1688000000000001"}]`}, false},
		{"a text that mentions all", stub.Said{Kind: engine.Message, Type: "text", User: "7881", Group: "108", Mention: engine.MentionAll},
			[]string{`"userId":"0"`}, false},
		{"an application", stub.Said{Kind: engine.FriendRequest, User: "7881", Name: "小测"},
			[]string{`"cmd":15500`, `"msgType":2357`, `"contactId":"7881"`, `"contactNickname":"小测"`}, false},
		{"a new friend", stub.Said{Kind: engine.FriendAdded, User: "7881"}, []string{`"msgType":2131`, `"contact_change"`}, false},
		{"new members", stub.Said{Kind: engine.MemberJoined, User: "1688", Group: "108", Members: []string{"7881", "7882"}},
			[]string{`"msgType":1002`, `"isRoomNotice":1`, `"changedMemberList":"Nzg4MTs3ODgyOw=="`}, false},
		{"a log-out", stub.Said{Kind: engine.Offline, Text: "已退出"}, []string{`"cmd":11016`, `"code":11002`, `"guid":"guid-1"`}, false},
		{"a picture", stub.Said{Kind: engine.Message, Type: "image", User: "7881"}, nil, true},
		{"a pat", stub.Said{Kind: engine.Pat, User: "7881"}, nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.said.ID, tt.said.Time = "id-1", noon
			s := newStub(t, stub.Options{Account: ours})
			r, err := s.Protocol().Callback("http://bot/", tt.said, 0)
			if tt.err {
				if err == nil {
					t.Error("told, want an error")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(r.Body)
			for _, part := range tt.want {
				if !strings.Contains(string(body), part) {
					t.Errorf("%s is not in %s", part, body)
				}
			}
			if r.Header.Get("Authorization") != "s3cret" {
				t.Error("the secret is missing")
			}
		})
	}
}
