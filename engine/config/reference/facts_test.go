package reference_test

import (
	"bytes"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"bot/engine"
	"bot/engine/config/reference"
)

// What the reference says of a value is what the program does: what stands at a bound
// is taken, and what lies beyond it is refused; so is a word that is not in the list.
func TestBoundsAndWordsAreThoseOfTheProgram(t *testing.T) {
	ref := describe(t)
	tried := 0
	for _, table := range ref.Tables {
		if table.As != nil {
			continue
		}
		example := exampleOf(ref, table)
		for i := range table.Keys {
			k := &table.Keys[i]
			path := append(strings.Split(table.Path, "."), k.Name)
			if table.Path == "" {
				path = path[1:]
			}
			if table.Named {
				path = append(path[:len(path)-1], "accept_friend", k.Name)
			}
			words, good, bad := probes(k)
			for _, v := range words {
				tried++
				if err := check(t, with(t, example, path, v)); err != nil && unknown(err, v) {
					t.Errorf("%s: %s = %q is a word of the reference, and unknown: %v", table.Header(), k.Name, v, err)
				}
			}
			for _, v := range good {
				tried++
				if err := check(t, with(t, example, path, v)); err != nil {
					t.Errorf("%s: %s = %#v is allowed by the reference, and refused: %v", table.Header(), k.Name, v, err)
				}
			}
			for _, v := range bad {
				tried++
				if err := check(t, with(t, example, path, v)); err == nil || !strings.Contains(err.Error(), k.Name) && !strings.Contains(err.Error(), "xyzzy") {
					t.Errorf("%s: %s = %#v is forbidden by the reference; the program says %v", table.Header(), k.Name, v, err)
				}
			}
		}
	}
	if tried < 150 {
		t.Errorf("only %d values were tried", tried)
	}
}

// unknown tells a problem with the word itself from those that it brings along, since
// other keys do not go with it.
func unknown(err error, word string) bool {
	return strings.Contains(err.Error(), "no "+strconv.Quote(word)) || strings.Contains(err.Error(), "unknown")
}

// A path that is relative to the configuration is so by default too.
func TestTheStoreIsBesideTheConfigurationByDefault(t *testing.T) {
	for _, table := range describe(t).Tables {
		for _, k := range table.Keys {
			if table.Path == "store" && k.Name == "path" && k.Default != "`\"bot.db\"`" {
				t.Errorf("store.path is said to be %s", k.Default)
			}
		}
	}
}

// Where the reference says that a key is required a file without it is refused.
func TestRequiredKeysAreRequired(t *testing.T) {
	ref := describe(t)
	for _, table := range ref.Tables {
		if table.As != nil {
			continue
		}
		example := exampleOf(ref, table)
		for _, k := range table.Keys {
			path := append(strings.Split(table.Path, "."), k.Name)
			if table.Named {
				path = append(path[:len(path)-1], "accept_friend", k.Name)
			}
			if k.Required && check(t, without(t, example, path)) == nil {
				t.Errorf("%s is fine without %s", table.Header(), k.Name)
			}
		}
	}
}

// exampleOf is the table's own example, or that of the nearest one above it.
func exampleOf(ref *reference.Reference, t *reference.Table) string {
	path, last := t.Path, ""
	for example := t.Example; ; {
		if example != "" {
			return example
		}
		dot := strings.LastIndexByte(path, '.')
		if dot < 0 {
			return last
		}
		path = path[:dot]
		for _, above := range ref.Tables { // of several kinds the one that has the table
			if above.Path != path {
				continue
			}
			for i := range above.Keys {
				if above.Keys[i].Table == t || strings.HasPrefix(t.Path, above.Path+"."+above.Keys[i].Name+".") {
					example = above.Example
				}
			}
		}
	}
}

// probes are the words that the reference lists, the bounds, which are allowed, and
// values that are not.
func probes(k *reference.Key) (words []string, good, bad []any) {
	listed := false
	for _, alternative := range k.Is {
		lo, hi, isRange := strings.Cut(alternative, "..")
		switch {
		case strings.HasPrefix(alternative, "$"):
		case strings.HasPrefix(alternative, "@"):
			listed = true
		case !isRange && k.Type.Kind() == reflect.String:
			listed = true
			words = append(words, alternative)
		case !isRange:
			good = append(good, alternative)
		default:
			if lo != "" {
				good, bad = append(good, moved(lo, 0)), append(bad, moved(lo, -1))
			}
			if hi != "" {
				good, bad = append(good, moved(hi, 0)), append(bad, moved(hi, 1))
			}
		}
	}
	switch {
	case listed && k.Type.Kind() == reflect.Slice:
		bad = append(bad, []string{"xyzzy"})
	case listed:
		bad = append(bad, "xyzzy")
	}
	return words, good, bad
}

// moved is a bound, moved by the least step that there is.
func moved(bound string, step int) any {
	if n, err := strconv.Atoi(bound); err == nil {
		return n + step
	}
	var size engine.Size
	if strings.HasSuffix(bound, "B") && size.UnmarshalText([]byte(bound)) == nil {
		return strconv.FormatInt(int64(size)+int64(step), 10)
	}
	var d engine.Duration
	if err := d.UnmarshalText([]byte(bound)); err != nil {
		panic(err)
	}
	return (d.Std() + time.Duration(step)*time.Microsecond).String()
}

// with is an example with a value at a path.
func with(t testing.TB, example string, path []string, value any) string {
	return changed(t, example, path, func(table map[string]any, key string) { table[key] = value })
}

// without is an example without the key at a path, wherever it stands.
func without(t testing.TB, example string, path []string) string {
	return changed(t, example, path, func(table map[string]any, key string) { delete(table, key) })
}

// changed is an example in which the first table of a path was changed that has the
// key, or else the first.
func changed(t testing.TB, example string, path []string, change func(table map[string]any, key string)) string {
	t.Helper()
	var doc map[string]any
	if _, err := toml.Decode(example, &doc); err != nil {
		t.Fatal(err)
	}
	tables, key := []map[string]any{doc}, path[len(path)-1]
	for _, name := range path[:len(path)-1] {
		var below []map[string]any
		for _, table := range tables {
			switch v := table[name].(type) {
			case map[string]any:
				below = append(below, v)
			case []map[string]any:
				below = append(below, v...)
			}
		}
		if tables = below; tables == nil {
			t.Fatalf("the example of %v has no %s:\n%s", path, name, example)
		}
	}
	chosen := tables[0]
	for i := len(tables) - 1; i >= 0; i-- {
		if _, has := tables[i][key]; has {
			chosen = tables[i]
		}
	}
	change(chosen, key)
	var b bytes.Buffer
	if err := toml.NewEncoder(&b).Encode(doc); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
