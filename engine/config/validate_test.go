package config

import "testing"

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
