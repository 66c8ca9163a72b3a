package config

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
	"pgregory.net/rapid"
)

// scan is the tree and the problem of a walk.
func scan(src *source, text string) (*node, *Problem) {
	s := walk(src, text)
	return s.root, s.fault
}

// checkPlaces proves that scan agrees with the TOML library about a text that
// the library accepts: every key and element of the decoded tree has a node,
// the key's place holds the key, and what begins at the value's place decodes
// to the value.
func checkPlaces(t failer, text string) {
	t.Helper()
	decoded, err := decodeTOML(text)
	if err != nil {
		return
	}
	src := &source{name: "f"}
	root, wrong := scan(src, text)
	if wrong != nil {
		return
	}
	c := placeChecker{failer: t, text: text}
	c.table("", root, decoded)
}

// failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

type placeChecker struct {
	failer
	text string
}

func (c placeChecker) table(path string, n *node, want map[string]any) {
	if n.kind != table || len(n.fields) != len(n.order) || len(n.order) != len(want) {
		c.Fatalf("%s: found %v, want the keys of %v\n%s", path, n.order, want, c.text)
	}
	for name, v := range want {
		child := n.fields[name]
		if child == nil {
			c.Fatalf("%s: no node for %q\n%s", path, name, c.text)
		}
		s := scanner{text: c.after(child.key)}
		if got, ok := s.name(); !ok || got != name {
			c.Fatalf("%s: place of %q holds %q\n%s", path, name, s.text, c.text)
		}
		c.value(path+"/"+name, child, v)
	}
}

func (c placeChecker) value(path string, n *node, want any) {
	switch v := want.(type) {
	case map[string]any:
		c.table(path, n, v)
	case []map[string]any:
		for i, item := range v {
			c.value(fmt.Sprint(path, "/", i), c.item(path, n, i, len(v)), item)
		}
	case []any:
		if len(v) != len(n.items) {
			c.Fatalf("%s: %d elements, want %d\n%s", path, len(n.items), len(v), c.text)
		}
		for i, item := range v {
			c.value(fmt.Sprint(path, "/", i), c.item(path, n, i, len(v)), item)
		}
	default:
		c.scalar(path, n, want)
	}
}

func (c placeChecker) item(path string, n *node, i, count int) *node {
	if n.kind != list || len(n.items) != count {
		c.Fatalf("%s: %d elements, want %d\n%s", path, len(n.items), count, c.text)
	}
	return n.items[i]
}

func (c placeChecker) scalar(path string, n *node, want any) {
	s := scanner{text: c.after(n.at)}
	if n.kind != scalar || !s.value(&node{}, 0) {
		c.Fatalf("%s: no value at %v\n%s", path, n.at, c.text)
	}
	var got struct{ X any }
	if _, err := toml.Decode("x = "+s.text[:s.pos], &got); err != nil {
		c.Fatalf("%s: place of the value holds %q\n%s", path, s.text[:s.pos], c.text)
	}
	if fmt.Sprint(got.X) != fmt.Sprint(want) || reflect.TypeOf(got.X) != reflect.TypeOf(want) {
		c.Fatalf("%s: place of the value holds %v, want %v\n%s", path, got.X, want, c.text)
	}
}

// after is the text from a place on.
func (c placeChecker) after(p place) string {
	rest := c.text
	for range p.line - 1 {
		_, rest, _ = strings.Cut(rest, "\n")
	}
	for range p.col - 1 {
		_, size := firstRune(rest)
		rest = rest[size:]
	}
	return rest
}

func firstRune(s string) (rune, int) {
	for i, r := range s {
		if i > 0 {
			return r, i
		}
	}
	return 0, len(s)
}

// documents are texts with every construct that keys and values can take.
var documents = []string{
	"a = 1\nb.c.d = 'x' # c\n\"q \\u00e9\".'l l' = true\n",
	"[a]\n[a.b]\nx = 1\n[[a.c]]\ny = 2\n[[a.c]]\n[a.c.d]\nz = 3\n",
	"[a.b]\n[a]\nk = 1\n",
	"t = { a = 1, b = { c = [ { d = 1 }, { d = 2 } ] }, 'e'.f = 3 }\n",
	"l = [\n  1, # one\n  2,\n]\nm = [[1], [\"]\", '#']]\n",
	"s = \"\"\"\n[no]\nx = \\\"\\\"\\\" 1 \"\"\"\"\"\nr = '''\n[no] ''' \n",
	"e = \"a\\\\\"\nf = '\\'\ng = \"\\\"]\"\n",
	"  [ a . \"b\" ]  # c\n \t c = 1979-05-27 07:32:00\nd = -inf\n",
	"中 = 1\n", "\"中文\" = '值'\n[\"分组\"]\nk = \"值\" # 注\nl = ['一', '二']\n",
	"a = []\nb = {}\nc = [{}, {}]\n",
	"a = {\n  b = 1, # c\n  c = 2,\n}\n",
	"fruit.apple.color = 1\nfruit.apple.taste.sweet = true\n[fruit.apple.texture]\nsmooth = true\n",
	"a = {b = 1}\na.c = 2\n",
	"x = \"\"\"a \\\n   b\"\"\"\ny = 0x1F\nz = 1_000\n",
}

func TestEveryKeyOfADocumentHasItsPlace(t *testing.T) {
	for _, text := range documents {
		checkPlaces(t, text)
	}
	files, _ := filepath.Glob("testdata/*.toml")
	for _, file := range append(files, "../../config.example.toml") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkPlaces(t, string(data))
	}
}

func TestEveryKeyOfAGeneratedDocumentHasItsPlace(t *testing.T) {
	accepted := 0
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(line(), 1, 12).Draw(rt, "lines"), "\n")
		if _, err := decodeTOML(text); err == nil {
			accepted++
		}
		checkPlaces(rt, text)
	})
	if accepted == 0 {
		t.Error("no generated document was valid TOML")
	}
}

func FuzzPlaces(f *testing.F) {
	for _, text := range documents {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := &source{name: "f"}
		if text, wrong := decodeText(src, []byte(text)); wrong == nil {
			checkPlaces(t, text)
		}
	})
}

// line generates one line of TOML, or a value of several.
func line() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		space := rapid.SampledFrom([]string{"", " ", "\t "}).Draw(t, "space")
		k := key().Draw(t, "key")
		end := rapid.SampledFrom([]string{"", " ", " # c", "#]['\"", "\n\n"}).Draw(t, "end")
		switch rapid.IntRange(0, 5).Draw(t, "line") {
		case 0:
			return space + "[" + space + k + space + "]" + end
		case 1:
			return space + "[[" + k + space + "]]" + end
		default:
			return space + k + space + "=" + space + value(3).Draw(t, "value") + end
		}
	})
}

func key() *rapid.Generator[string] {
	part := rapid.SampledFrom([]string{"a", "b-1", "C_", "1", `"q"`, `'l'`, `"é\n"`, `'中 #='`, `"\u4e2d\\\""`, "d", "e", "f", "g", "h"})
	return rapid.Map(rapid.SliceOfN(part, 1, 3), func(parts []string) string { return strings.Join(parts, " . ") })
}

func value(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		if depth == 0 {
			kind = 0
		}
		sep := rapid.SampledFrom([]string{",", " , ", ",\n", ", # ]}\n"}).Draw(t, "sep")
		switch kind {
		case 1, 2:
			items := rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "items")
			return "[" + strings.Join(items, sep) + "]"
		case 3:
			pairs := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
				return key().Draw(t, "key") + " = " + value(depth-1).Draw(t, "value")
			}), 0, 3).Draw(t, "pairs")
			return "{" + strings.Join(pairs, sep) + "}"
		}
		return rapid.SampledFrom([]string{
			"1", "-1_0", "1.5e3", "true", "inf", "nan", "0xff", "1979-05-27T07:32:00Z", "1979-05-27 07:32:00", "07:32:00",
			`"x"`, `""`, `''`, `"\"]}#"`, `"\\"`, `'\'`, `'"#'`, `"中文"`, `"""a"""`, "\"\"\"\n[x]\n\\\"\"\" b\"\"\"\"\"", "'''\nx = 1\n''''", `"""\\"""`, "\"\"\"\\\n  y\"\"\"",
		}).Draw(t, "scalar")
	})
}

func TestWhatIsDangerousToAcceptIsAProblem(t *testing.T) {
	for name, text := range map[string]string{
		"lists":   "a = " + strings.Repeat("[", 1<<20),
		"tables":  strings.Repeat("a = {", 1<<20),
		"no name": "'' = 1",
		"parts":   strings.Repeat("a.", 1<<20) + "b = 1",
		"header":  "[" + strings.Repeat("a.", 1<<20) + "b]",
	} {
		if _, wrong := parse(&source{name: "f"}, text); wrong == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTheLibraryIsRightAboutValues(t *testing.T) {
	root, _ := scan(&source{name: "f"}, "a = 1\nl = [1, 2]\n")
	root.attach(map[string]any{"b": int64(2), "l": []any{"x"}})
	got, _ := root.plain().(map[string]any)
	if len(got) != 2 || got["b"] != int64(2) || len(got["l"].([]any)) != 1 || root.fields["b"].at != root.at {
		t.Errorf("got %v", got)
	}
}
