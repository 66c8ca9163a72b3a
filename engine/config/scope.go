package config

import (
	"bot/engine/nearest"
	"reflect"
	"strings"
)

// scope is a table being bound: it tells which keys there are, and where a key
// that strayed into it belongs.
type scope struct {
	outer  *scope
	name   string // dotted, as in its header; "" for the file itself
	many   bool   // one of a list of tables
	fields []field
}

// field is one key of a table and the struct field it is for.
type field struct {
	name  string
	index []int
	typ   reflect.Type
}

// fieldsOf lists the tagged fields of a struct, those of embedded structs
// included; an outer field hides an embedded one of the same name.
func fieldsOf(t reflect.Type) []field {
	var own, embedded []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag, tagged := f.Tag.Lookup("toml")
		switch {
		case f.Anonymous && !tagged && f.Type.Kind() == reflect.Struct:
			for _, e := range fieldsOf(f.Type) {
				e.index = append([]int{i}, e.index...)
				embedded = append(embedded, e)
			}
		case tagged && tag != "-":
			own = append(own, field{tag, []int{i}, f.Type})
		}
	}
	for _, e := range embedded {
		if !has(own, e.name) {
			own = append(own, e)
		}
	}
	return own
}

func has(fields []field, name string) bool {
	for _, f := range fields {
		if f.name == name {
			return true
		}
	}
	return false
}

func deref(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t
}

// isTable tells the types that are written as tables, or as lists of them.
func isTable(t reflect.Type) bool {
	t = deref(t)
	if t.Kind() == reflect.Slice {
		t = deref(t.Elem())
	}
	return t.Kind() == reflect.Map || t.Kind() == reflect.Struct && !isText(t)
}

func (s *scope) field(name string) (field, bool) {
	for _, f := range s.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}

// hasTwin tells the types of which a file may hold the value, which the key with
// _file after it names.
func hasTwin(t reflect.Type) bool { return t == secretType || t == listType }

// twinOf returns the field whose _file key this is, nil when it is none.
func (s *scope) twinOf(key string) *field {
	if base, ok := strings.CutSuffix(key, "_file"); ok {
		if f, known := s.field(base); known && hasTwin(f.typ) {
			return &f
		}
	}
	return nil
}

// under is the scope of a table below this one; its keys are listed once its
// struct is met.
func (s *scope) under(key string, t reflect.Type) *scope {
	name := key
	if s.name != "" {
		name = s.name + "." + key
	}
	return &scope{outer: s, name: name, many: t.Kind() == reflect.Slice}
}

// title is the header that opens the table.
func (s *scope) title() string {
	switch {
	case s.name == "":
		return "the top of the file"
	case s.many:
		return "[[" + s.name + "]]"
	default:
		return "[" + s.name + "]"
	}
}

// whither is the hint for a key that this table does not have: mostly it is
// mistyped, or stands below a header that does not concern it.
func (s *scope) whither(key string) string {
	for o := s.outer; o != nil; o = o.outer {
		f, known := o.field(key)
		switch {
		case !known || isTable(f.typ):
		case o.name == "":
			return "it belongs at the top of the file, before the first [table]"
		default:
			return "it belongs to " + o.title() + ", above " + s.title()
		}
	}
	if s.name == "" && (key == "step" || key == "test") {
		return "did you mean [[skill." + key + "]]?"
	}
	for _, f := range s.fields {
		if t := deref(f.typ); t.Kind() == reflect.Struct && isTable(t) && has(fieldsOf(t), key) {
			return "it belongs to " + s.under(f.name, f.typ).title()
		}
	}
	var known []string
	for _, f := range s.fields {
		known = append(known, f.name)
		if hasTwin(f.typ) {
			known = append(known, f.name+"_file")
		}
	}
	return nearest.Guess(key, known)
}

// join appends a key to the path that names a value in messages.
func join(path, key string) string {
	switch {
	case path == "":
		return key
	case path[len(path)-1] >= '0' && path[len(path)-1] <= '9' && strings.Contains(path, " "):
		return path + ": " + key // after "step 2"
	default:
		return path + "." + key
	}
}
