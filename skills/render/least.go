package render

import "text/template/parse"

// Least is how many bytes the text comes to at least, whatever is filled in.
func (t *Template) Least() (n int) {
	for _, node := range t.tree.Root.Nodes {
		if text, ok := node.(*parse.TextNode); ok {
			n += len(text.Text)
		}
	}
	return n
}
