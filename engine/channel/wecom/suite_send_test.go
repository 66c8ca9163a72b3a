package wecom

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// noted is a token that saves the sender from fetching one, so that a command
// is one request.
func noted(a channel.Account) []engine.Note {
	return []engine.Note{{Key: fmt.Sprintf("token/%d/%s", a.AgentID, fingerprint(a.CorpID, a.Secret)), Value: "noted-token"}}
}

// verdicts are what every call may bring.
var verdicts = []channeltest.Answer{
	{Name: "busy", Body: refuses(-1, "system busy"), Want: channel.Transient},
	{Name: "too often", Body: refuses(45009, "api freq out of limit"), Want: channel.Throttled},
	{Name: "too many", Body: refuses(45033, "too many"), Want: channel.Throttled},
	{Name: "our address is not allowed", Body: refuses(60020, "not allow to access from your ip"), Want: channel.Halted},
	{Name: "a code nobody knows", Body: refuses(77777, "no"), Want: channel.Permanent},
	{Name: "nothing", Want: channel.Unsure},
	{Name: "JSON without a verdict", Body: `{"status":"success"}`, Want: channel.Unsure},
}

func TestSuiteApp(t *testing.T) {
	external := "wmSYNTHaaaaBBBBccccDDDD0000000001"
	for name, c := range map[string]struct {
		command       engine.Command
		success, note string
	}{
		"member":  {command: says("t-1", "lina", "hi"), success: delivers, note: `{"msgid":"m-1"}`},
		"group":   {command: says("t-1", "appchat/g1", "hi"), success: allOK},
		"session": {command: says("t-1", "wk1/wm1", "hi"), success: `{"errcode":0,"msgid":"m-1"}`, note: `{"msgid":"m-1"}`},
		"welcome": {command: engine.Command{
			TaskID: "t-1", Conversation: external, Action: engine.SendText, Text: "hi",
			Ticket: engine.Ticket{Token: "welcome/CODE", Expires: time.Now().Add(time.Hour)},
		}, success: allOK},
	} {
		t.Run(name, func(t *testing.T) {
			channeltest.Run(t, channeltest.Harness{
				Adapter: Adapter, Accounts: []channel.Account{appAccount}, Now: noon, Remembers: noted(appAccount),
				Command: c.command, Answers: verdicts, Success: c.success, Note: c.note,
			})
		})
	}
}

func TestSuiteRobot(t *testing.T) {
	alone := Adapter
	alone.Receiver = func([]channel.Account, channel.Host) (channel.Receiver, error) { return nil, nil } // a robot has no callbacks
	channeltest.Run(t, channeltest.Harness{
		Adapter: alone, Accounts: []channel.Account{robotAccount}, Now: noon,
		Command: says("t-1", "any", "hi"), Answers: verdicts, Success: allOK,
	})
}

// asked is the sender of a bot that was asked something before every command,
// in an event that can only be answered through its response_url.
type asked struct {
	channel.Sender
	account channel.Account
	host    channel.Host
}

func (s asked) Send(ctx context.Context, c *engine.Command) (string, error) {
	notes := append(streamID("s1").learned(0, s.account.BaseURL+responsePath+"?response_code=RC1", noon.AddDate(100, 0, 0)), engine.Note{Key: streamID("s1").said()})
	if err := s.host.Memory.Remember(context.Background(), s.account.Name, notes...); err != nil {
		return "", err
	}
	return s.Sender.Send(ctx, c)
}

func TestSuiteBot(t *testing.T) {
	bot := Adapter
	bot.Sender = func(a channel.Account, h channel.Host) (channel.Sender, error) {
		s, err := Adapter.Sender(a, h)
		return asked{s, a, h}, err
	}
	c := says("t-1", "lina", "hi")
	c.Ticket = engine.Ticket{Token: "stream/s1"}
	channeltest.Run(t, channeltest.Harness{
		Adapter: bot, Accounts: []channel.Account{botAccount}, Now: noon, Command: c, Answers: verdicts, Success: allOK,
	})
}

// What a form cannot do is denied, fails for good, and costs no request.
func TestWhatTheFormsCanDo(t *testing.T) {
	for _, c := range []struct {
		account channel.Account
		can     []engine.Action
	}{
		{appAccount, []engine.Action{
			engine.SendText, engine.SendImage, engine.SendFile, engine.SendVoice, engine.SendVideo, engine.SendLink, engine.SendMiniapp, engine.SendLocation,
			engine.SendCard, engine.SendMarkdown, engine.RevokeMessage, engine.UpdateCard, engine.SetRemark, engine.SetLabel, engine.CreateGroup,
			engine.AddMember, engine.RemoveMember, engine.RenameGroup, engine.TransferGroup, engine.HandOver,
		}},
		{robotAccount, []engine.Action{engine.SendText, engine.SendImage, engine.SendFile, engine.SendVoice, engine.SendLink, engine.SendCard, engine.SendMarkdown}},
		{botAccount, []engine.Action{engine.SendText, engine.SendCard, engine.SendMarkdown}},
	} {
		r := newRig(t, c.account)
		s := r.sender(t)
		var can []engine.Action
		for _, a := range engine.Actions() {
			if _, ok := s.Needs(a); ok {
				can = append(can, a)
				continue
			}
			failed(t, s, does("t-1", "lina", a, nil), channel.Permanent)
		}
		if !slices.Equal(can, c.can) {
			t.Errorf("%s can %v, want %v", c.account.Form, can, c.can)
		}
		if len(r.calls) != 0 {
			t.Errorf("%s: %d requests were made", c.account.Form, len(r.calls))
		}
	}
}

func TestSenderNeedsAnAddress(t *testing.T) {
	for _, address := range []string{"api.example.com", "ftp://x", "http://", "://", "https://u:pass@example.com"} {
		a := appAccount
		a.BaseURL = address
		_, err := Adapter.Sender(a, channeltest.Host(t))
		if e, ok := err.(*channel.SettingError); !ok || e.Key != "base_url" {
			t.Errorf("%q: got %v", address, err)
		}
	}
	if _, err := Adapter.Sender(appAccount, channeltest.Host(t)); err != nil {
		t.Errorf("without base_url: %v", err)
	}
}
