package timed_test

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/trial"
	"bot/engine/turn"
	"bot/skills/skilltest"
	"bot/skills/timed"
)

func reference(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/schedules.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

func TestTheReferenceNamesEveryKey(t *testing.T) {
	doc := reference(t)
	for _, f := range reflect.VisibleFields(reflect.TypeOf(timed.Kind.Config)) {
		if key := f.Tag.Get("toml"); !strings.Contains(doc, "| `"+key+"` |") {
			t.Errorf("docs/schedules.md does not explain %q", key)
		}
	}
}

func TestTheExamplesOfTheReferenceWork(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```toml\n(.*?)```").FindAllStringSubmatch(reference(t), -1)
	if len(blocks) < 4 {
		t.Fatalf("%d examples", len(blocks))
	}
	for _, m := range blocks {
		c := skilltest.Parse(t, m[1])
		set, err := build(c)
		if err != nil {
			t.Fatal(err)
		}
		if w := c.Warnings(); len(w) > 0 {
			t.Errorf("warnings: %q", w)
		}
		for _, script := range set.Tests() {
			o := trial.Options{
				Setup:   turn.Setup{Router: set, Accounts: map[string]engine.Account{"shop": {Name: "shop", Location: time.UTC}}},
				Account: "shop", Start: now, Timeout: time.Second, Chance: func() float64 { return 0.5 }, Schedules: set.Schedules(),
			}
			if err := trial.Run(t.Context(), o, script); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestTheScheduleOfTheExampleConfigurationWorks(t *testing.T) {
	data, err := os.ReadFile("../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	_, text, found := strings.Cut(string(data), "[[schedule]]")
	if !found {
		t.Fatal("there is none")
	}
	text = strings.Replace("[[schedule]]"+text, "enabled = false", "enabled = true", 1)
	c, err := config.Parse("/bot.toml", []byte(text), func(string) (string, bool) { return "", false }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Schedules) != 1 {
		t.Errorf("%d schedules", len(c.Schedules))
	}
	set, err := build(skilltest.Parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	said, _ := due(t, set)
	if len(said) != 1 || said[0] != "push send_text→ 12345@chatroom 早上好，今天是 2026-03-02。 map[]" {
		t.Errorf("said %q", said)
	}
}
