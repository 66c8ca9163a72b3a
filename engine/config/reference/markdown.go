package reference

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/hours"
)

const preface = `# Configuration

One file, in [TOML](https://toml.io), and the files that it includes. This page lists every table and every key; it is made of the program's own
source (` + "`go generate ./engine/config/reference`" + `), so it says what this version reads. [config.example.toml](../config.example.toml) is the same as a file to start
from, with the reasons in two languages; ` + "`bot init`" + ` writes it.

| values | are written |
|---|---|
| duration | ` + "`\"1.5s\"`, `\"10m\"`, `\"72h\"`, `\"30d\"`" + `; never below zero, at most 36500d |
| range | two durations, ` + "`\"1.5s..4.5s\"`" + `, between which chance picks; one duration is a range of one |
| rate | a number in a time, ` + "`\"20/m\"`" + `, of s, m, h or d; from 0.001/d to 1000000/s |
| size | ` + "`\"512B\"`, `\"64KiB\"`, `\"1MiB\"`, `\"2GB\"`" + `; at most 1024TiB |
| secret | a text that is never shown. In its place the key with ` + "`_file`" + ` after it may name a file that holds it, alone and on one line |
| list or file | a list of texts; beside it or in its place the key with ` + "`_file`" + ` after it may name a file with one a line |

Any text may use the environment: ` + "`${NAME}`, or `${NAME:-default}`" + ` where it may be unset; ` + "`$${`" + ` is a literal ` + "`${`" + `. Relative paths are relative to the file they
are written in. An unknown key, a value of the wrong sort and one out of bounds are problems with their place and a hint: ` + "`bot check`" + ` lists all at once,
and ` + "`bot reload`" + ` refuses the file and keeps what runs.

**In an editor.** [bot.schema.json](bot.schema.json) lets editors complete keys and mark mistakes as you type. In VS Code install *Even Better TOML*, save the schema
beside your configuration, and write this as the first line of ` + "`bot.toml`" + ` (and of each included file):

` + "```toml\n#:schema ./bot.schema.json\n```" + `

An editor with *taplo* as its language server takes the same line. A schema knows less than ` + "`bot check`" + `: which keys go together, and which are of one
channel only, it cannot say.
`

// Markdown is the page for people.
func (r *Reference) Markdown() []byte {
	var b strings.Builder
	b.WriteString(preface)
	b.WriteString("\n## Tables\n\n")
	for _, t := range r.Tables {
		fmt.Fprintf(&b, "* [%s](#%s)%s\n", t.heading(), t.anchor(), t.aside())
	}
	for _, t := range r.Tables {
		r.section(&b, t)
	}
	return []byte(b.String())
}

func (t *Table) heading() string {
	if t.Path == "" {
		return "Top of the file"
	}
	if t.Title != "" {
		return "`" + t.Header() + "`: " + t.Title
	}
	return "`" + t.Header() + "`"
}

// aside is what the list of tables says behind a heading.
func (t *Table) aside() string {
	first, _, _ := strings.Cut(t.About, ". ")
	return ": " + lowerFirst(strings.TrimSuffix(first, "."))
}

func lowerFirst(s string) string {
	if len(s) > 1 && s[1] >= 'a' && s[1] <= 'z' || len(s) > 1 && s[1] == ' ' {
		return strings.ToLower(s[:1]) + s[1:]
	}
	return s
}

// anchor is what the heading is linked by, as GitHub makes it.
func (t *Table) anchor() string {
	var b strings.Builder
	for _, c := range strings.ToLower(t.heading()) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c == '-':
			b.WriteRune(c)
		case c == ' ':
			b.WriteRune('-')
		}
	}
	return b.String()
}

func (r *Reference) section(b *strings.Builder, t *Table) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", t.heading(), t.About)
	if t.As != nil {
		names := make([]string, len(t.Keys))
		for i, k := range t.Keys {
			names[i] = "`" + k.Name + "`"
		}
		fmt.Fprintf(b, "\nIt has %s, as in [%s](#%s).\n", strings.Join(names, ", "), t.As.heading(), t.As.anchor())
		return
	}
	b.WriteString("\n| key | value | default | what it does |\n|---|---|---|---|\n")
	for i := range t.Keys {
		r.row(b, &t.Keys[i])
	}
	if t.Example != "" {
		fmt.Fprintf(b, "\n```toml\n%s\n```\n", t.Example)
	}
}

func (r *Reference) row(b *strings.Builder, k *Key) {
	name := "`" + k.Name + "`"
	if hasTwin(k.Type) {
		name += ", `" + k.Name + "_file`"
	}
	value, absent, about := r.value(k), k.Default, k.About
	if k.Table != nil {
		value, absent = "table", "none"
		if k.Table.Many {
			value = "tables"
		}
		about = strings.TrimSpace(fmt.Sprintf("%s See [%s](#%s).", about, k.Table.heading(), k.Table.anchor()))
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s |\n", name, cell(value), cell(absent), cell(about))
}

// cell is a text that stands in a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// value says how a key's value is written.
func (r *Reference) value(k *Key) string {
	var words, ranges []string
	sort := k.sort()
	for _, alternative := range k.Is {
		lo, hi, isRange := strings.Cut(alternative, "..")
		switch {
		case strings.HasPrefix(alternative, "@"):
			for _, w := range r.Words(alternative) {
				words = append(words, "`\""+w+"\"`")
			}
		case strings.HasPrefix(alternative, "$"):
			words = append(words, strings.TrimPrefix(alternative, "$"))
		case isRange && lo == "":
			ranges = append(ranges, "up to "+long(hi))
		case isRange && hi == "":
			ranges = append(ranges, long(lo)+" or more")
		case isRange:
			ranges = append(ranges, long(lo)+" to "+long(hi))
		case k.Type.Kind() == reflect.String:
			words = append(words, "`\""+alternative+"\"`")
		default:
			ranges = append(ranges, alternative)
		}
	}
	switch {
	case len(ranges) > 0:
		return sort + ", " + strings.Join(ranges, " or ")
	case len(words) > 0 && k.Type.Kind() == reflect.Slice && k.Type.Elem().Kind() == reflect.String:
		return "texts: " + strings.Join(words, " ")
	case len(words) > 0 && k.Type.Kind() == reflect.String:
		return strings.Join(words, " ")
	case len(words) > 0:
		return strings.Join(words, " or ")
	}
	return sort
}

// long writes a long number in groups of digits.
func long(bound string) string {
	if n, err := strconv.ParseInt(bound, 10, 64); err == nil {
		return grouped(n)
	}
	return bound
}

// sort is the sort of value, by the type alone.
func (k *Key) sort() string {
	t := k.Type
	switch {
	case forms[t].name != "":
		return forms[t].name
	case t == reflect.TypeFor[engine.List]():
		return "texts or file"
	case t == reflect.TypeFor[map[string]hours.Times]():
		return "lists of hours by name"
	}
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Float64:
		return "number"
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Interface {
			return "list"
		}
		return "texts"
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return "texts by name"
		}
		return "table"
	case reflect.Interface:
		return "any"
	}
	return "whole number"
}
