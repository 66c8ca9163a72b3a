package reference

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"

	"bot/engine"
	"bot/engine/hours"
)

// schema is a JSON Schema, or a part of one.
type schema map[string]any

// environment is what any text may hold, in place of what is asked for.
const environment = `\$\{`

// Schema is the JSON Schema (draft 7) for editors. A table has the keys of all its
// sources: which of them go together is more than it can say.
func (r *Reference) Schema() ([]byte, error) {
	tables := make(map[string]schema)
	root := r.object()
	tables[""] = root
	for _, t := range r.Tables {
		if t.Path != "" && tables[t.Path] == nil {
			tables[t.Path] = r.object()
			r.hang(tables, t)
		}
		r.fill(tables[t.Path], t)
	}
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "bot.toml"
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(root); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func (r *Reference) object() schema {
	return schema{"type": "object", "properties": schema{}, "additionalProperties": false}
}

// hang puts a table into the one that it is a key of.
func (r *Reference) hang(tables map[string]schema, t *Table) {
	above, name := "", t.Path
	if dot := strings.LastIndexByte(t.Path, '.'); dot >= 0 {
		above, name = t.Path[:dot], t.Path[dot+1:]
	}
	about := plain(t.About)
	of := tables[t.Path]
	switch {
	case t.Many:
		of = schema{"type": "array", "items": of}
	case t.Named:
		of = schema{"type": "object", "additionalProperties": of}
	}
	of["description"] = about
	tables[above]["properties"].(schema)[name] = of
}

// fill adds the keys of a source to its table. The first of a name counts.
func (r *Reference) fill(into schema, t *Table) {
	properties := into["properties"].(schema)
	for i := range t.Keys {
		k := &t.Keys[i]
		if properties[k.Name] != nil || k.Table != nil {
			continue
		}
		s := r.typed(k)
		s["description"] = plain(k.About)
		if hint := k.Default; hint != "none" && hint != "required" {
			s["description"] = s["description"].(string) + " Default: " + plain(hint) + "."
		}
		properties[k.Name] = s
		if hasTwin(k.Type) {
			properties[k.Name+"_file"] = schema{"type": "string", "description": "A file that holds " + k.Name + ", relative to this one."}
		}
	}
	if t.Title != "" {
		return // its keys are not those of every such table
	}
	for _, k := range t.Keys {
		if k.Required && !hasTwin(k.Type) {
			required, _ := into["required"].([]string)
			into["required"] = append(required, k.Name)
		}
	}
}

// plain takes Markdown's signs off.
func plain(s string) string { return strings.ReplaceAll(s, "`", "") }

func (r *Reference) typed(k *Key) schema {
	t := k.Type
	switch {
	case t == reflect.TypeFor[map[string]hours.Times]():
		return schema{"type": "object", "additionalProperties": schema{"type": "array", "items": schema{"type": "string"}, "minItems": 1}}
	case t == reflect.TypeFor[engine.Secret]():
		return schema{"type": "string"}
	case forms[t].pattern != "":
		return schema{"type": "string", "pattern": "^(" + forms[t].pattern + ")$|" + environment}
	}
	switch t.Kind() {
	case reflect.String:
		return r.oneOf(k)
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int:
		return bounded(schema{"type": "integer"}, k.Is)
	case reflect.Float64:
		return bounded(schema{"type": "number"}, k.Is)
	case reflect.Slice:
		items := *k
		items.Type = t.Elem()
		return schema{"type": "array", "items": r.typed(&items)}
	case reflect.Map:
		if t.Elem().Kind() == reflect.String {
			return schema{"type": "object", "additionalProperties": schema{"type": "string"}}
		}
		return schema{"type": "object"}
	}
	return anyOf(k.Is)
}

// oneOf is a text, one of some where the key says so.
func (r *Reference) oneOf(k *Key) schema {
	var known []string
	for _, alternative := range k.Is {
		if strings.HasPrefix(alternative, "@") {
			known = append(known, r.Words(alternative)...)
		} else {
			known = append(known, alternative)
		}
	}
	if known == nil {
		return schema{"type": "string"}
	}
	return schema{"type": "string", "anyOf": []schema{{"enum": known}, {"pattern": environment}}}
}

func bounded(s schema, is []string) schema {
	for _, alternative := range is {
		lo, hi, _ := strings.Cut(alternative, "..")
		if n, err := strconv.ParseInt(lo, 10, 64); err == nil {
			s["minimum"] = n
		}
		if n, err := strconv.ParseInt(hi, 10, 64); err == nil {
			s["maximum"] = n
		}
	}
	return s
}

// anyOf is what a field of type any may hold.
func anyOf(is []string) schema {
	sorts := map[string]schema{
		"$text": {"type": "string"}, "$number": {"type": "number"}, "$table": {"type": "object"}, "$list": {"type": "array"},
		"$tables": {"type": "array", "minItems": 1, "items": schema{"type": "object"}},
	}
	var all []schema
	for _, alternative := range is {
		if s := sorts[alternative]; s != nil {
			all = append(all, s)
		}
	}
	if all == nil {
		return schema{}
	}
	return schema{"anyOf": all}
}
