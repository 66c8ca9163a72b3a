package form

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

func TestTheReferenceNamesEveryKeyOfAForm(t *testing.T) {
	doc, err := os.ReadFile("../../docs/skills.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[config](), reflect.TypeFor[stepConfig](), reflect.TypeFor[thenConfig]()} {
		for i := range typ.NumField() {
			key := typ.Field(i).Tag.Get("toml")
			if key != "" && !strings.Contains(string(doc), "`"+key+"`") {
				t.Errorf("docs/skills.md does not explain %q", key)
			}
		}
	}
}
