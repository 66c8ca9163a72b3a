package wecom

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"bot/engine/channel"
	"bot/engine/channel/channeltest"
)

func TestSettings(t *testing.T) {
	with := func(a channel.Account, change func(a *channel.Account)) channel.Account {
		change(&a)
		return a
	}
	robot := channel.Account{Name: "robot", Form: "robot", Key: "693a91f6-7xxx"}
	tests := []struct {
		name    string
		account channel.Account
		key     string // "" = all is well
	}{
		{"an app", appAccount, ""},
		{"a bot", botAccount, ""},
		{"a robot", robot, ""},
		{"no form", with(appAccount, func(a *channel.Account) { a.Form = "" }), "form"},
		{"a form nobody knows", with(appAccount, func(a *channel.Account) { a.Form = "bot" }), "form"},
		{"an app without corp", with(appAccount, func(a *channel.Account) { a.CorpID = "" }), "corp_id"},
		{"an app without agent", with(appAccount, func(a *channel.Account) { a.AgentID = 0 }), "agent_id"},
		{"an app without secret", with(appAccount, func(a *channel.Account) { a.Secret = "" }), "secret"},
		{"a secret copied with its line", with(appAccount, func(a *channel.Account) { a.Secret = "s\n" }), "secret"},
		{"an app without token", with(appAccount, func(a *channel.Account) { a.CallbackToken = "" }), "callback_token"},
		{"a bot without token", with(botAccount, func(a *channel.Account) { a.CallbackToken = "" }), "callback_token"},
		{"no key", with(appAccount, func(a *channel.Account) { a.EncodingAESKey = "" }), "encoding_aes_key"},
		{"half a key", with(appAccount, func(a *channel.Account) { a.EncodingAESKey = "abc" }), "encoding_aes_key"},
		{"a robot without key", with(robot, func(a *channel.Account) { a.Key = "" }), "key"},
		{"an answer that would be dropped", with(appAccount, func(a *channel.Account) { a.Ack = "json" }), "ack"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Adapter.Sender(tt.account, channeltest.Host(t))
			if err == nil && Adapter.Calls(tt.account) {
				_, err = Adapter.Receiver([]channel.Account{tt.account}, channeltest.Host(t))
			}
			if tt.key == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e, ok := errors.AsType[*channel.SettingError](err)
			if !ok || e.Key != tt.key || e.Account != tt.account.Name {
				t.Errorf("got %#v, want key %s named", err, tt.key)
			}
			for _, s := range tt.account.Secrets() {
				if len(s) > 3 && strings.Contains(err.Error(), s) {
					t.Errorf("%v shows a secret", err)
				}
			}
		})
	}
}

func TestTwinsOnAPath(t *testing.T) {
	twin := appAccount
	twin.Name = "twin"
	_, err := Adapter.Receiver([]channel.Account{appAccount, twin}, channeltest.Host(t))
	if e, ok := errors.AsType[*channel.SettingError](err); !ok || e.Account != "twin" || e.Key != "callback_token" {
		t.Errorf("got %v, want the twin refused", err)
	}
	if _, err := Adapter.Receiver(nil, channeltest.Host(t)); err == nil {
		t.Error("a path without accounts is taken")
	}
}

func TestWhoIsCalled(t *testing.T) {
	for form, want := range map[string]bool{FormApp: true, FormAIBot: true, FormRobot: false} {
		if got := Adapter.Calls(channel.Account{Form: form}); got != want {
			t.Errorf("%s is called: %v, want %v", form, got, want)
		}
	}
	for _, form := range []string{FormRobot, "bot", ""} {
		_, err := Adapter.Receiver([]channel.Account{{Name: "x", Form: form, Key: "k"}}, channeltest.Host(t))
		if e, ok := errors.AsType[*channel.SettingError](err); !ok || e.Key != "form" {
			t.Errorf("callbacks of form %q: %v, want them refused", form, err)
		}
	}
}

func TestMethods(t *testing.T) {
	if !slices.Equal(Adapter.Methods, []string{"GET", "POST"}) {
		t.Errorf("methods %v", Adapter.Methods)
	}
}
