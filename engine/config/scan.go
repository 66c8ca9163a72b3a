package config

import (
	"fmt"
	"strings"
)

// The limits keep hostile or broken files from exhausting the stack, here and
// in the TOML library, which recurses without one.
const (
	maxDepth = 64 // of lists and inline tables in each other
	maxParts = 32 // of one dotted key
)

// scanner notes where every key and value of a TOML text stands, which the
// TOML library tells for syntax errors only. It understands structure alone:
// whatever the library accepts it can walk, and it judges nothing but what is
// dangerous to accept. Of a faulty text it walks what comes before the fault.
type scanner struct {
	src  *source
	text string
	pos  int
	root *node
	// here counts on from its last answer, so that even one long line costs
	// its length only once.
	counted   int
	line, col int
	fault     *Problem // what the library would let pass, or choke on
	open      []int    // the lines of the lists that are not closed yet, the innermost last
}

// keyPart is one name of a dotted key.
type keyPart struct {
	name string
	at   place
}

// walk makes the tree of places (root); scalars have no value yet. The problem (fault)
// is one that the library must not be asked about.
func walk(src *source, text string) *scanner {
	s := &scanner{src: src, text: text, line: 1, col: 1}
	start := s.here()
	s.root = &node{kind: table, key: start, at: start}
	s.document()
	return s
}

// refuse ends the scan with a problem of its own.
func (s *scanner) refuse(at place, format string, args ...any) bool {
	p := at.problem(format, args...)
	s.fault = &p
	return false
}

func (s *scanner) here() place {
	for ; s.counted < s.pos; s.counted++ {
		switch c := s.text[s.counted]; {
		case c == '\n':
			s.line, s.col = s.line+1, 1
		case c&0xC0 != 0x80: // not in the middle of a character
			s.col++
		}
	}
	return place{s.src, s.line, s.col}
}

// document walks everything; false (here and below) means that the text is
// faulty from here on.
func (s *scanner) document() bool {
	open := s.root
	for {
		s.blank()
		switch {
		case s.pos == len(s.text):
			return true
		case s.text[s.pos] == '[':
			if open = s.header(); open == nil {
				return false
			}
		case !s.pair(open, 0):
			return false
		}
		if !s.lineEnd() {
			return false
		}
	}
}

// header reads [name] or [[name]] and returns the table it opens, nil when the
// text is faulty.
func (s *scanner) header() *node {
	brackets := 1
	if strings.HasPrefix(s.text[s.pos:], "[[") {
		brackets = 2
	}
	s.pos += brackets
	parts, ok := s.key()
	if !ok || !strings.HasPrefix(s.text[s.pos:], "]]"[:brackets]) {
		return nil
	}
	s.pos += brackets
	t := s.parent(s.root, parts)
	if t == nil {
		return nil
	}
	if brackets == 2 {
		return s.openList(t, parts)
	}
	return s.openTable(t, parts)
}

func (s *scanner) openTable(parent *node, parts []keyPart) *node {
	last := parts[len(parts)-1]
	t := parent.fields[last.name]
	switch {
	case t == nil:
		t = &node{kind: table}
		parent.add(last.name, t)
	case t.header || t.kind != table:
		s.twice(t, last)
		if name := dotted(parts); t.kind == list && t.header || listNames[last.name] {
			s.fault.Hint = fmt.Sprintf("each of them opens with [[%s]]", name)
		}
		return nil
	}
	t.key, t.at, t.header = last.at, last.at, true
	return t
}

func (s *scanner) openList(parent *node, parts []keyPart) *node {
	last := parts[len(parts)-1]
	all := parent.fields[last.name]
	switch {
	case all == nil:
		all = &node{kind: list, key: last.at, at: last.at, header: true}
		parent.add(last.name, all)
	case all.kind != list || !all.header:
		// The fault lies with the first of them.
		s.refuse(all.key, "%q is a single value here, and a list on line %d", dotted(parts), last.at.line)
		s.fault.Hint = fmt.Sprintf("write [[%s]] both times", dotted(parts))
		return nil
	}
	t := &node{kind: table, key: last.at, at: last.at, header: true}
	all.items = append(all.items, t)
	return t
}

// pair reads key = value into the table.
func (s *scanner) pair(t *node, depth int) bool {
	parts, ok := s.key()
	if !ok || !s.take('=') {
		return false
	}
	if t = s.parent(t, parts); t == nil {
		return false
	}
	last := parts[len(parts)-1]
	if first := t.fields[last.name]; first != nil {
		s.twice(first, last)
		return false
	}
	child := &node{key: last.at}
	t.add(last.name, child)
	s.spaces()
	return s.value(child, depth)
}

// parent follows all parts of a key but the last, through tables made for them
// if need be and the last of each list of [[tables]].
func (s *scanner) parent(t *node, parts []keyPart) *node {
	for _, part := range parts[:len(parts)-1] {
		child := t.fields[part.name]
		if child == nil {
			child = &node{kind: table, key: part.at, at: part.at}
			t.add(part.name, child)
		}
		if child.kind == list && child.header {
			child = child.items[len(child.items)-1]
		}
		if child.kind != table {
			s.twice(child, part)
			return nil
		}
		t = child
	}
	return t
}

// twice refuses a second value for a key. The library mostly does so too, but
// in places keeps one of the two without a word.
func (s *scanner) twice(first *node, again keyPart) {
	s.refuse(again.at, "%q is defined twice", again.name)
	s.fault.Hint = fmt.Sprintf("first on line %d; keep one of them", first.key.line)
}

// listNames are the tables of which there are many, the ones that people open
// with single brackets by mistake.
var listNames = map[string]bool{"account": true, "skill": true, "step": true, "test": true}

func dotted(parts []keyPart) string {
	names := make([]string, len(parts))
	for i, part := range parts {
		names[i] = part.name
	}
	return strings.Join(names, ".")
}

// key reads a dotted key and the space around its parts.
func (s *scanner) key() ([]keyPart, bool) {
	var parts []keyPart
	for {
		s.spaces()
		at := s.here()
		name, ok := s.name()
		if !ok {
			return nil, false
		}
		parts = append(parts, keyPart{name, at})
		switch {
		case name == "":
			return nil, s.refuse(at, "a key without a name")
		case len(parts) > maxParts:
			return nil, s.refuse(at, "a key of more than %d parts", maxParts)
		}
		s.spaces()
		if !s.take('.') {
			return parts, true
		}
	}
}

// value walks one value of any type.
func (s *scanner) value(n *node, depth int) bool {
	n.at = s.here()
	switch c := s.peek(); c {
	case '"', '\'':
		if strings.HasPrefix(s.text[s.pos:], strings.Repeat(string(c), 3)) {
			return s.multiline(c)
		}
		return s.quoted(c)
	case '[', '{':
		if depth == maxDepth {
			return s.refuse(n.at, "lists and tables nested deeper than %d levels", maxDepth)
		}
		s.pos++
		if c == '[' {
			return s.list(n, depth+1)
		}
		return s.inline(n, depth+1)
	default:
		start := s.pos
		for s.pos < len(s.text) && !strings.ContainsRune(",]}#\n", rune(s.text[s.pos])) {
			s.pos++
		}
		return s.pos > start
	}
}

func (s *scanner) list(n *node, depth int) bool {
	n.kind = list
	s.open = append(s.open, n.at.line)
	for {
		s.blank()
		if s.take(']') {
			s.open = s.open[:len(s.open)-1]
			return true
		}
		item := &node{key: s.here()}
		n.items = append(n.items, item)
		if !s.value(item, depth) {
			return false
		}
		s.blank()
		if !s.take(',') && s.peek() != ']' {
			return false
		}
	}
}

func (s *scanner) inline(n *node, depth int) bool {
	n.kind = table
	for {
		s.blank()
		if s.take('}') {
			return true
		}
		if !s.pair(n, depth) {
			return false
		}
		s.blank()
		if !s.take(',') && s.peek() != '}' {
			return false
		}
	}
}
