package loadtest

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// docs is where all of this is explained.
const docs = "../../docs/performance.md"

func TestEveryFieldOfTheReportIsDocumented(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	for _, field := range fieldsOf(reflect.TypeFor[Report]()) {
		if !strings.Contains(string(text), "`"+field+"`") {
			t.Errorf("%s does not mention the field `%s`", docs, field)
		}
	}
}

func TestEveryProfileIsDocumented(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	for _, r := range Redeliveries() {
		names = append(names, r.Name)
	}
	for _, name := range append(names, Scenarios()...) {
		if !strings.Contains(string(text), "| `"+name+"`") {
			t.Errorf("%s has no row for `%s`", docs, name)
		}
	}
}

// fieldsOf are the names in JSON of a type's fields, and of theirs.
func fieldsOf(t reflect.Type) []string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return fieldsOf(t.Elem())
	case reflect.Struct:
	default:
		return nil
	}
	if t == reflect.TypeFor[time.Time]() {
		return nil
	}
	var names []string
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names = append(append(names, name), fieldsOf(f.Type)...)
	}
	return names
}
