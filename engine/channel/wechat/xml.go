package wechat

import (
	"encoding/xml"
	"io"
	"strings"
)

// Bounds of what is read of a document; what lies beyond is left out. WeChat's
// own have a few kilobytes, forwarded chat records more.
const (
	maxSize  = 1 << 20
	maxDepth = 64
	maxNodes = 4096
)

// Node is an element of a document. All methods take a nil node for one that is
// empty.
type Node struct {
	name     string
	attrs    []xml.Attr
	chars    []byte
	children []*Node
}

// Parse reads as much of a document as can be read and returns its outermost
// element, nil if there is none. Bare ampersands are taken as they are; what is
// broken in the middle leaves what stood before. Whatever stands before the
// first element, such as the speaker's id, is skipped.
func Parse(s string) *Node {
	at := strings.IndexByte(s, '<')
	if at < 0 {
		return nil
	}
	s = s[at:]
	d := xml.NewDecoder(strings.NewReader(s[:min(len(s), maxSize)]))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil } // it came in JSON, so it is UTF-8
	var root *Node
	var open []*Node
	for n := 0; n < maxNodes; {
		token, err := d.Token()
		if err != nil {
			break
		}
		switch t := token.(type) {
		case xml.StartElement:
			n++
			e := &Node{name: t.Name.Local, attrs: t.Attr}
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

// IsDocument tells XML from a line for people.
func IsDocument(s string) bool { return strings.HasPrefix(strings.TrimSpace(s), "<") }

// Child follows a path of names, taking the first of each.
func (n *Node) Child(path ...string) *Node {
	for _, name := range path {
		var next *Node
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

func (n *Node) all() []*Node {
	if n == nil {
		return nil
	}
	return n.children
}

// Text is what stands directly in the element, without the space around it.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	return strings.TrimSpace(string(n.chars))
}

// Attr is the value of an attribute, "" for none.
func (n *Node) Attr(name string) string {
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

// id is an element's text where that can be an id.
func (n *Node) id() string {
	if id := n.Text(); IsID(id) {
		return id
	}
	return ""
}

// people reads a memberlist: the ids, and the names, which are none or one for
// each; a name that the list does not tell is "".
func people(list *Node) (ids, names []string) {
	named := false
	for _, m := range list.all() {
		id := m.Child("username").id()
		if m.name != "member" || id == "" {
			continue
		}
		name := m.Child("nickname").Text()
		named = named || name != ""
		ids, names = append(ids, id), append(names, name)
	}
	if !named {
		names = nil
	}
	return ids, names
}
