package render

import (
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"text/template"
	"unicode/utf8"
)

// functions are what templates may call besides the built-in ones. Some of
// these replace built-in ones that fail or print a placeholder where a value
// is missing: what a user sends must not make a reply fail.
var functions = template.FuncMap{
	"upper":   func(v any) string { return strings.ToUpper(show(v)) },
	"lower":   func(v any) string { return strings.ToLower(show(v)) },
	"trim":    func(v any) string { return strings.TrimSpace(show(v)) },
	"replace": func(old, by string, v any) string { return strings.ReplaceAll(show(v), old, by) },
	"join":    join,
	"default": orDefault,

	"len":      length,
	"index":    index,
	"slice":    slice,
	"urlquery": func(v any) string { return url.QueryEscape(show(v)) },
	"html":     func(v any) string { return template.HTMLEscapeString(show(v)) },
	"js":       func(v any) string { return template.JSEscapeString(show(v)) },
	"print":    printed,
	"println":  func(v ...any) string { return printed(v...) + "\n" },
	"printf":   formatted,
	shown:      show,
	needed:     need,
	marked:     mark,

	"eq": equal,
	"ne": func(a, b any) bool { return !same(a, b) },
	"lt": func(a, b any) (bool, error) { n, err := order(a, b); return n < 0, err },
	"le": func(a, b any) (bool, error) { n, err := order(a, b); return n <= 0, err },
	"gt": func(a, b any) (bool, error) { n, err := order(a, b); return n > 0, err },
	"ge": func(a, b any) (bool, error) { n, err := order(a, b); return n >= 0, err },
}

// The functions that the checker adds to actions.
const (
	shown  = "_show" // at the end of every one
	needed = "_need" // in a strict text, around what must be there
	marked = "_mark" // in place of _show, in Pieces
)

// show puts a value as text: nothing for what is missing, a whole number
// without exponent whatever JSON made of it.
func show(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e15 {
			return strconv.FormatInt(int64(v), 10)
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	case []any:
		if v == nil { // null, see Answer
			return ""
		}
		return showJSON(v)
	case map[string]any:
		return showJSON(v)
	}
	return fmt.Sprint(v)
}

func showJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// formatted is the built-in printf, but shows nothing where a value is missing.
func formatted(format string, args ...any) string {
	for i, v := range args {
		if v == nil {
			args[i] = Number("")
		}
	}
	return fmt.Sprintf(format, args...)
}

func printed(v ...any) string {
	var b strings.Builder
	for _, x := range v {
		b.WriteString(show(x))
	}
	return b.String()
}

// orDefault is `.Data.x | default "…"`: the fallback for what is missing or empty.
func orDefault(fallback, v any) any {
	if show(v) == "" {
		return fallback
	}
	return v
}

func join(sep string, v any) string {
	list := reflect.ValueOf(v)
	if list.Kind() != reflect.Slice {
		return show(v)
	}
	parts := make([]string, list.Len())
	for i := range parts {
		parts[i] = show(list.Index(i).Interface())
	}
	return strings.Join(parts, sep)
}

// length is the built-in len, but 0 for what is missing.
func length(v any) (int, error) {
	at := reflect.ValueOf(v)
	switch at.Kind() {
	case reflect.Invalid:
		return 0, nil
	case reflect.String, reflect.Slice, reflect.Map:
		return at.Len(), nil
	}
	return 0, fmt.Errorf("len of %s", at.Type())
}

// index goes down into maps by key and into lists by position; nil where there
// is no such thing.
func index(v any, keys ...any) any {
	for _, k := range keys {
		at, key := reflect.ValueOf(v), reflect.ValueOf(k)
		var found reflect.Value
		switch {
		case at.Kind() == reflect.Map && key.Kind() == reflect.String && at.Type().Key().Kind() == reflect.String:
			found = at.MapIndex(key.Convert(at.Type().Key()))
		case at.Kind() == reflect.Slice && key.CanInt() && 0 <= key.Int() && key.Int() < int64(at.Len()):
			found = at.Index(int(key.Int()))
		}
		if !found.IsValid() {
			return nil
		}
		v = found.Interface()
	}
	return v
}

// slice cuts a text by characters, to what there is of it. A stray byte counts
// as one, and comes out as what stands for it.
func slice(v any, from int, to ...int) string {
	s := show(v)
	if len(to) > 0 {
		s = s[:offset(s, to[0])]
	}
	if s = s[offset(s, from):]; !utf8.ValidString(s) {
		s = string([]rune(s))
	}
	return s
}

// offset is where the n-th character of s begins, counted from 0; its end when
// there are fewer.
func offset(s string, n int) int {
	for i := range s {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(s)
}
