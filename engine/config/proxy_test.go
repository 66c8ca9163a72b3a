package config

import (
	"strings"
	"testing"
)

// What is wrong with a proxy is told without its address, which may hold a
// password.
func TestProxies(t *testing.T) {
	channels := []Channel{{Name: "c", Keys: []string{"proxy"}}, {Name: "none"}}
	for address, problem := range map[string]string{
		"http://10.0.0.5:3128":                      "",
		"http://bot:SECRET-word@proxy.example.com/": "",
		"https://bot:SECRET-word@10.0.0.5":          `bot.toml:4:9: account "a": proxy is not the address of an HTTP proxy (proxy = "http://10.0.0.5:3128")`,
		"socks5://bot:SECRET-word@10.0.0.5":         "proxy is not the address",
		"10.0.0.5:3128":                             "proxy is not the address",
		"http://":                                   "proxy is not the address",
		"http://bot:SECRET-word@10.0.0.5/path":      "proxy is not the address",
		"http://bot:SECRET-word@10.0.0.5?a=b":       "proxy is not the address",
		"http://bot:SECRET-word%zz@10.0.0.5":        "proxy is not the address",
	} {
		cfg, err := Parse("bot.toml", []byte("[[account]]\nname = \"a\"\nchannel = \"c\"\nproxy = \""+address+"\"\n"), lookup(nil), channels)
		if problem == "" && (err != nil || cfg.Accounts[0].ProxyURL() == nil) || problem != "" && (err == nil || !strings.Contains(err.Error(), problem)) {
			t.Errorf("%s: got %v, want %q", address, err, problem)
		}
		if err != nil && strings.Contains(err.Error(), "SECRET") {
			t.Errorf("%v tells the password", err)
		}
	}
	cfg, err := Parse("bot.toml", []byte("[[account]]\nname = \"a\"\nchannel = \"c\"\n"), lookup(nil), channels)
	if err != nil || cfg.Accounts[0].ProxyURL() != nil {
		t.Errorf("%v, and a proxy that nobody set", err)
	}
	if _, err := Parse("bot.toml", []byte("[[account]]\nname = \"a\"\nchannel = \"none\"\nproxy = \"http://p\"\n"), lookup(nil), channels); err == nil {
		t.Error("a channel without requests takes a proxy")
	}
}
