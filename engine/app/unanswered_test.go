package app

import (
	"testing"
	"time"

	"bot/engine"
	"bot/engine/config"
)

func TestWhyAnOldMessageWasRefusedIsToldInTheZoneOfTheConfiguration(t *testing.T) {
	p := &Plan{Config: &config.Config{Timezone: "Asia/Shanghai"}}
	e := &engine.Event{Account: "shop", Time: time.Date(2026, 12, 3, 1, 30, 0, 0, time.UTC)}
	if got, want := p.refusal(e, "age"), "age: sent at 2026-12-03T09:30:00+08:00, older than max_age"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}
