package reference

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
)

// comments finds what the source says of types and fields.
type comments struct {
	root string
	// packages are the structs by their package's folder and name.
	packages map[string]map[string]structSource
}

type structSource struct {
	doc    string
	fields map[string]string
}

// described is a type's comment: what it says, and the TOML that it shows.
type described struct{ text, example string }

func newComments(root string) *comments {
	return &comments{root: root, packages: make(map[string]map[string]structSource)}
}

// ofType reads the comment of a type. The text loses the name that Go's comments
// begin with.
func (c *comments) ofType(t reflect.Type) (described, error) {
	s, err := c.find(t)
	if err != nil {
		return described{}, err
	}
	var text, example []string
	for line := range strings.Lines(s.doc) {
		switch code, isCode := strings.CutPrefix(line, "\t"); {
		case isCode:
			example = append(example, code)
		case len(example) > 0 && strings.TrimSpace(line) == "":
			example = append(example, "\n")
		default:
			text = append(text, strings.TrimSpace(line))
		}
	}
	said := strings.TrimSpace(strings.Join(text, " "))
	for _, verb := range []string{t.Name() + " is ", t.Name() + " are ", t.Name() + " "} {
		if rest, ok := strings.CutPrefix(said, verb); ok {
			said = strings.ToUpper(rest[:1]) + rest[1:]
			break
		}
	}
	if said == "" {
		return described{}, fmt.Errorf("%v has no comment", t)
	}
	return described{said, strings.TrimSpace(strings.Join(example, ""))}, nil
}

// ofField is the comment of a struct's field, "" where there is none.
func (c *comments) ofField(t reflect.Type, name string) string {
	s, err := c.find(t)
	if err != nil {
		return ""
	}
	return strings.Join(strings.Fields(s.fields[name]), " ")
}

func (c *comments) find(t reflect.Type) (structSource, error) {
	_, folder, found := strings.Cut(t.PkgPath(), "/")
	if !found {
		return structSource{}, fmt.Errorf("%v is no type of this module", t)
	}
	if c.packages[folder] == nil {
		structs, err := parse(filepath.Join(c.root, filepath.FromSlash(folder)))
		if err != nil {
			return structSource{}, err
		}
		c.packages[folder] = structs
	}
	s, found := c.packages[folder][t.Name()]
	if !found {
		return structSource{}, fmt.Errorf("%v: there is no such struct in %s", t, folder)
	}
	return s, nil
}

// parse reads the structs of a folder.
func parse(folder string) (map[string]structSource, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	structs := make(map[string]structSource)
	set := token.NewFileSet()
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				addStructs(structs, g)
			}
		}
	}
	return structs, nil
}

func addStructs(structs map[string]structSource, g *ast.GenDecl) {
	for _, spec := range g.Specs {
		t, ok := spec.(*ast.TypeSpec)
		if !ok {
			continue
		}
		fields, ok := t.Type.(*ast.StructType)
		if !ok {
			continue
		}
		doc := t.Doc
		if doc == nil {
			doc = g.Doc
		}
		s := structSource{doc: doc.Text(), fields: make(map[string]string)}
		for _, f := range fields.Fields.List {
			said := f.Doc.Text()
			if said == "" {
				said = f.Comment.Text()
			}
			for _, name := range f.Names {
				s.fields[name.Name] = said
			}
		}
		structs[t.Name.Name] = s
	}
}
