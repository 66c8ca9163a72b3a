package wecom

import (
	"errors"
	"iter"
	"strings"
)

// What is read of a decrypted document is bounded, although it was signed:
// real ones have some dozens of elements, four deep.
const (
	maxDepth    = 16
	maxElements = 4096
)

// What a document that is not read is.
var (
	errSyntax  = errors.New("broken off or malformed")
	errDoctype = errors.New("has a DOCTYPE")
	errDeep    = errors.New("nested too deep")
	errMany    = errors.New("larger than a document can be: too many elements")
	errAfter   = errors.New("followed by something after its end")
)

// node is an element of a decrypted document, of XML and JSON alike: what is a
// list in JSON is a repeated element here. Ids are text, whatever they were.
type node struct {
	name string
	text string // as it stands, spaces included; "" where there are kids
	kids []*node
}

// parse reads a document by its first byte. With an error it returns what was
// read before, so that the error can be told with the document's ids.
func parse(data []byte) (*node, error) {
	if isJSON(data) {
		return parseJSON(data)
	}
	return parseXML(data)
}

// isJSON tells the two apart.
func isJSON(data []byte) bool {
	for _, c := range data {
		switch c {
		case ' ', '\t', '\r', '\n':
			continue
		}
		return c == '{'
	}
	return false
}

// at is the first element at the path, nil where there is none. A nil node has
// no elements.
func (n *node) at(path ...string) *node {
	for _, name := range path {
		if n = n.kid(name); n == nil {
			return nil
		}
	}
	return n
}

func (n *node) kid(name string) *node {
	for k := range n.all(name) {
		return k
	}
	return nil
}

// all are the elements of that name.
func (n *node) all(name string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		if n == nil {
			return
		}
		for _, k := range n.kids {
			if k.name == name && !yield(k) {
				return
			}
		}
	}
}

// get is the text at the path without the space around it, as ids and words
// have none; raw is the text as it stands.
func (n *node) get(path ...string) string { return strings.TrimSpace(n.raw(path...)) }

func (n *node) raw(path ...string) string {
	if n = n.at(path...); n == nil {
		return ""
	}
	return n.text
}

// texts are the texts of all elements of that name.
func (n *node) texts(name string) []string {
	var all []string
	for k := range n.all(name) {
		if s := strings.TrimSpace(k.text); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// leaves are the elements that hold text, with their paths below n, joined by
// dots, in the order of the document.
func (n *node) leaves() iter.Seq2[string, string] {
	return func(yield func(path, text string) bool) { n.walk("", yield) }
}

func (n *node) walk(prefix string, yield func(path, text string) bool) bool {
	if n == nil {
		return true
	}
	for _, k := range n.kids {
		path := prefix + k.name
		if len(k.kids) == 0 && !yield(path, k.text) || !k.walk(path+".", yield) {
			return false
		}
	}
	return true
}
