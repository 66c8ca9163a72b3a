package config

import (
	"slices"
	"strconv"
	"strings"
)

// nodeKind tells the three shapes a value can have.
type nodeKind uint8

const (
	scalar nodeKind = iota
	table
	list
)

// node is one value of a document together with its place.
type node struct {
	kind nodeKind
	// key is where its name was written: in its header if it has one, else
	// where it was first mentioned. For an element of a written-out list it is
	// where the element begins.
	key    place
	at     place    // where the value begins; for tables with a header same as key
	header bool     // opened by [name] or [[name]]
	bad    *Problem // why the environment could not be put into this string
	fields map[string]*node
	order  []string // of fields, as written
	items  []*node
	value  any // of a scalar: string, int64, float64, bool or time.Time
}

// add puts a child into a table.
func (n *node) add(name string, child *node) {
	if n.fields == nil {
		n.fields = make(map[string]*node)
	}
	if _, known := n.fields[name]; !known {
		n.order = append(n.order, name)
	}
	n.fields[name] = child
}

// remove takes a child out of a table.
func (n *node) remove(name string) {
	delete(n.fields, name)
	n.order = slices.DeleteFunc(n.order, func(k string) bool { return k == name })
}

// find follows a dotted key ("step.1.ask": names, and indexes from 0) as far as
// it goes. It returns the last node on the way, and whether that is the end.
func (n *node) find(key string) (*node, bool) {
	if key == "" {
		return n, true
	}
	for part := range strings.SplitSeq(key, ".") {
		child := n.fields[part]
		if n.kind == list {
			if i, err := strconv.Atoi(part); err == nil && 0 <= i && i < len(n.items) {
				child = n.items[i]
			}
		}
		if child == nil {
			return n, false
		}
		n = child
	}
	return n, true
}

// text is the string at a key of a table, "" when there is none.
func (n *node) text(key string) string {
	if child := n.fields[key]; child != nil {
		s, _ := child.value.(string)
		return s
	}
	return ""
}

// plain returns the value without places: map[string]any, []any or a scalar.
func (n *node) plain() any {
	switch n.kind {
	case table:
		m := make(map[string]any, len(n.fields))
		for k, child := range n.fields {
			m[k] = child.plain()
		}
		return m
	case list:
		all := make([]any, len(n.items))
		for i, item := range n.items {
			all[i] = item.plain()
		}
		return all
	default:
		return n.value
	}
}

// unread lists the strings below n, itself included, that the environment
// could not be put into.
func (n *node) unread() Problems {
	var ps Problems
	if n.bad != nil {
		ps = append(ps, *n.bad)
	}
	for _, name := range n.order {
		ps = append(ps, n.fields[name].unread()...)
	}
	for _, item := range n.items {
		ps = append(ps, item.unread()...)
	}
	return ps
}

// attach fills a tree of places, as walk makes it, with the values that the
// TOML library decoded from the same text. Should the two ever disagree the
// library is right: a value the walk missed gets its parent's place.
func (n *node) attach(value any) {
	switch v := value.(type) {
	case map[string]any:
		n.kind = table
		for _, name := range slices.Clone(n.order) {
			if _, known := v[name]; !known {
				n.remove(name)
			}
		}
		for name, child := range v {
			if n.fields[name] == nil {
				n.add(name, &node{key: n.key, at: n.at})
			}
			n.fields[name].attach(child)
		}
	case []map[string]any:
		items := make([]any, len(v))
		for i := range v {
			items[i] = v[i]
		}
		n.attach(items)
	case []any:
		n.kind = list
		n.items = n.items[:min(len(n.items), len(v))]
		for i, item := range v {
			if i == len(n.items) {
				n.items = append(n.items, &node{key: n.key, at: n.at})
			}
			n.items[i].attach(item)
		}
	default:
		n.kind, n.value = scalar, v
	}
}
