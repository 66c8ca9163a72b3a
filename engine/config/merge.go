package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// rootLists are the top-level tables that every file may add to. All others
// are there once.
var rootLists = []string{"account", "skill", "risk", "schedule", "audience"}

// open makes the tree of one file, with the environment in it; nil when the
// file could not be understood.
func (l *loader) open(src *source, data []byte) *node {
	text, wrong := decodeText(src, data)
	var root *node
	if wrong == nil {
		l.files = append(l.files, File{src.name, text})
		root, wrong = parse(src, text)
	}
	if wrong != nil {
		l.add(*wrong)
		l.partial = true
		return nil
	}
	l.add(expand(root, l.env)...)
	l.wrapLists(root)
	return root
}

// wrapLists reports [skill] in place of [[skill]], and goes on as if it had
// been written right.
func (l *loader) wrapLists(root *node) {
	for _, name := range rootLists {
		if n := root.fields[name]; n != nil && n.kind == table {
			l.add(singleTable(n, name))
			all := *n
			all.kind, all.fields, all.order, all.items = list, nil, nil, []*node{n}
			root.fields[name] = &all
		}
	}
}

// singleTable is the problem of one table where a list of them belongs.
func singleTable(n *node, name string) Problem {
	p := n.key.problem("[%s] is a single table, but there may be many", name)
	p.Hint = fmt.Sprintf("write [[%s]]", name)
	if len(n.order) > 0 && !slices.ContainsFunc(n.order, func(key string) bool { return !tables(n.fields[key]) }) {
		p.Msg = fmt.Sprintf("[[%s.%s]] stands beneath no [[%s]]", name, n.order[0], name)
		p.Hint = fmt.Sprintf("write [[%s]] with its keys above it", name)
	}
	return p
}

// tables tells whether a node is a table or a list of them.
func tables(n *node) bool {
	return n.kind == table || n.kind == list && len(n.items) > 0 && n.items[0].kind == table
}

// include joins the files that the main one names into its tree. Its error is
// a file that cannot be read.
func (l *loader) include(main string, root *node) error {
	seen := map[string]bool{main: true} // a pattern may well match the main file
	patterns := root.fields["include"]
	if patterns == nil {
		return nil
	}
	for _, item := range patterns.items {
		pattern, ok := item.value.(string)
		if !ok || item.bad != nil {
			continue // binding will report it
		}
		for _, path := range l.matches(item, pattern) {
			if seen[path] {
				continue
			}
			seen[path] = true
			if err := l.includeFile(filepath.Dir(main), path, root); err != nil {
				return err
			}
		}
	}
	return nil
}

// matches lists the files that one entry of include stands for. An empty
// folder is no mistake, a name that was written out and is not there is one.
func (l *loader) matches(item *node, pattern string) []string {
	found, err := l.disk.glob(resolve(item.at.src, pattern))
	switch {
	case err != nil:
		l.add(item.at.problem("include: %q is not a pattern of file names", pattern))
	case len(found) > 0:
	case strings.ContainsAny(pattern, "*?["):
		l.warnings = append(l.warnings, item.at.problem("include: no file matches %q", pattern))
	default:
		l.add(item.at.problem("include: there is no file %q", pattern))
	}
	return found
}

func (l *loader) includeFile(base, path string, root *node) error {
	src := &source{name: path, dir: filepath.Dir(path)}
	if rel, err := filepath.Rel(base, path); err == nil {
		src.name = filepath.ToSlash(rel)
	}
	data, err := l.disk.read(path, maxFile)
	if errors.Is(err, errTooLarge) {
		l.add(tooLarge(src))
		return nil
	}
	if err != nil {
		return fmt.Errorf("read included file: %w", err)
	}
	if part := l.open(src, data); part != nil {
		l.merge(root, part)
	}
	return nil
}

// merge adds what an included file holds to the tree of the main one.
func (l *loader) merge(root, part *node) {
	for _, name := range part.order {
		n, there := part.fields[name], root.fields[name]
		switch {
		case name == "include":
			p := n.key.problem("include does not work in an included file")
			p.Hint = "name all files in the main one"
			l.add(p)
		case there == nil:
			root.add(name, n)
		case slices.Contains(rootLists, name) && n.kind == list && there.kind == list:
			there.items = append(there.items, n.items...)
		default:
			p := n.key.problem("%s is already set in %v", title(n, name), there.key)
			p.Hint = "keep one of them"
			l.add(p)
		}
	}
}

// title writes a name as it stands in the file: [server], or timezone.
func title(n *node, name string) string {
	if n.kind == table {
		return "[" + name + "]"
	}
	return name
}

// resolve makes a path of the configuration absolute.
func resolve(src *source, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(src.dir, path)
}

func tooLarge(src *source) Problem {
	return Problem{File: src.name, Msg: fmt.Sprintf("file is larger than %d MiB", maxFile>>20)}
}
