// Package reference describes the configuration for people and for their editors:
// docs/configuration.md and docs/bot.schema.json are made of the very structs that
// files are decoded into. Types and names come from the structs, descriptions and
// examples from the comments beside them, defaults from values.
//
// Two tags of a field say what the types cannot. `is` holds what may stand there,
// alternatives parted by |: a range with either end open ("1..100", "1m.."), a word,
// "@name" for a list of words that the source brings along, "$text" and the like for
// fields of type any, "-" for what has no place in the reference. `default` says in
// words what holds where the key is absent and no value can tell; "required" that it
// may not be.
//
//go:generate go test -run TestTheFilesAreWhatTheTypesSay -update .
package reference

import (
	"fmt"
	"reflect"
	"strings"

	"bot/engine"
	"bot/engine/hours"
)

// Source is one struct that tables are decoded into.
type Source struct {
	// Path is the table's name, "" for the top of the file; Many says that it is
	// written [[…]].
	Path string
	Many bool
	// Title sets tables of one name apart: the kind of skill that has the keys.
	Title string
	// About stands in the place of the struct's comment, where that is for programmers.
	About string
	// Value is the struct with what holds where keys are absent.
	Value any
	// Variants are further such values, where the default depends on something.
	Variants []Variant
}

// Variant is what holds under a condition, such as an account's channel.
type Variant struct {
	When  string
	Value any
}

// Reference is what Read makes of the sources.
type Reference struct {
	Tables []*Table
	words  map[string][]string
}

// Table is one table of the configuration.
type Table struct {
	Path    string
	Many    bool // [[…]]
	Named   bool // its tables have names that the operator chooses
	Title   string
	About   string
	Example string // TOML
	Keys    []Key
	As      *Table // explains the same keys already
}

// Key is one key of a table.
type Key struct {
	Name     string
	About    string
	Default  string // in Markdown
	Required bool
	Is       []string // the alternatives of its tag
	Type     reflect.Type
	Table    *Table // of a key that is a table
}

// Header is how the table is opened.
func (t *Table) Header() string {
	path := t.Path
	if t.Named {
		path += ".NAME"
	}
	switch {
	case path == "":
		return "the top of the file"
	case t.Many:
		return "[[" + path + "]]"
	}
	return "[" + path + "]"
}

// Key finds a key by the names that lead to it, whichever source it is of.
func (r *Reference) Key(path ...string) (Key, bool) {
	table, name := strings.Join(path[:len(path)-1], "."), path[len(path)-1]
	for _, t := range r.Tables {
		if t.Path == strings.Join(path, ".") {
			return Key{Name: name, Table: t}, true
		}
		if t.Path != table {
			continue
		}
		for _, k := range t.Keys {
			if k.Name == name {
				return k, true
			}
		}
	}
	return Key{}, false
}

// Words are those that an alternative "@name" stands for.
func (r *Reference) Words(alternative string) []string {
	return r.words[strings.TrimPrefix(alternative, "@")]
}

// Read describes the sources. root is the folder of the module, whose source is
// parsed for the comments; words are the lists that tags refer to. The error names a
// field without a comment, and whatever else a reader would miss.
func Read(root string, sources []Source, words map[string][]string) (*Reference, error) {
	b := builder{comments: newComments(root), ref: &Reference{words: words}, seen: make(map[reflect.Type]*Table), own: make(map[string]bool)}
	for _, s := range sources {
		b.own[s.Path] = true
	}
	for _, s := range sources {
		values := []held{{"", reflect.ValueOf(s.Value)}}
		if s.Variants != nil {
			values = nil
		}
		for _, v := range s.Variants {
			values = append(values, held{v.When, reflect.ValueOf(v.Value)})
		}
		b.table(&Table{Path: s.Path, Many: s.Many, Title: s.Title, About: s.About}, reflect.TypeOf(s.Value), values)
	}
	return b.ref, b.err
}

// held is a value that holds under a condition. It may be of an unexported struct,
// which reflection can read and nobody else.
type held struct {
	when  string
	value reflect.Value
}

type builder struct {
	comments *comments
	own      map[string]bool // the tables that have a source of their own
	ref      *Reference
	seen     map[reflect.Type]*Table
	err      error
}

func (b *builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf(format, args...)
	}
}

// table describes the table of a struct type, and those below it.
func (b *builder) table(t *Table, typ reflect.Type, values []held) {
	b.ref.Tables = append(b.ref.Tables, t)
	if t.As = b.seen[typ]; t.As == nil {
		b.seen[typ] = t
	}
	about, err := b.comments.ofType(typ)
	if err != nil {
		b.fail("%v", err)
		return
	}
	if t.Example = about.example; t.About == "" {
		t.About = about.text
	}
	b.keys(t, typ, values)
}

// keys adds the keys of a struct. Those of an embedded one are added as well, unless
// it has a table of its own among the sources.
func (b *builder) keys(t *Table, typ reflect.Type, values []held) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous && f.Tag.Get("toml") == "" {
			if b.seen[f.Type] == nil {
				b.seen[f.Type] = t
				b.keys(t, f.Type, inner(values, i))
			}
			continue
		}
		name, is := f.Tag.Get("toml"), f.Tag.Get("is")
		if name == "" || name == "-" || is == "-" || t.Path == "" && b.own[name] {
			continue
		}
		k := Key{Name: name, Type: deref(f.Type)}
		if is != "" {
			k.Is = strings.Split(is, "|")
		}
		for _, alternative := range k.Is {
			if strings.HasPrefix(alternative, "@") && len(b.ref.Words(alternative)) == 0 {
				b.fail("%v: %s: there is no list %s", typ, name, alternative)
			}
		}
		k.About = b.comments.ofField(typ, f.Name)
		k.Table = b.below(t, &k, inner(values, i))
		if k.About == "" && k.Table == nil {
			b.fail("%v: %s has no comment", typ, f.Name)
		}
		k.Default, k.Required = byDefault(f, inner(values, i))
		t.Keys = append(t.Keys, k)
	}
}

// below is the table that a key is, nil for other keys.
func (b *builder) below(t *Table, k *Key, values []held) *Table {
	typ := k.Type
	sub := &Table{Path: strings.TrimPrefix(t.Path+"."+k.Name, ".")}
	switch {
	case typ.Kind() == reflect.Slice && isTable(typ.Elem()):
		sub.Many, typ, values = true, typ.Elem(), nil
	case typ.Kind() == reflect.Map && isTable(typ.Elem()):
		sub.Named, typ, values = true, typ.Elem(), nil
	case !isTable(typ):
		return nil
	}
	b.table(sub, typ, values)
	return sub
}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && forms[t].name == ""
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// inner are the values of a field.
func inner(values []held, field int) []held {
	all := make([]held, len(values))
	for i, v := range values {
		all[i] = held{v.when, v.value.Field(field)}
	}
	return all
}

// forms are the types that are written as strings of a form of their own.
var forms = map[reflect.Type]struct{ name, pattern, example string }{
	reflect.TypeFor[engine.Duration](): {"duration", `\s*\+?` + durationPattern + `\s*`, `"10m"`},
	reflect.TypeFor[engine.Range]():    {"duration or range", `\s*\+?` + durationPattern + `\s*(\.\.\s*\+?` + durationPattern + `\s*)?`, `"1.5s..4.5s"`},
	reflect.TypeFor[engine.Rate]():     {"rate", `\s*` + numberPattern + `\s*/\s*[smhd]\s*`, `"20/m"`},
	reflect.TypeFor[engine.Size]():     {"size", `\s*` + numberPattern + `\s*(([KMGT]i?)?B)?\s*`, `"1MiB"`},
	reflect.TypeFor[engine.Secret]():   {"secret", "", `"${NAME}"`},
	reflect.TypeFor[hours.Line]():      {"opening hours", "", `"mon-fri 09:00-18:00"`},
}

const (
	numberPattern   = `([0-9]+(\.[0-9]*)?|\.[0-9]+)`
	durationPattern = `(0|` + numberPattern + `d|(` + numberPattern + `(ns|us|µs|μs|ms|s|m|h))+)`
)

// hasTwin tells the types of which a file may hold the value, which the key with
// _file after it names.
func hasTwin(t reflect.Type) bool {
	return t == reflect.TypeFor[engine.Secret]() || t == reflect.TypeFor[engine.List]()
}
