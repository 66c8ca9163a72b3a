package skills_test

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"bot/skills/kind"
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
