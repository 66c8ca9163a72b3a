package config

import (
	"strings"
	"testing"
)

func TestConfirmations(t *testing.T) {
	for _, tt := range []struct{ name, keys, want string }{
		{"confirmed within five seconds", "confirm = true", ""},
		{"within another time", "confirm = true\nconfirm_within = \"1m\"", ""},
		{"a limit of what is not confirmed", `confirm_within = "1m"`, "confirm_within: nothing is confirmed (confirm = true)"},
		{"switched off for now", "confirm = false\nconfirm_within = \"1m\"", ""},
		{"too short", "confirm = true\nconfirm_within = \"1ms\"", "confirm_within: 1ms is too short, at least 100ms"},
		{"too long", "confirm = true\nconfirm_within = \"25h\"", "confirm_within is longer than 24h0m0s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			const account = "[[account]]\nname = \"a\"\nchannel = \"generic\"\nbase_url = \"https://example.com\"\n"
			_, err := Parse("bot.toml", []byte(account+tt.keys), lookup(nil), testChannels("generic"))
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}
