package app

import (
	"slices"
	"testing"

	"bot/engine/channel"
	"bot/engine/config"
)

func TestTheDoorKnowsWhatItsLogMustNotShow(t *testing.T) {
	text := `
[admin]
token = "of the console"
[[account]]
name = "shop"
channel = "generic"
base_url = "http://127.0.0.1:9"
token = "of the account"
secret = "a secret of the account"
path = "/callback/opensesame"
[[account]]
name = "plain"
channel = "generic"
base_url = "http://127.0.0.1:9"
secret = "another"
`
	cfg, err := config.Parse("bot.toml", []byte(text), func(string) (string, bool) { return "", false }, Channels())
	if err != nil {
		t.Fatal(err)
	}
	p := &Plan{Config: cfg, host: channel.Host{Client: channel.NewClient()}}
	if err := p.route(); err != nil {
		t.Fatal(err)
	}
	for n, want := range [][]string{
		{"/callback/opensesame", "a secret of the account", "of the account", "of the console"},
		{"another", "of the console"},
	} {
		if got := slices.Sorted(slices.Values(p.routes[n].Secrets)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", p.routes[n].Account, got, want)
		}
	}
}
