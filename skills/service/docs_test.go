package service

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestTheReferenceNamesEveryKeyOfTheTable(t *testing.T) {
	doc, err := os.ReadFile("../../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[table]()) {
		if key := f.Tag.Get("toml"); key != "" && !strings.Contains(string(doc), "| `"+key+"` |") {
			t.Errorf("docs/skills.md does not explain %q", key)
		}
	}
}
