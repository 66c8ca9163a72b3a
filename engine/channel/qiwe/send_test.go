package qiwe

import (
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/channel/qiwe/qiwestub"
	"bot/engine/stub"
)

// platform is a stub that listens.
func platform(t *testing.T, o stub.Options) (*stub.Stub, string) {
	t.Helper()
	if o.Protocol = qiwestub.New; o.Account.Token == "" {
		o.Account = ours()
	}
	p, err := stub.New(o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(p)
	t.Cleanup(srv.Close)
	t.Cleanup(p.Close)
	return p, srv.URL
}

// fresh is a sender as it is after a start: it has what the host remembers.
func fresh(t *testing.T, h channel.Host, base string) channel.Sender {
	t.Helper()
	a := ours()
	a.BaseURL = base
	s, err := newSender(a, h)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCommandsThatCannotBe(t *testing.T) {
	type p = map[string]any
	tests := []struct {
		name    string
		command engine.Command
		says    string
	}{
		{"labels to and fro", engine.Command{Action: engine.SetLabel, Params: p{"add": "1", "remove": "2"}}, "two commands"},
		{"no label", engine.Command{Action: engine.SetLabel}, "add or remove"},
		{"nobody to add", engine.Command{Action: engine.AddMember}, "members"},
		{"a voice without its length", engine.Command{Action: engine.SendVoice, Params: p{"url": "https://x"}}, "duration"},
		{"an action of other platforms", engine.Command{Action: engine.DeleteFriend}, "no action delete_friend"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, base := platform(t, stub.Options{})
			_, err := fresh(t, channeltest.Host(t), base).Send(t.Context(), &tt.command)
			e, ok := err.(*channel.SendError)
			if !ok || e.Class != channel.Permanent || !strings.Contains(e.Note, tt.says) || len(p.Calls(nil)) > 0 {
				t.Errorf("got %v and %d calls", err, len(p.Calls(nil)))
			}
		})
	}
}

// What may be done twice is tried again where a message would be in doubt.
func TestDoubtByAction(t *testing.T) {
	tests := []struct {
		action engine.Action
		want   channel.Class
	}{
		{engine.SendText, channel.Unsure}, {engine.AddMember, channel.Unsure}, {engine.CreateGroup, channel.Unsure}, {engine.SetAnnouncement, channel.Unsure},
		{engine.RevokeMessage, channel.Transient}, {engine.RenameGroup, channel.Transient}, {engine.AcceptFriend, channel.Transient},
	}
	for _, tt := range tests {
		t.Run(string(tt.action), func(t *testing.T) {
			_, base := platform(t, stub.Options{Script: func(stub.Call) *stub.Answer { return new(stub.Answer) }})
			c := engine.Command{Action: tt.action, Conversation: friend, Params: map[string]any{"members": "1", "msgServerId": "1", "name": "n", "userId": "1"}}
			_, err := fresh(t, channeltest.Host(t), base).Send(t.Context(), &c)
			if e, ok := err.(*channel.SendError); !ok || e.Class != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

func TestHowLongToRestWhenTooOften(t *testing.T) {
	tests := []struct {
		name   string
		answer stub.Answer
		want   time.Duration
	}{
		{"by its own words", stub.Answer{Status: 200, Body: `{"code":500,"msg":"操作频繁"}`}, coolDown},
		{"with a time", stub.Answer{Status: 200, Header: map[string]string{"Retry-After": "30"}, Body: `{"code":429}`}, 30 * time.Second},
		{"by the status", stub.Answer{Status: 429, Header: map[string]string{"Retry-After": "30"}}, 30 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, base := platform(t, stub.Options{Script: func(stub.Call) *stub.Answer { return &tt.answer }})
			h := channeltest.Host(t)
			h.Now = func() time.Time { return noon }
			_, err := fresh(t, h, base).Send(t.Context(), &engine.Command{Action: engine.SendText})
			if e, ok := err.(*channel.SendError); !ok || e.Class != channel.Throttled || !e.Until.Equal(noon.Add(tt.want)) {
				t.Errorf("got %v until %v", err, e.Until)
			}
		})
	}
}

func TestAnAnswerTooLargeToRead(t *testing.T) {
	_, base := platform(t, stub.Options{Script: func(stub.Call) *stub.Answer {
		return &stub.Answer{Status: 200, Body: `{"code":0,"data":"` + strings.Repeat("x", channel.MaxReply) + `"}`}
	}})
	_, err := fresh(t, channeltest.Host(t), base).Send(t.Context(), &engine.Command{Action: engine.SendText})
	if e, ok := err.(*channel.SendError); !ok || e.Class != channel.Unsure {
		t.Errorf("got %v", err)
	}
}

func TestAddresses(t *testing.T) {
	tests := []struct{ base, want string }{
		{"https://manager.qiweapi.com", "https://manager.qiweapi.com/qiwe/api/qw/doApi"},
		{"https://manager.qiweapi.com/", "https://manager.qiweapi.com/qiwe/api/qw/doApi"},
		{"https://manager.qiweapi.com/qiwe/api/qw", "https://manager.qiweapi.com/qiwe/api/qw/doApi"},
		{"https://manager.qiweapi.com/qiwe/api/qw/doApi", "https://manager.qiweapi.com/qiwe/api/qw/doApi"},
		{"https://api.qiweapi.com", "https://api.qiweapi.com/api/qw/doApi"},
		{"http://10.0.0.5:8080/api/qw/", "http://10.0.0.5:8080/api/qw/doApi"},
	}
	for _, tt := range tests {
		a := ours()
		a.BaseURL = tt.base
		got, err := address(&a)
		if err != nil || got.String() != tt.want {
			t.Errorf("%s: got %v, %v, want %s", tt.base, got, err, tt.want)
		}
	}
}

func TestSenderRefusesSettings(t *testing.T) {
	tests := []struct {
		name   string
		change func(*channel.Account)
		key    string
	}{
		{"no address", func(a *channel.Account) { a.BaseURL = "" }, "base_url"},
		{"an address without a scheme", func(a *channel.Account) { a.BaseURL = "manager.qiweapi.com" }, "base_url"},
		{"the vendor's without encryption", func(a *channel.Account) { a.BaseURL = "http://manager.qiweapi.com" }, "base_url"},
		{"an address with credentials", func(a *channel.Account) { a.BaseURL = "https://u:hidden@x" }, "base_url"},
		{"an address that is none", func(a *channel.Account) { a.BaseURL = "https://a b/hidden" }, "base_url"},
		{"no token", func(a *channel.Account) { a.Token = "" }, "token"},
		{"no guid", func(a *channel.Account) { a.GUID = "" }, "guid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := ours()
			a.BaseURL = "https://manager.qiweapi.com"
			tt.change(&a)
			_, err := newSender(a, channeltest.Host(t))
			e, ok := err.(*channel.SettingError)
			if !ok || e.Key != tt.key || strings.Contains(e.Error(), "hidden") || strings.Contains(e.Error(), "t0ken") {
				t.Errorf("got %v, want a SettingError of %s", err, tt.key)
			}
		})
	}
}
