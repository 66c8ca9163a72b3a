package generic

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/generic/genericstub"
	"bot/engine/stub"
)

// platform is a stub that listens, and a sender to it.
func platform(t *testing.T, o stub.Options, a channel.Account) (*stub.Stub, channel.Sender) {
	t.Helper()
	o.Protocol = genericstub.New
	p, err := stub.New(o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	client := channel.NewClient()
	t.Cleanup(client.CloseIdleConnections)
	a.BaseURL = srv.URL + "/"
	host := channeltest.Host(t)
	host.Client = client
	s, err := newSender(a, host)
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

func TestRequests(t *testing.T) {
	tests := []struct {
		command    engine.Command
		path, body string
	}{
		{
			engine.Command{Action: engine.SendText, Conversation: "user-test-01", Text: "你好，<欢迎>"},
			"/v1/message/send_text", `{"appId":"app-test-01","to":"user-test-01","content":"你好，<欢迎>"}`,
		},
		{
			engine.Command{Action: engine.SendImage, Conversation: "u", Params: map[string]any{"url": "https://x/y.png", "to": "forged", "appId": "forged"}},
			"/v1/message/send_image", `{"appId":"app-test-01","to":"u","url":"https://x/y.png"}`,
		},
		{
			engine.Command{Action: engine.SendFile, Conversation: "u", Params: map[string]any{"url": "https://x/y.pdf", "name": "y.pdf"}},
			"/v1/message/send_file", `{"appId":"app-test-01","to":"u","url":"https://x/y.pdf","name":"y.pdf"}`,
		},
		{
			engine.Command{Action: engine.AcceptFriend, Conversation: "u", Params: map[string]any{"scene": "scene-credential-test-0001", "x": 1}},
			"/v1/friend/accept", `{"appId":"app-test-01","scene":"scene-credential-test-0001"}`,
		},
		{
			engine.Command{Action: engine.AddMember, Conversation: "c", Params: map[string]any{"room_id": "1@chatroom", "invited_wxid": "w", "reason": "r"}},
			"/v1/group/add_member", `{"appId":"app-test-01","room_id":"1@chatroom","invited_wxid":"w","reason":"r"}`,
		},
		{
			engine.Command{Action: engine.AddMember, Conversation: "1@chatroom", Params: map[string]any{"invited_wxid": "w"}},
			"/v1/group/add_member", `{"appId":"app-test-01","room_id":"1@chatroom","invited_wxid":"w"}`,
		},
	}
	for _, tt := range tests {
		t.Run(string(tt.command.Action), func(t *testing.T) {
			p, s := platform(t, stub.Options{}, channel.Account{AppID: appID, Token: "t0ken"})
			tt.command.TaskID = "task-1"
			if _, can := s.Needs(tt.command.Action); !can {
				t.Error("Needs denies it")
			}
			if _, err := s.Send(t.Context(), &tt.command); err != nil {
				t.Fatal(err)
			}
			got := p.Calls(nil)[0]
			if got.Method != http.MethodPost || got.Path != tt.path || compact(t, got.Body) != compact(t, []byte(tt.body)) {
				t.Errorf("got %s %s %s, want %s %s", got.Method, got.Path, got.Body, tt.path, tt.body)
			}
			h := got.Header
			if h.Get("Content-Type") != "application/json" || h.Get("Idempotency-Key") != "task-1" || h.Get("Authorization") != "Bearer t0ken" {
				t.Errorf("headers %v", h)
			}
		})
	}
}

func compact(t *testing.T, b []byte) string {
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatal(err)
	}
	b, _ = json.Marshal(v)
	return string(b)
}

func TestNoTokenNoAuthorization(t *testing.T) {
	p, s := platform(t, stub.Options{}, channel.Account{})
	if _, err := s.Send(t.Context(), &engine.Command{Action: engine.SendText}); err != nil {
		t.Fatal(err)
	}
	if h := p.Calls(nil)[0].Header; h.Values("Authorization") != nil {
		t.Errorf("headers %v", h)
	}
}

func TestThrottledUntilWhenThePlatformSays(t *testing.T) {
	_, s := platform(t, stub.Options{Throttle: engine.Rate{N: 1, Per: time.Hour}}, channel.Account{})
	s.(*sender).now = func() time.Time { return noon }
	c := &engine.Command{Action: engine.SendText}
	if _, err := s.Send(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	_, err := s.Send(t.Context(), c)
	e, ok := err.(*channel.SendError)
	if !ok || e.Class != channel.Throttled || !e.Until.Equal(noon.Add(time.Hour)) {
		t.Errorf("got %v, want throttled for an hour", e)
	}
}

// A platform that hung up after it did the work is asked again under the same
// key, and does not do it twice.
func TestTheKeyStaysOverAttempts(t *testing.T) {
	var hung atomic.Bool
	p, s := platform(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		if hung.Swap(true) {
			return nil
		}
		return &stub.Answer{Done: true}
	}}, channel.Account{})
	c := &engine.Command{TaskID: "task-1", Action: engine.SendText}
	_, err := s.Send(t.Context(), c)
	if e, ok := err.(*channel.SendError); !ok || e.Class != channel.Unsure {
		t.Errorf("got %v, want it unsure", err)
	}
	if _, err := s.Send(t.Context(), c); err != nil {
		t.Error(err)
	}
	if got, want := p.Counts(), (stub.Counts{Calls: 2, Done: 1, Repeats: 1}); got != want {
		t.Errorf("counts %+v, want %+v", got, want)
	}
}

func TestATaskIDThatIsNoHeaderIsPermanent(t *testing.T) {
	_, s := platform(t, stub.Options{}, channel.Account{})
	_, err := s.Send(t.Context(), &engine.Command{TaskID: "a\nb", Action: engine.SendText})
	if e, ok := err.(*channel.SendError); !ok || e.Class != channel.Permanent {
		t.Errorf("got %v", err)
	}
}

func TestSenderNeedsAnAddress(t *testing.T) {
	for _, u := range []string{"", "api.example.com", "ftp://x", "http://", "://", "https://例子.测试", "https://user:pass@example.com", "http://a b/?hidden"} {
		if _, err := newSender(channel.Account{BaseURL: u}, channel.Host{Client: http.DefaultClient, Now: time.Now}); err == nil || !strings.Contains(err.Error(), "base_url") || strings.Contains(err.Error(), "pass") || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%q: got %v", u, err)
		}
	}
}

func TestCommandsAreConfirmedByTheirTaskID(t *testing.T) {
	for confirm, want := range map[bool]string{true: "t1", false: ""} {
		_, s := platform(t, stub.Options{}, channel.Account{Confirm: confirm})
		if got := s.(channel.Confirmer).Awaits(&engine.Command{TaskID: "t1"}, ""); got != want {
			t.Errorf("confirm = %t: %q, want %q", confirm, got, want)
		}
	}
}
