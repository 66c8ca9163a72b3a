package skills_test

import (
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/skills"
)

func TestATextOfABroadcastIsFilledIn(t *testing.T) {
	text, err := skills.Template("{{.User}} {{.Account}} {{.Day}} {{.Now.Hour}}")
	if err != nil {
		t.Fatal(err)
	}
	got, err := text(engine.Recipient{User: "u", Account: "shop", Day: "2026-12-24", Now: time.Date(2026, 12, 24, 9, 0, 0, 0, time.UTC)})
	if err != nil || got != "u shop 2026-12-24 9" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestATextOfABroadcastCannotShowWhatNobodySaid(t *testing.T) {
	for _, text := range []string{"亲爱的{{.UserName}}", "{{.Text}}", "{{with $.Params}}x{{end}}", "{{index .Match 0}}", "{{.Nobody}}", "{{"} {
		if _, err := skills.Template(text); err == nil || !strings.Contains(err.Error(), "bad template") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestABroadcastThatSaysNothingToAnybodyIsRefused(t *testing.T) {
	for _, text := range []string{"{{/* later */}}", "{{if false}}a{{end}}", "\u200b"} {
		if _, err := skills.Template(text); err == nil || !strings.Contains(err.Error(), "comes out blank") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
