package app

import (
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/channel"
	"bot/engine/channel/channeltest"
	"bot/engine/config"
	"bot/engine/egress"
	"bot/engine/ingress"
)

// everyForm is one account of each channel and form, as docs/channels.md has
// them in its tables.
var everyForm = []struct {
	column  string
	account channel.Account
}{
	{"generic", channel.Account{BaseURL: "https://example.com"}},
	{"wecom app", channel.Account{Form: "app", CorpID: "ww1", AgentID: 1, Secret: "s"}},
	{"wecom aibot", channel.Account{Form: "aibot"}},
	{"wecom robot", channel.Account{Form: "robot", Key: "k"}},
	{"gewe", channel.Account{BaseURL: "https://example.com", Token: "t", AppID: "wx_1", Self: "wxid_1"}},
	{"wkteam", channel.Account{BaseURL: "https://example.com", Token: "t", Self: "wxid_1", WID: "w1"}},
	{"qiwe", channel.Account{BaseURL: "https://example.com", Token: "t", GUID: "g", Self: "1"}},
}

// What a channel sets where the file says nothing is not checked with the file.
func TestAWordThatEgressDoesNotKnowIsAProblem(t *testing.T) {
	for name, change := range map[string]func(*config.Account){
		`on_doubt: there is no "resent" (known: hold, resend)`:  func(a *config.Account) { a.OnDoubt = "resent" },
		`on_doubt: there is no "" (known: hold, resend)`:        func(a *config.Account) { a.OnDoubt = "" },
		`late_reply: there is no "dropped" (known: push, drop)`: func(a *config.Account) { a.LateReply = "dropped" },
	} {
		t.Run(name, func(t *testing.T) {
			const text = "[[account]]\nname = \"shop\"\nchannel = \"generic\"\nbase_url = \"http://127.0.0.1:1\"\n"
			cfg, err := config.Parse("/bot.toml", []byte(text), func(string) (string, bool) { return "", false }, Channels())
			if err != nil {
				t.Fatal(err)
			}
			p := &Plan{Config: cfg, host: channel.Host{Client: http.DefaultClient}, senders: map[string]egress.Account{}, policies: map[string]ingress.Policy{}}
			if err := p.connect(); err != nil {
				t.Fatal(err)
			}
			change(&cfg.Accounts[0])
			if err := p.connect(); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "shop") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestTheTableOfActionsIsTrue(t *testing.T) {
	doc, err := os.ReadFile("../../docs/channels.md")
	if err != nil {
		t.Fatal(err)
	}
	var senders []channel.Sender
	header := "| action |"
	for _, f := range everyForm {
		a := f.account
		a.Name, a.CallbackToken, a.EncodingAESKey = "shop", "tokentoken", "wecomSyntheticVectorKeyNumberOne0123456789k"
		if a.BaseURL == "" {
			a.BaseURL = "https://qyapi.weixin.qq.com"
		}
		s, err := speaks(strings.Fields(f.column)[0]).Sender(a, channel.Host{
			Client: http.DefaultClient, Fetch: http.DefaultClient, Memory: &channeltest.Memory{}, Now: time.Now,
		})
		if err != nil {
			t.Fatalf("%s: %v", f.column, err)
		}
		senders = append(senders, s)
		header += " " + f.column + " |"
	}
	want := []string{header}
	for _, a := range engine.Actions() {
		row := "| `" + string(a) + "` |"
		for _, s := range senders {
			switch needs, can := s.Needs(a); {
			case !can:
				row += " – |"
			case len(needs) > 0:
				row += " `" + strings.Join(needs, "` `") + "` |"
			default:
				row += " yes |"
			}
		}
		want = append(want, row)
	}
	for _, line := range want {
		if !strings.Contains(string(doc), line+"\n") {
			t.Errorf("docs/channels.md lacks\n%s", line)
		}
	}
	for _, k := range engine.Kinds() {
		if !strings.Contains(string(doc), "| `"+string(k)+"`") {
			t.Errorf("docs/channels.md lacks the event %s", k)
		}
	}
}
