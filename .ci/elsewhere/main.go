// Command elsewhere checks that the packages it is given, and their tests,
// compile for the operating system of $GOOS. It checks their types and those of
// all they import, and generates no code, which takes seconds where go vet takes
// minutes on a machine that has built nothing for that system yet.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// listed is a package as go list -json has it.
type listed struct {
	ImportPath, Dir, Name string
	GoFiles               []string
	ImportMap             map[string]string
	Module                *struct {
		Main      bool
		GoVersion string
	}
	Error *struct{ Err string }
}

func main() {
	if err := check(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check goes through all packages, each after those that it imports.
func check(patterns []string) error {
	list := exec.Command("go", append([]string{"list", "-test", "-deps", "-e", "-json"}, patterns...)...)
	list.Env = append(os.Environ(), "CGO_ENABLED=0")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return fmt.Errorf("list packages: %w", err)
	}
	known := map[string]*types.Package{"unsafe": types.Unsafe}
	var wrong []error
	ours := 0
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return fmt.Errorf("read the list: %w", err)
		}
		if p.ImportPath == "unsafe" || strings.HasSuffix(p.ImportPath, ".test") {
			continue // the latter is made by go test
		}
		if p.Error != nil {
			wrong = append(wrong, errors.New(p.Error.Err))
			continue
		}
		if p.ours() {
			ours++
		}
		pkg, errs := p.types(known)
		known[p.ImportPath] = pkg
		wrong = append(wrong, errs...)
	}
	if ours == 0 {
		wrong = append(wrong, errors.New("no package was checked"))
	}
	return errors.Join(wrong...)
}

func (p *listed) ours() bool { return p.Module != nil && p.Module.Main }

// types checks a package; of what is not ours only the declarations.
func (p *listed) types(known map[string]*types.Package) (*types.Package, []error) {
	var wrong []error
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		if !filepath.IsAbs(name) {
			name = filepath.Join(p.Dir, name)
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, []error{err}
		}
		files = append(files, f)
	}
	conf := types.Config{
		Importer:         importer{known, p.ImportMap},
		Sizes:            types.SizesFor("gc", "amd64"),
		IgnoreFuncBodies: !p.ours(),
		FakeImportC:      true,
		Error:            func(err error) { wrong = append(wrong, err) },
	}
	if p.Module != nil && p.Module.GoVersion != "" {
		conf.GoVersion = "go" + p.Module.GoVersion
	}
	path, _, _ := strings.Cut(p.ImportPath, " ")
	pkg, _ := conf.Check(path, fset, files, nil) // the error is among wrong
	return pkg, wrong
}

// importer finds what was checked before.
type importer struct {
	known map[string]*types.Package
	names map[string]string // of what a package imports under another name
}

func (i importer) Import(path string) (*types.Package, error) {
	if name, ok := i.names[path]; ok {
		path = name
	}
	if pkg := i.known[path]; pkg != nil {
		return pkg, nil
	}
	return nil, fmt.Errorf("package %s was not listed", path)
}
