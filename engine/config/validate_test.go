package config

import (
	"strings"
	"testing"
)

func TestListenAddresses(t *testing.T) {
	for address, c := range map[string]struct{ valid, loopback bool }{
		"127.0.0.1:8080":          {true, true},
		"127.9.9.9:0":             {true, true},
		"localhost:80":            {true, true},
		"[::1]:80":                {true, true},
		"[::ffff:127.0.0.1]:80":   {true, true},
		":8080":                   {true, false},
		"0.0.0.0:8080":            {true, false},
		"[::]:8080":               {true, false},
		"bot-1.example.com:65535": {true, false},
		"localhost.evil:80":       {true, false},
		"":                        {},
		"8080":                    {},
		"127.0.0.1":               {false, true},
		"127.0.0.1:":              {false, true},
		"127.0.0.1:http":          {false, true},
		"127.0.0.1:65536":         {false, true},
		"127.0.0.1:080":           {false, true},
		"a b:80":                  {},
		"http://x:80":             {},
	} {
		if err := parseListen(address); (err == nil) != c.valid {
			t.Errorf("%q: %v", address, err)
		}
		if got := isLoopback(address); got != c.loopback {
			t.Errorf("%q: loopback %t", address, got)
		}
	}
}

func TestTwoListenersMayAskForAnyPort(t *testing.T) {
	const text = "[server]\nlisten = \"127.0.0.1:0\"\n[admin]\nlisten = \"127.0.0.1:0\"\n"
	if _, err := Parse("bot.toml", []byte(text), lookup(nil), nil); err != nil {
		t.Error(err)
	}
}

func TestAnEmptyTimezoneIsNotUTC(t *testing.T) {
	if _, err := Parse("bot.toml", []byte(`timezone = ""`), lookup(nil), nil); err == nil {
		t.Error("accepted")
	}
}

func TestTheBoundsOfTheRecentIntake(t *testing.T) {
	for text, says := range map[string]string{
		`keep = "0s"`:        "",
		`keep = "1h"`:        "",
		`keep = "30d"`:       "",
		`keep = "59m"`:       `bot.toml:2:8: replay.keep: 59m0s is too short, at least 1h`,
		`keep = 24`:          `write "24m" for minutes`,
		`keep = "-1h"`:       "is not a duration",
		`max_size = "1MiB"`:  "",
		`max_size = "1KiB"`:  `bot.toml:2:12: replay.max_size: 1KiB is not between 1MiB and 16GiB (keep = "0s" keeps nothing)`,
		`max_size = "17GiB"`: "is not between 1MiB and 16GiB",
		`maxsize = "1MiB"`:   `did you mean "max_size"?`,
	} {
		_, err := Parse("bot.toml", []byte("[replay]\n"+text), lookup(nil), nil)
		if says == "" && err != nil || says != "" && (err == nil || !strings.Contains(err.Error(), says)) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}
