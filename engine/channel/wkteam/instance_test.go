package wkteam

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

const (
	logins = "/wx-api/queryLoginWx"
	reason = "/wx-api/offlineReason"
)

var hello = engine.Command{Action: engine.SendText, Conversation: "u", Text: "hello"}

func listed(wID string) string {
	return `[{"wcId":"wxid_other","wId":"w-other"},{"wcId":"` + bot + `","wId":"` + wID + `"}]`
}

// The instance that callbacks taught goes before the configured one.
func TestTheLatestInstanceIsNamed(t *testing.T) {
	g := newGateway(t, nil)
	h := channeltest.Host(t)
	s := g.sender(t, h, "w-configured")
	for _, want := range []string{"w-configured", "w-learned"} {
		if _, err := s.Send(t.Context(), &hello); err != nil {
			t.Fatal(err)
		}
		wantJSON(t, g.seen()[0].body, `{"wId":"`+want+`","wcId":"u","content":"hello"}`)
		h.Memory.Remember(t.Context(), "shop", engine.Note{Key: "instance/id", Value: "w-learned"})
	}
}

func TestOfflineAnswers(t *testing.T) {
	tests := []struct {
		name       string
		answer     string
		logins     string
		want       channel.Class
		remembered string
	}{
		{"logged in anew: another attempt", "!实例不存在", listed("w-new"), channel.Transient, "w-new"},
		{"logged out: somebody must look", "!当前实例已离线", `[]`, channel.Halted, "w-old"},
		{"listed all the same", "!账号不在线", listed("w-old"), channel.Halted, "w-old"},
		{"a complaint about the wId", "!wId错误", listed("w-new"), channel.Transient, "w-new"},
		{"the list is not to be had", "!未登录", "!token无效", channel.Halted, "w-old"},
		{"the list is none", "!未登录", `"x"`, channel.Halted, "w-old"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, map[string]string{"/wx-api/sendText": tt.answer, logins: tt.logins})
			h := remembering(t, "shop", "w-old")
			_, err := g.sender(t, h, "").Send(t.Context(), &hello)
			e := wantClass(t, err, tt.want)
			if got := h.Memory.Recall("shop", "instance/id"); got != tt.remembered {
				t.Errorf("remembered %q, want %q", got, tt.remembered)
			}
			if calls := g.seen(); len(calls) != 2 || calls[1].body != "{}" {
				t.Errorf("calls %+v, want the command and one question", calls)
			}
			if len([]rune(e.Note)) > 200 || !strings.Contains(e.Note, strings.TrimPrefix(tt.answer, "!")) {
				t.Errorf("note %q", e.Note)
			}
		})
	}
}

// Nothing learned, nothing configured: the list of logins is asked first.
func TestAnUnknownInstanceIsLookedUp(t *testing.T) {
	g := newGateway(t, map[string]string{logins: listed("w-new")})
	h := channeltest.Host(t)
	if _, err := g.sender(t, h, "").Send(t.Context(), &hello); err != nil {
		t.Fatal(err)
	}
	calls := g.seen()
	if len(calls) != 2 || h.Memory.Recall("shop", "instance/id") != "w-new" {
		t.Fatalf("calls %+v", calls)
	}
	wantJSON(t, calls[1].body, `{"wId":"w-new","wcId":"u","content":"hello"}`)

	g = newGateway(t, map[string]string{logins: `null`})
	_, err := g.sender(t, channeltest.Host(t), "").Send(t.Context(), &hello)
	wantClass(t, err, channel.Halted)
	if calls := g.seen(); len(calls) != 1 {
		t.Errorf("calls %+v: sent without an instance", calls)
	}
}

// forgetful cannot write.
type forgetful struct{ channeltest.Memory }

func (*forgetful) Remember(context.Context, string, ...engine.Note) error {
	return errors.New("disk full")
}

func TestAnInstanceThatCannotBeRemembered(t *testing.T) {
	g := newGateway(t, map[string]string{logins: listed("w-new")})
	h := channeltest.Host(t)
	h.Memory = &forgetful{}
	_, err := g.sender(t, h, "").Send(t.Context(), &hello)
	if e := wantClass(t, err, channel.Transient); !strings.Contains(e.Note, "disk full") {
		t.Errorf("note %q", e.Note)
	}
}

func TestOnline(t *testing.T) {
	tests := []struct {
		name           string
		logins, reason string
		online         bool
		note           string
		learned        string
		failed         channel.Class
	}{
		{"listed", listed("w-new"), `null`, true, "", "w-new", ""},
		{"missing, with a reason", `[]`, `{"wcId":"x","reason":"其他设备登录"}`, false, "其他设备登录", "", ""},
		{"missing, with a reason alone", `[]`, `"被挤下线"`, false, "被挤下线", "", ""},
		{"missing without a reason", `[]`, `{"wcId":"x","reason":null}`, true, "not among the accounts that are logged in, but the platform knows no reason for that", "", ""},
		{"no list at all", `null`, `{"reason":"r"}`, false, "r", "", ""},
		{"the token is wrong", `!token无效`, ``, false, "", "", channel.Credential},
		{"the reason is not to be had", `[]`, `!失败`, false, "", "", channel.Permanent},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			g := newGateway(t, map[string]string{logins: tt.logins, reason: tt.reason})
			h := channeltest.Host(t)
			online, note, err := g.sender(t, h, "").Online(t.Context())
			if tt.failed != "" {
				wantClass(t, err, tt.failed)
				return
			}
			if err != nil || online != tt.online || note != tt.note {
				t.Errorf("online %v, %q, %v", online, note, err)
			}
			if got := h.Memory.Recall("shop", "instance/id"); got != tt.learned {
				t.Errorf("learned %q, want %q", got, tt.learned)
			}
		})
	}
}

func TestRegister(t *testing.T) {
	g := newGateway(t, nil)
	if err := g.sender(t, channeltest.Host(t), "").Register(t.Context(), "https://bot.example.com/callback/x"); err != nil {
		t.Fatal(err)
	}
	calls := g.seen()
	if len(calls) != 1 || calls[0].path != "/wx-api/setHttpCallbackUrl" || calls[0].token != "t0ken" {
		t.Fatalf("calls %+v", calls)
	}
	wantJSON(t, calls[0].body, `{"httpUrl":"https://bot.example.com/callback/x","type":2}`)
}

func TestCall(t *testing.T) {
	tests := []struct {
		name, method string
		params       map[string]any
		path, body   string // "" = refused
	}{
		{"of the account", "getContact", map[string]any{"wcId": "u"}, "/wx-api/getContact", `{"wcId":"u","wId":"w1"}`},
		{"with a slash", "/isOnline", nil, "/wx-api/isOnline", `{"wId":"w1"}`},
		{"of an instance that has ended", "getMsgImg", map[string]any{"wId": "w0", "msgId": json.Number("9007199254740993")}, "/wx-api/getMsgImg", `{"wId":"w0","msgId":9007199254740993}`},
		{"of the developer account", "member/offline", map[string]any{"wcIds": []string{"u"}}, "/wx-api/member/offline", `{"wcIds":["u"]}`},
		{"with a query", "isOnline?x=1", nil, "", ""},
		{"upwards", "../admin", nil, "", ""},
		{"elsewhere", "//e.com/x", nil, "", ""},
		{"nowhere", "", nil, "", ""},
	}
	g := newGateway(t, nil)
	g.data = map[string]string{"/wx-api/getContact": `[{"userName":"u"}]`}
	s := g.sender(t, channeltest.Host(t), "w1")
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			data, err := s.Call(t.Context(), tt.method, tt.params)
			calls := g.seen()
			if tt.path == "" {
				wantClass(t, err, channel.Permanent)
				if len(calls) != 0 {
					t.Errorf("calls %+v, want none", calls)
				}
				return
			}
			if err != nil || len(calls) != 1 || calls[0].path != tt.path {
				t.Fatalf("calls %+v, %v", calls, err)
			}
			wantJSON(t, calls[0].body, tt.body)
			if tt.method == "getContact" && string(data) != `[{"userName":"u"}]` {
				t.Errorf("data %s", data)
			}
			if _, named := tt.params["wId"]; tt.params != nil && !named && len(tt.params) != 1 {
				t.Error("the caller's params were changed")
			}
		})
	}
}

// The recorded answers of the platform.
func TestResponses(t *testing.T) {
	for name, want := range map[string]channel.Class{
		"send_text_ok": "", "send_text_ok_int_code_msg": "", "get_contact_ok": "", "query_login_wx": "",
		"send_text_fail_offline": channel.Halted, "send_url_thumb_too_big": channel.Permanent, "is_online_no": channel.Permanent,
	} {
		data, class, note := judge(&channel.Reply{Status: 200, Body: response(t, name)})
		if class != want || class == "" && len(data) == 0 {
			t.Errorf("%s: class %q, %q, want %q", name, class, note, want)
		}
	}
	if data, _, _ := judge(&channel.Reply{Status: 200, Body: response(t, "offline_reason_online")}); reasonOf(data) != "" {
		t.Errorf("a reason in %s", data)
	}
}
