package reference

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"bot/engine"
)

// code is what a tag, which is in back quotes itself, has in single ones.
var code = regexp.MustCompile(`'(["\[0-9][^']*)'`)

// byDefault is what holds where a key is absent, in Markdown: as its tag says, else
// as the values do.
func byDefault(f reflect.StructField, values []held) (text string, required bool) {
	if said := f.Tag.Get("default"); said != "" {
		return code.ReplaceAllString(said, "`$1`"), said == "required"
	}
	if strings.HasPrefix(f.Tag.Get("is"), "1..") && f.Type.Kind() == reflect.Int && !slices.ContainsFunc(values, func(v held) bool { return !v.value.IsZero() }) {
		return "none", false // nought is out of bounds, so it stands for nothing
	}
	var shown []string                 // different ones, in their order
	where := make(map[string][]string) // by what is shown
	for _, v := range values {
		s := written(v.value)
		if !slices.Contains(shown, s) {
			shown = append(shown, s)
		}
		where[s] = append(where[s], v.when)
	}
	switch len(shown) {
	case 0:
		return written(reflect.Zero(f.Type)), false
	case 1:
		return shown[0], false
	}
	parts := make([]string, len(shown))
	for i, s := range shown {
		parts[i] = s + " (" + strings.Join(together(where[s], values), ", ") + ")"
	}
	return strings.Join(parts, "; "), false
}

// together names conditions by their first word where all that begin with it are
// among them: "wecom" for all forms of it.
func together(some []string, all []held) (names []string) {
	for _, when := range some {
		first, _, _ := strings.Cut(when, " ")
		apart := slices.ContainsFunc(all, func(v held) bool {
			return strings.HasPrefix(v.when, first+" ") && !slices.Contains(some, v.when)
		})
		switch {
		case apart:
			names = append(names, when)
		case !slices.Contains(names, first):
			names = append(names, first)
		}
	}
	return names
}

// written is a value as it stands in a file, "none" for an empty one.
func written(v reflect.Value) string {
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return "none"
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Bool:
		return "`" + strconv.FormatBool(v.Bool()) + "`"
	case reflect.Slice, reflect.Map:
		if v.Len() == 0 {
			return "none"
		}
		if v.Type().Elem().Kind() == reflect.String && v.Kind() == reflect.Slice {
			words := make([]string, v.Len())
			for i := range words {
				words[i] = strconv.Quote(v.Index(i).String())
			}
			return "`[" + strings.Join(words, ", ") + "]`"
		}
		return "none"
	}
	if v.IsZero() {
		if v.Type() == reflect.TypeFor[engine.Duration]() {
			return "`\"0s\"`"
		}
		if v.CanInt() && v.Type() != reflect.TypeFor[engine.Size]() {
			return "`0`"
		}
		return "none"
	}
	switch v.Type() {
	case reflect.TypeFor[engine.Duration]():
		return "`" + strconv.Quote(short(time.Duration(v.Int()))) + "`"
	case reflect.TypeFor[engine.Size]():
		return "`" + strconv.Quote(engine.Size(v.Int()).String()) + "`"
	case reflect.TypeFor[engine.Range]():
		lo, hi := time.Duration(v.Field(0).Int()), time.Duration(v.Field(1).Int())
		if lo == hi {
			return "`" + strconv.Quote(short(lo)) + "`"
		}
		return "`" + strconv.Quote(short(lo)+".."+short(hi)) + "`"
	case reflect.TypeFor[engine.Rate]():
		return "`" + strconv.Quote(engine.Rate{N: v.Field(0).Float(), Per: time.Duration(v.Field(1).Int())}.String()) + "`"
	}
	switch {
	case v.Kind() == reflect.String:
		return "`" + strconv.Quote(v.String()) + "`"
	case v.CanInt():
		return "`" + grouped(v.Int()) + "`"
	}
	return "none"
}

// grouped writes a number as TOML may have it, in groups of three digits where it is long.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	if n < 10_000 {
		return s
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "_" + s[i:]
	}
	return s
}

// short writes a duration as operators do: "72h", "90s", "7d".
func short(d time.Duration) string {
	switch {
	case d >= 7*24*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0 && d > 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0 && d > 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}
