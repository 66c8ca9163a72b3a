package config

import (
	"slices"
	"strings"
	"testing"

	"bot/engine/alert"
)

func TestTheNamesOfAlertsAreThoseOfTheDesk(t *testing.T) {
	if !slices.Equal(AlertKinds(), alert.Kinds()) {
		t.Errorf("kinds %q, the desk's %q", AlertKinds(), alert.Kinds())
	}
	if !slices.Equal(AlertFormats(), alert.Formats()) {
		t.Errorf("formats %q, the desk's %q", AlertFormats(), alert.Formats())
	}
}

func TestAlertsAndHealth(t *testing.T) {
	cfg, err := load(folder(t, map[string]string{
		"bot.toml": oneAccount + `[account.health]
silence = "2h"
hours = "shop"
[hours]
shop = ["mon-fri 09:00-18:00"]
[alert]
to = {account = "shop", to = "room"}
webhook_file = "robot.url"
except = ["words"]
at_most = "6/h"
hours = "shop"
outbox_age = "15m"
`, "robot.url": "https://example.com/hook?key=k\n"}))
	if err != nil || len(cfg.Warnings) != 0 {
		t.Fatal(err, cfg.Warnings)
	}
	a := cfg.Alert
	if a.To != (AlertTo{"shop", "room"}) || a.Webhook.Reveal() != "https://example.com/hook?key=k" || len(a.Times) != 1 || a.AtMost.N != 6 {
		t.Errorf("%+v", a)
	}
	if h := cfg.Accounts[0].Health; len(h.Times) != 1 || h.Silence.Std().Hours() != 2 {
		t.Errorf("%+v", h)
	}
}

func TestWhatIsWrongWithAlerts(t *testing.T) {
	for name, tt := range map[string]struct{ table, want string }{
		"an unknown account":    {"to = {account = \"shp\", to = \"r\"}", `bot.toml:6:17: alert.to: there is no account "shp" (did you mean "shop"?)`},
		"nobody to tell":        {"to = {account = \"shop\"}", `bot.toml:6:6: alert.to says nobody to tell (to = {account = "shop", to =`},
		"no account":            {"to = {to = \"r\"}", `bot.toml:6:6: alert.to names no account (`},
		"no address":            {"webhook = \"SECRET-key\"", `bot.toml:6:11: alert.webhook is not a web address (webhook = "https://…")`},
		"an empty address":      {"webhook = \"\"", `bot.toml:6:11: alert.webhook is empty`},
		"a format of nothing":   {"format = \"slack\"", `bot.toml:6:10: alert.format: there is no webhook (set webhook as well)`},
		"an unknown format":     {"webhook = \"https://a.b\"\nformat = \"telegram\"", `bot.toml:7:10: alert.format: there is no "telegram" (known: json, wecom`},
		"an unknown kind":       {"kinds = [\"ofline\"]", `bot.toml:6:9: alert.kinds: there is no kind "ofline" (did you mean "offline"?)`},
		"no kinds":              {"except = []", `bot.toml:6:10: alert.except is empty (leave it out for all kinds)`},
		"an unknown language":   {"language = \"fr\"", `bot.toml:6:12: alert.language: there is no "fr" (known: zh, en, both)`},
		"all the time":          {"every = \"0s\"", `bot.toml:6:9: alert.every: 0s is too short, at least 1s`},
		"half a message":        {"at_most = \"0.5/h\"", `bot.toml:6:11: alert.at_most: 0.5/h is not a whole number from 1 to 1000 messages (like "20/h")`},
		"hours that are not":    {"hours = \"shop\"", `bot.toml:6:9: alert.hours: there are no [hours] called "shop"`},
		"an age of nothing":     {"backlog_age = \"0s\"", `bot.toml:6:15: alert.backlog_age: 0s is too short`},
		"a mistyped key":        {"webhok = \"x\"", `unknown key "webhok" (did you mean "webhook"?)`},
		"a webhook and a file":  {"webhook = \"https://a.b\"\nwebhook_file = \"x\"", `both webhook and webhook_file are given`},
		"silence of no length":  {"[account.health]\nsilence = \"1s\"", `bot.toml:7:11: account "shop": health.silence: 1s is too short, at least 1m0s`},
		"hours without silence": {"[account.health]\nhours = \"x\"", `health.hours: there are no [hours] called "x"`},
	} {
		t.Run(name, func(t *testing.T) {
			table := "[alert]\n" + tt.table
			if strings.HasPrefix(tt.table, "[account.health]") {
				table = "# \n" + tt.table
			}
			_, err := load(folder(t, map[string]string{"bot.toml": oneAccount + table + "\n"}))
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "SECRET") {
				t.Errorf("said\n%v\nwant\n%s", err, tt.want)
			}
		})
	}
}
