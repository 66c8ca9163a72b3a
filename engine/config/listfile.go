package config

import (
	"fmt"
	"reflect"
	"strings"

	"bot/engine"
)

var listType = reflect.TypeFor[engine.List]()

// maxList is how many bytes the file of a list may have.
const maxList = 16 << 20

// listFile adds to a list what stands in the file that its twin key in table n
// names. The list's own key may come before or after it.
func (b *binder) listFile(n *node, key string, v reflect.Value, path string) {
	child := n.fields[key]
	name, ok := child.value.(string)
	switch {
	case child.bad != nil:
		b.problems = append(b.problems, *child.bad)
		return
	case !ok:
		b.mismatch(child, reflect.TypeFor[string](), nil, path)
		return
	}
	data, err := b.section.disk.read(resolve(child.at.src, name), maxList)
	if err != nil {
		b.fail(child.at, path, fmt.Sprintf("cannot read %q: %v", name, bare(err)), "one entry a line, as UTF-8; the path is relative to this file")
		return
	}
	text, wrong := decodeText(&source{name: name}, data)
	if wrong != nil {
		b.fail(child.at, path, wrong.Error(), "")
		return
	}
	entries := linesOf(text)
	if len(entries) == 0 {
		b.fail(child.at, path, fmt.Sprintf("there is nothing in %q", name), "one entry a line; lines that begin with # are comments")
		return
	}
	v.Set(reflect.AppendSlice(v, reflect.ValueOf(entries)))
}

// linesOf are the entries of a list's file.
func linesOf(text string) (entries engine.List) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			entries = append(entries, line)
		}
	}
	return entries
}
