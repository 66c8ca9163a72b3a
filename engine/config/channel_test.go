package config

import (
	"strings"
	"testing"
)

// testChannels are platforms for tests: generic as the engine has it, one with
// a person's pace, one with forms and signatures.
func testChannels(names ...string) []Channel {
	all := map[string]Channel{
		"generic": {
			Name: "generic", Keys: []string{"proxy", "app_id", "token", "secret", "confirm", "confirm_within"}, Tells: []string{"app_id"},
			Needs:   func(string) []string { return []string{"base_url"} },
			Default: func(_ string, a *Account) { a.OnDoubt = "resend" },
		},
		"sandbox": {Name: "sandbox", Uncalled: true},
		"gewe": {
			Name: "gewe", Keys: []string{"app_id", "token", "self"}, Tells: []string{"app_id"}, Unsigned: true,
			Default: func(_ string, a *Account) {
				a.Limit = Person()
				a.Limit.Action = map[string]ActionLimit{"accept_friend": {Rate: Person().Rate, Burst: 1}}
			},
		},
		"wecom": {
			Name: "wecom", Forms: []string{"app", "robot"},
			Keys: []string{"corp_id", "secret", "callback_token", "encoding_aes_key", "key"},
			Needs: func(form string) []string {
				if form == "robot" {
					return []string{"key"}
				}
				return []string{"corp_id", "secret"}
			},
		},
	}
	var out []Channel
	for _, name := range names {
		out = append(out, all[name])
	}
	return out
}

func TestAccountsHaveTheKeysOfTheirChannel(t *testing.T) {
	for name, tt := range map[string]struct{ account, problem string }{
		"all it needs":               {"channel = \"wecom\"\ncorp_id = \"ww\"\nsecret = \"s\"", ""},
		"a needed secret in a file":  {"channel = \"wecom\"\ncorp_id = \"ww\"\nsecret_file = \"s\"", `secret_file: cannot read`},
		"a needed key is missing":    {"channel = \"wecom\"\ncorp_id = \"ww\"", `bot.toml:1:3: account "x": secret is missing`},
		"another form needs another": {"channel = \"wecom\"\nform = \"robot\"", `bot.toml:1:3: account "x": key is missing`},
		"no such form":               {"channel = \"wecom\"\nform = \"robto\"\nkey = \"k\"\ncorp_id = \"c\"\nsecret = \"s\"", `bot.toml:4:8: account "x": form: there is no "robto" (did you mean "robot"?)`},
		"a key of another channel":   {"channel = \"generic\"\nbase_url = \"https://example.com\"\ncorp_id = \"ww\"", `bot.toml:5:11: account "x": corp_id is no key of channel "generic"`},
		"a form where there is none": {"channel = \"generic\"\nbase_url = \"https://example.com\"\nform = \"app\"", `form is no key of channel "generic"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse("bot.toml", []byte("[[account]]\nname = \"x\"\n"+tt.account), lookup(nil), testChannels("generic", "wecom"))
			if tt.problem == "" && err != nil || tt.problem != "" && (err == nil || !strings.Contains(err.Error(), tt.problem)) {
				t.Errorf("got %v\nwant %s", err, tt.problem)
			}
		})
	}
}

func TestActionsHaveTheChannelsLimitsUntilNamed(t *testing.T) {
	cfg, err := Parse("bot.toml", []byte(`
[[account]]
name = "a"
channel = "gewe"
[account.limit.action.send_text]
rate = "1/s"
[[account]]
name = "b"
channel = "gewe"
[account.limit.action.accept_friend]
rate = "1/h"
`), lookup(nil), testChannels("gewe"))
	if err != nil {
		t.Fatal(err)
	}
	a, b := cfg.Accounts[0].Limit.Action, cfg.Accounts[1].Limit.Action
	if len(a) != 2 || a["accept_friend"].Rate.String() != "20/m" || len(b) != 1 || b["accept_friend"].Rate.String() != "1/h" {
		t.Errorf("a %v, b %v", a, b)
	}
}

func TestOnlyAPathWithASecretKeepsUnsignedCallbacksFromStrangers(t *testing.T) {
	const listen = "[server]\nlisten = \"0.0.0.0:8080\"\n[[account]]\nname = \"x\"\nbase_url = \"https://example.com\"\n"
	for account, warned := range map[string]bool{
		"channel = \"gewe\"": true, "channel = \"gewe\"\npath = \"/cb/s3cret\"": false,
		"channel = \"generic\"\npath = \"/cb/s3cret\"": true, "channel = \"generic\"\nsecret = \"s\"": false,
	} {
		cfg, err := Parse("bot.toml", []byte(listen+account), lookup(nil), testChannels("generic", "gewe"))
		if err != nil {
			t.Fatal(err)
		}
		if got := len(cfg.Warnings) > 0; got != warned {
			t.Errorf("%s: warnings %v, want %v", account, cfg.Warnings, warned)
		}
	}
}
