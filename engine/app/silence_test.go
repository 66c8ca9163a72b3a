package app

import (
	"strings"
	"testing"
	"time"

	"bot/engine/config"
	"bot/engine/health"
)

// parsed is an account as it is configured.
func parsed(t *testing.T, path string) *config.Account {
	t.Helper()
	text := "[[account]]\nname = \"shop\"\nchannel = \"generic\"\nbase_url = \"http://127.0.0.1:9\"\npath = \"" + path + "\"\n"
	cfg, err := config.Parse("bot.toml", []byte(text), func(string) (string, bool) { return "", false }, Channels())
	if err != nil {
		t.Fatal(err)
	}
	return &cfg.Accounts[0]
}

func TestAPathIsShownWithoutWhatMayBeASecret(t *testing.T) {
	for path, want := range map[string]string{
		"/callback/shop":            "/callback/shop",
		"/api/gateway/callback":     "/api/gateway/callback",
		"/callback/x7Gh2k":          "/callback/*** (bot.toml:5)",
		"/opensesame/callback":      "/***/callback (bot.toml:5)",
		"/callback/shop-opensesame": "/callback/*** (bot.toml:5)",
	} {
		if got := shownPath(parsed(t, path)); got != want {
			t.Errorf("%s is shown as %s, want %s", path, got, want)
		}
	}
}

func TestWhatIsSaidOfSilence(t *testing.T) {
	acc := parsed(t, "/callback/opensesame")
	since := time.Date(2026, 3, 2, 2, 0, 0, 0, time.UTC) // ten o'clock in Shanghai
	s := health.Silence{Since: since, For: 2 * time.Hour}
	en, zh := silenceTexts(acc, s, health.Evidence{
		Refused: &health.Mark{Time: since.Add(time.Hour), Class: "signature"}, Probe: &health.Mark{Class: "online"},
	}, true)
	if want := "since 03-02 10:00 (2h0m0s of its hours); asked, the platform says: online. Check: 1. network, and the platform's status; " +
		"2. the callback address, path /callback/*** (bot.toml:5); 3. is it registered? `bot callback register -account shop -url …`; " +
		"4. the last refused callback: 03-02 11:00, signature"; en != want {
		t.Errorf("said\n%s\nwant\n%s", en, want)
	}
	for _, part := range []string{"自 03-02 10:00 起", "1. 网络", "2. 回调地址", "3. 是否已注册", "4. 最近被拒绝的回调：03-02 11:00，signature"} {
		if !strings.Contains(zh, part) {
			t.Errorf("%s lacks %s", zh, part)
		}
	}
	if en, zh = silenceTexts(acc, s, health.Evidence{}, false); strings.Contains(en+zh, "register") || strings.Contains(en+zh, "opensesame") {
		t.Errorf("said\n%s\n%s", en, zh)
	}
}
