package app_test

import (
	"testing"
	"time"

	"bot/engine"
	"bot/engine/app"
	"bot/engine/channel"
	"bot/engine/config"
	"bot/skills"
)

// What skills need to know of the configuration beside their own tables.
func TestSkillsAreToldWhatTheyAreMatchedBy(t *testing.T) {
	const toml = `
[match]
fold_traditional = true
[hours]
shop = ["mon 09:00-18:00"]
[[account]]
name = "tokyo"
channel = "generic"
base_url = "http://127.0.0.1:1"
timezone = "Asia/Tokyo"
`
	load := func() (*config.Config, error) {
		return config.Parse("/bot.toml", []byte(toml), func(string) (string, bool) { return "", false }, app.Channels())
	}
	var told app.Accounts
	build := func(_ []engine.Section, accounts app.Accounts) (app.Skills, error) {
		told = accounts
		return skills.Build(nil, skills.Options{})
	}
	plan, err := app.Prepare(load, build, channel.NewClient())
	if err != nil {
		t.Fatal(err)
	}
	if !told.Folding.FoldTraditional || len(told.Hours["shop"]) != 1 {
		t.Errorf("told %+v", told)
	}
	for account, zone := range map[string]string{"tokyo": "Asia/Tokyo", "nobody": "Asia/Shanghai"} {
		if got := told.Location(account).String(); got != zone {
			t.Errorf("%s is in %s, want %s", account, got, zone)
		}
	}
	start := plan.Trial("tokyo", false).Start
	if start.Weekday() != time.Monday || start.Format("15:04 MST") != "09:00 JST" {
		t.Errorf("tests begin on %s", start.Format("Mon 15:04 MST"))
	}
}
