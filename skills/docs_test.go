package skills_test

import (
	"go/format"
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
	"bot/skills"
	"bot/skills/kind"
	"bot/skills/skilltest"
)

func TestTheReferenceNamesEveryCommonKey(t *testing.T) {
	doc, err := os.ReadFile("../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	keys := reflect.TypeFor[kind.Keys]()
	for i := range keys.NumField() {
		key := keys.Field(i).Tag.Get("toml")
		if key == "test" {
			continue // [[skill.test]] has a section of its own
		}
		if !strings.Contains(string(doc), "| `"+key+"` |") {
			t.Errorf("docs/skills.md does not explain %q", key)
		}
	}
}

func TestTheReferenceNamesEveryEventAndAction(t *testing.T) {
	doc, err := os.ReadFile("../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, k := range engine.Kinds() {
		names = append(names, string(k))
	}
	for _, a := range engine.Actions() {
		_, err := skills.Build(skilltest.Parse(t, "[[skill]]\nname = \"a\"\ndo = \""+string(a)+"\"").Sections, skills.Options{})
		if err == nil || !strings.Contains(err.Error(), "unknown action") && !strings.Contains(err.Error(), "is what a reply does") {
			names = append(names, string(a))
		}
	}
	for _, name := range names {
		if !strings.Contains(string(doc), "`"+name+"`") {
			t.Errorf("docs/skills.md does not name %s", name)
		}
	}
}

// example is a block of the reference that holds whole skills.
var example = regexp.MustCompile("(?s)```toml\n(\\[\\[skill\\]\\]\n.*?)```")

func TestTheExamplesOfTheReferenceWork(t *testing.T) {
	doc, err := os.ReadFile("../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := example.FindAllSubmatch(doc, -1)
	if len(examples) == 0 {
		t.Fatal("there are none")
	}
	for _, m := range examples {
		c := skilltest.Parse(t, string(m[1]))
		set, err := skills.Build(c.Sections, skills.Options{Accounts: []string{"shop"}})
		if err != nil {
			t.Fatal(err)
		}
		if w := c.Warnings(); len(w) > 0 {
			t.Errorf("warnings: %q", w)
		}
		for _, script := range set.Tests() {
			o := trial.Options{
				Setup:   turn.Setup{Router: set, Accounts: map[string]engine.Account{"shop": {Name: "shop", Location: time.UTC}}},
				Account: "shop", Start: skilltest.Start, Timeout: time.Second, Chance: func() float64 { return 0.5 },
			}
			if script.Group {
				o.Group = "test-group"
			}
			if err := trial.Run(t.Context(), o, script); err != nil {
				t.Error(err)
			}
		}
	}
}

// hoursExample is the block of the reference that holds hours.
var hoursExample = regexp.MustCompile("(?s)```toml\n(\\[hours\\]\n.*?)```")

func TestTheHoursOfTheReferenceAreRead(t *testing.T) {
	doc, err := os.ReadFile("../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	m := hoursExample.FindSubmatch(doc)
	if m == nil {
		t.Fatal("there are none")
	}
	unset := func(string) (string, bool) { return "", false }
	c, err := config.Parse("/bot.toml", m[1], unset, nil)
	if err != nil {
		t.Fatal(err)
	}
	night := time.Date(2026, 3, 8, 3, 0, 0, 0, time.UTC) // a Sunday
	if c.Hours["shop"].Open(night) || !c.Hours["night"].Open(night) {
		t.Error("at three on a Sunday the night is on and the shop is closed")
	}
}

// The kind that the reference shows is Go, formatted as Go is.
func TestTheReferencesKindIsGo(t *testing.T) {
	doc, err := os.ReadFile("../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(doc), "```go\n")
	code, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatal("there is none")
	}
	formatted, err := format.Source([]byte(code))
	if err != nil || string(formatted) != code {
		t.Errorf("%v; formatted it is\n%s", err, formatted)
	}
}
