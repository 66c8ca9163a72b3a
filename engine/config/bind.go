package config

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
)

// binder fills Go values from a tree by their `toml` tags. It goes through the
// whole tree whatever it finds: every wrong type, bad value and unknown key is
// reported, and all the rest is set.
type binder struct {
	section  *Section
	problems Problems
}

var (
	sectionType = reflect.TypeFor[*Section]()
	secretType  = reflect.TypeFor[Secret]()
)

func (b *binder) fail(at place, path, msg, hint string) {
	p := at.problem("%s%s", b.section.prefix(path), msg)
	p.Hint = hint
	b.problems = append(b.problems, p)
}

// mismatch reports a value of the wrong type.
func (b *binder) mismatch(n *node, t reflect.Type, sc *scope, path string) {
	want, found := wanted(t), describe(n)
	if t == secretType {
		found = shape(n)
	}
	b.fail(n.at, path, "expected "+want+", found "+found, remedy(n, t, sc))
}

// value sets v from n. sc is the table that n stands in, path names n in messages.
func (b *binder) value(n *node, v reflect.Value, sc *scope, path string) {
	if n.bad != nil {
		// Said when the file was read; the section's owner is to know of it too.
		b.problems = append(b.problems, *n.bad)
		return
	}
	if v.Kind() == reflect.Pointer && v.Type() != sectionType {
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		b.value(n, v.Elem(), sc, path)
		return
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		b.text(n, u, v.Type(), sc, path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		b.subsection(n, v, sc, path)
	case reflect.Struct:
		b.structure(n, v, sc, path)
	case reflect.Map:
		b.mapping(n, v, sc, path)
	case reflect.Slice:
		b.slice(n, v, sc, path)
	case reflect.Interface:
		b.problems = append(b.problems, n.unread()...)
		v.Set(reflect.ValueOf(n.plain()))
	default:
		b.scalar(n, v, sc, path)
	}
}

func (b *binder) text(n *node, u encoding.TextUnmarshaler, t reflect.Type, sc *scope, path string) {
	s, ok := n.value.(string)
	if !ok {
		b.mismatch(n, t, sc, path)
		return
	}
	if wrong := stray(s); wrong != "" && t == secretType {
		b.fail(n.at, path, "the secret holds "+wrong, "it is to stand alone, on one line")
		return
	}
	if err := u.UnmarshalText([]byte(s)); err != nil {
		b.fail(n.at, path, err.Error(), "")
	}
}

// subsection hands a table on unread.
func (b *binder) subsection(n *node, v reflect.Value, sc *scope, path string) {
	if n.kind != table {
		b.mismatch(n, v.Type(), sc, path)
		return
	}
	sub := *b.section
	sub.node, sub.scope = n, sc
	v.Set(reflect.ValueOf(&sub))
}

func (b *binder) structure(n *node, v reflect.Value, sc *scope, path string) {
	if n.kind != table {
		b.mismatch(n, v.Type(), sc, path)
		return
	}
	inner := &scope{outer: sc.outer, name: sc.name, many: sc.many, fields: fieldsOf(v.Type())}
	var files []func() // what they add comes behind what is written here
	for _, key := range n.order {
		child := n.fields[key]
		f, known := inner.field(key)
		twin := inner.twinOf(key)
		switch {
		case known:
			b.value(child, v.FieldByIndex(f.index), inner.under(key, f.typ), join(path, key))
		case twin != nil && twin.typ == listType:
			files = append(files, func() { b.listFile(n, key, v.FieldByIndex(twin.index), join(path, key)) })
		case twin != nil:
			b.secretFile(n, key, v.FieldByIndex(twin.index), join(path, key))
		default:
			b.fail(child.key, path, fmt.Sprintf("unknown key %q", key), inner.whither(key))
		}
	}
	for _, add := range files {
		add()
	}
}

func (b *binder) mapping(n *node, v reflect.Value, sc *scope, path string) {
	if n.kind != table {
		b.mismatch(n, v.Type(), sc, path)
		return
	}
	m := reflect.MakeMapWithSize(v.Type(), len(n.order))
	for _, key := range n.order {
		item := reflect.New(v.Type().Elem()).Elem()
		b.value(n.fields[key], item, sc.under(key, item.Type()), join(path, key))
		m.SetMapIndex(reflect.ValueOf(key).Convert(v.Type().Key()), item)
	}
	v.Set(m)
}

func (b *binder) slice(n *node, v reflect.Value, sc *scope, path string) {
	items := n.items
	if n.kind == table && isTable(v.Type().Elem()) {
		// Said, but read all the same: the table may hold problems of its own.
		p := singleTable(n, sc.name)
		p.Msg = b.section.prefix("") + p.Msg
		b.problems = append(b.problems, p)
		items = []*node{n}
	} else if n.kind != list {
		b.mismatch(n, v.Type(), sc, path)
		return
	}
	all := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		b.value(item, all.Index(i), sc, fmt.Sprintf("%s %d", path, i+1))
	}
	v.Set(all)
}

func (b *binder) scalar(n *node, v reflect.Value, sc *scope, path string) {
	switch x := n.value.(type) {
	case string:
		if v.Kind() == reflect.String {
			v.SetString(x)
			return
		}
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(x)
			return
		}
	case int64:
		if b.integer(n, x, v, path) {
			return
		}
	case float64:
		if v.CanFloat() && !math.IsNaN(x) && !math.IsInf(x, 0) {
			v.SetFloat(x)
			return
		}
	}
	b.mismatch(n, v.Type(), sc, path)
}

// integer sets a number of any kind; false when v is none.
func (b *binder) integer(n *node, x int64, v reflect.Value, path string) bool {
	switch {
	case v.CanFloat():
		v.SetFloat(float64(x))
	case v.CanInt() && !v.OverflowInt(x):
		v.SetInt(x)
	case v.CanUint() && x >= 0 && !v.OverflowUint(uint64(x)):
		v.SetUint(uint64(x))
	case v.CanInt() || v.CanUint():
		b.fail(n.at, path, fmt.Sprintf("%d is out of range", x), "")
	default:
		return false
	}
	return true
}
