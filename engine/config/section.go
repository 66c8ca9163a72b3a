package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"bot/engine"
)

// Section is a table that its owner reads, such as one [[skill]]. Its problems
// name the table (`skill "bind": `) ahead of what the owner says. Has, Errorf,
// At, Position and Decode may be used by many goroutines; Warnf adds to Config.Warnings
// and may not be used by two at once.
type Section struct {
	node     *node
	scope    *scope // names the table; its outer ones say where stray keys belong
	disk     disk
	warnings *[]Problem
}

var _ engine.Section = (*Section)(nil)

// Decode fills the struct that v points to by its `toml` tags: strings, bools,
// numbers, lists, maps, structs (embedded ones add their keys), pointers, and
// types that unmarshal text; a field of type any gets the value as it is, a
// *Section the table unread. Each Secret may stand in a file that the key with
// _file after it names. The error is Problems, all of them; what could be
// decoded is. A v that is no such pointer panics, since no file can cause it.
func (s *Section) Decode(v any) error {
	target := reflect.ValueOf(v)
	if target.Kind() != reflect.Pointer || target.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("config: decode into %T, want a pointer to a struct", v))
	}
	b := binder{section: s}
	b.structure(s.node, target.Elem(), s.scope, "")
	return b.problems.errOrNil()
}

// Keys are the table's own keys, as written.
func (s *Section) Keys() []string { return slices.Clone(s.node.order) }

// Has tells whether the key is present; dots lead into sub-tables.
func (s *Section) Has(key string) bool {
	_, found := s.node.find(key)
	return found
}

// Errorf makes a Problem at the key; an absent key is placed at the table that
// lacks it. Indexes in keys count from 0. Values are blamed where they begin,
// tables at their header.
func (s *Section) Errorf(key, format string, args ...any) error {
	return s.problem(key, format, args...)
}

// Warnf adds a warning to Config.Warnings.
func (s *Section) Warnf(key, format string, args ...any) {
	*s.warnings = append(*s.warnings, s.problem(key, format, args...))
}

// At is the file:line of the key, or of the table that lacks it.
func (s *Section) At(key string) string {
	n, _ := s.node.find(key)
	return n.key.String()
}

// Position is the file:line:col at which a Problem at the key stands.
func (s *Section) Position(key string) string {
	n, _ := s.node.find(key)
	return fmt.Sprintf("%v:%d", n.at, n.at.col)
}

func (s *Section) problem(key, format string, args ...any) Problem {
	n, _ := s.node.find(key)
	return n.at.problem("%s%s", s.prefix(""), fmt.Sprintf(format, args...))
}

// prefix names the table and the key in it: `account "shop": limit.rate: `.
func (s *Section) prefix(path string) string {
	var b strings.Builder
	if s.scope.many {
		b.WriteString(s.scope.name)
		if name := s.node.text("name"); name != "" {
			b.WriteString(" " + quote(name))
		}
		b.WriteString(": ")
	}
	if path != "" {
		b.WriteString(path + ": ")
	}
	return b.String()
}
