package config

import (
	"encoding"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/hours"
)

// textForms name the types that are written as strings of a form of their own.
var textForms = map[reflect.Type]struct{ name, example string }{
	reflect.TypeFor[engine.Duration](): {"a duration", `"10m"`},
	reflect.TypeFor[engine.Range]():    {"a duration or a range", `"1.5s..4.5s"`},
	reflect.TypeFor[engine.Rate]():     {"a rate", `"20/m"`},
	reflect.TypeFor[engine.Size]():     {"a size", `"1MiB"`},
	reflect.TypeFor[hours.Line]():      {"opening hours", `"mon-fri 09:00-18:00"`},
}

func isText(t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// wanted says in the operator's words what a type is written as.
func wanted(t reflect.Type) string {
	t = deref(t)
	if form, ok := textForms[t]; ok {
		return form.name
	}
	if isText(t) {
		return "a string"
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Float32, reflect.Float64:
		return "a number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return "a list of strings"
		}
		return "a list"
	case reflect.Struct, reflect.Map:
		return "a table"
	default:
		return "an integer"
	}
}

// describe says what was found.
func describe(n *node) string {
	switch v := n.value.(type) {
	case string:
		return "the string " + quote(v)
	case int64:
		return fmt.Sprintf("the integer %d", v)
	case float64:
		return fmt.Sprintf("the number %v", v)
	case bool:
		return fmt.Sprintf("%t", v)
	}
	return shape(n)
}

// shape is describe without the value, for what must not be shown.
func shape(n *node) string {
	switch n.value.(type) {
	case string:
		return "a string"
	case int64:
		return "an integer"
	case float64:
		return "a number"
	case bool:
		return "true or false"
	}
	switch n.kind {
	case table:
		return "a table"
	case list:
		return "a list"
	default:
		return "a date or time"
	}
}

// remedy says what to write instead, as far as that can be told.
func remedy(n *node, t reflect.Type, sc *scope) string {
	t = deref(t)
	if t == secretType {
		return `write "…"`
	}
	if form, ok := textForms[t]; ok {
		if v, ok := n.value.(int64); ok && strings.Contains(form.name, "duration") && v > 0 {
			return fmt.Sprintf("write \"%dm\" for minutes, \"%ds\" for seconds", v, v)
		}
		return "write it like " + form.example
	}
	switch t.Kind() {
	case reflect.String:
		return stringRemedy(n)
	case reflect.Slice:
		return listRemedy(n, t.Elem(), sc)
	case reflect.Struct, reflect.Map:
		if !isText(t) && sc.name != "" {
			return "open it with " + sc.title()
		}
		return stringRemedy(n)
	}
	s, _ := n.value.(string)
	s = strings.TrimSpace(s)
	if t.Kind() == reflect.Bool {
		return boolRemedy(s)
	}
	if _, err := strconv.ParseFloat(s, 64); err == nil && len(s) <= 20 {
		return "write " + s + ", without quotes"
	}
	return ""
}

func stringRemedy(n *node) string {
	switch v := n.value.(type) {
	case int64, float64, bool, string:
		return "write " + quote(fmt.Sprint(v))
	}
	if n.kind == list && len(n.items) == 1 {
		if s, ok := n.items[0].value.(string); ok {
			return "write " + quote(s)
		}
	}
	return `write "…"`
}

func listRemedy(n *node, elem reflect.Type, sc *scope) string {
	if isTable(elem) {
		return "open each with " + sc.title()
	}
	if elem.Kind() == reflect.String && n.kind == scalar {
		return "write [" + strings.TrimPrefix(stringRemedy(n), "write ") + "]"
	}
	return "write […]"
}

func boolRemedy(s string) string {
	switch strings.ToLower(s) {
	case "true", "yes", "on":
		return "write true, without quotes"
	case "false", "no", "off":
		return "write false, without quotes"
	}
	return ""
}

// quote writes a text as TOML would have it, long ones cut.
func quote(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return strconv.Quote(s)
}
