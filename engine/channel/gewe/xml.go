package gewe

import (
	"encoding/xml"
	"io"
	"strings"
)

// Bounds of what is read of a document; what lies beyond is left out.
const (
	maxDepth = 64
	maxNodes = 4096
)

// node is an element of a document. All methods take a nil node for one that
// is empty.
type node struct {
	name     string
	attrs    []xml.Attr
	chars    []byte
	children []*node
}

// parse reads as much of a document as can be read and returns its outermost
// element, nil if there is none. Bare ampersands are taken as they are; what is
// broken in the middle leaves what stood before. Whatever stands before the
// first element, such as the speaker's id, is skipped.
func parse(s string) *node {
	at := strings.IndexByte(s, '<')
	if at < 0 {
		return nil
	}
	d := xml.NewDecoder(strings.NewReader(s[at:]))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it came in JSON, so it is UTF-8
	var root *node
	var open []*node
	for n := 0; n < maxNodes; {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			n++
			e := &node{name: t.Name.Local, attrs: t.Attr}
			switch {
			case root == nil:
				root = e
			case len(open) == 0 || len(open) == maxDepth:
				return root
			default:
				up := open[len(open)-1]
				up.children = append(up.children, e)
			}
			open = append(open, e)
		case xml.CharData:
			if len(open) > 0 {
				top := open[len(open)-1]
				top.chars = append(top.chars, t...)
			}
		case xml.EndElement:
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
		}
	}
	return root
}

// child follows a path of names, taking the first of each.
func (n *node) child(path ...string) *node {
	for _, name := range path {
		var next *node
		for _, c := range n.all() {
			if c.name == name {
				next = c
				break
			}
		}
		n = next
	}
	return n
}

func (n *node) all() []*node {
	if n == nil {
		return nil
	}
	return n.children
}

// text is what stands directly in the element, without the space around it.
func (n *node) text() string {
	if n == nil {
		return ""
	}
	return strings.TrimSpace(string(n.chars))
}

func (n *node) attr(name string) string {
	if n == nil {
		return ""
	}
	for _, a := range n.attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}
