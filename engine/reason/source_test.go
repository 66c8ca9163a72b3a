package reason

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// What makes a text of the source a reason: where it is put.
var (
	// fields hold reasons whatever they belong to.
	fields = []string{"Reason", "Why", "why", "Mute", "Refused", "Note", "Error"}
	// takers are functions, with the places of the arguments that are reasons.
	takers = map[string][]int{
		"Fail": {2}, "Denied": {2}, "permanent": {0}, "hold": {1}, "Hold": {1, 2}, "Suspect": {1}, "bury": {4}, "unreachable": {1},
		"buried": {1}, "pause": {2}, "fail": {2}, "refusal": {0}, "refuse": {0}, "traceEvent": {3}, "traceCommand": {2}, "end": {2},
		"unfetched": {2}, "windowClosed": {1}, "lose": {3}, "unreadable": {0},
	}
	// makers are functions that make reasons, by package: whatever they, or values of
	// that name, say is one.
	makers = map[string][]string{
		"engine/api":           {"reason"},
		"engine/app":           {"refusal", "whyUnanswered", "nearestVerdict", "notServed", "barred", "traceFailed", "traceSettled", "attempt", "traceReplayed", "readiness", "throttling", "tally", "pauseNote"},
		"engine/channel/wecom": {"tooLarge", "kfFailed", "TooLate", "Cannot"},
		"engine/contacts":      {"unwanted", "silent"},
		"engine/egress":        {"verdict", "words", "harden", "overdue", "Waits", "exceeded", "lateness", "tooLate", "buried", "unreachable"},
		"engine/ingress":       {"Self", "storeReason", "Unwelcome"},
		"engine/quota":         {"Says", "GoesOn", "pushes"},
		"engine/trial":         {"leave", "send", "turn"},
		"engine/turn":          {"Error", "call", "invoke", "errLate", "errExited"},
		"skills":               {"rule", "within", "because", "allOf", "beats", "unlike", "words", "byState", "goOn"},
		"skills/later":         {"Handle"},
		"skills/llm":           {"answered", "ask"},
		"skills/timed":         {"Handle"},
	}
	// types are those whose values are reasons.
	types = []string{"Class", "Fault", "Stage"}
)

// elsewhere are packages whose texts are for the terminal, for programs or for tests.
var elsewhere = []string{"engine/cli", "engine/loadtest", "engine/config", "engine/console", "engine/reason", "engine/stub"}

// coded is the package whose refusals and errors are codes.
const coded = "engine/api"

// sourced is a reason, with {} for what is put into it, and where the source says it.
type sourced struct{ key, at string }

// reasonsOf finds the reasons that the source below root says.
func reasonsOf(tb testing.TB, root string) (all []sourced) {
	tb.Helper()
	for _, top := range []string{"engine", "store", "skills"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(dir string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			pkg := filepath.ToSlash(strings.TrimPrefix(dir, root+string(filepath.Separator)))
			if slices.Contains(elsewhere, pkg) || strings.HasSuffix(pkg, "stub") || strings.HasSuffix(pkg, "test") || path.Base(pkg) == "testdata" {
				return filepath.SkipDir
			}
			all = append(all, readPackage(tb, dir, pkg)...)
			return nil
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	return all
}

// source is a package that is looked through.
type source struct {
	pkg    string
	set    *token.FileSet
	values map[string]ast.Expr // of constants and variables of the package
	found  []sourced
}

func readPackage(tb testing.TB, dir, pkg string) []sourced {
	tb.Helper()
	s := source{pkg: pkg, set: token.NewFileSet(), values: make(map[string]ast.Expr)}
	names, err := fs.Glob(os.DirFS(dir), "*.go")
	if err != nil {
		tb.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(s.set, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			tb.Fatal(err)
		}
		files = append(files, f)
		for _, d := range f.Decls {
			s.remember(d)
		}
	}
	for _, f := range files {
		for _, d := range f.Decls {
			s.read(d)
		}
	}
	return s.found
}

// remember notes the package's constants and variables, and takes those whose type
// says that they are reasons.
func (s *source) remember(d ast.Decl) {
	g, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range g.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, value := range v.Values {
			s.values[v.Names[i].Name] = value
			if t, ok := v.Type.(*ast.Ident); ok && slices.Contains(types, t.Name) || slices.Contains(makers[s.pkg], v.Names[i].Name) {
				s.take(value)
			}
		}
	}
}

func (s *source) read(d ast.Decl) {
	if f, ok := d.(*ast.FuncDecl); ok && slices.Contains(makers[s.pkg], f.Name.Name) {
		s.whole(f.Body)
		return
	}
	if s.pkg == coded {
		return
	}
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && slices.Contains(fields, key.Name) {
				s.take(n.Value)
			}
		case *ast.AssignStmt:
			s.assigned(n)
		case *ast.CallExpr:
			for _, at := range takers[called(n)] {
				if at < len(n.Args) {
					s.take(n.Args[at])
				}
			}
		}
		return true
	})
}

// assigned takes what a statement puts into a field.
func (s *source) assigned(n *ast.AssignStmt) {
	for i, left := range n.Lhs {
		if sel, ok := left.(*ast.SelectorExpr); ok && slices.Contains(fields, sel.Sel.Name) && i < len(n.Rhs) {
			s.add(n.Tok, n.Rhs[i])
		}
	}
}

// add takes a value that is put into a place, or behind what is there.
func (s *source) add(by token.Token, value ast.Expr) {
	if by == token.ADD_ASSIGN {
		value = &ast.BinaryExpr{X: &ast.Ident{Name: "_", NamePos: value.Pos()}, Op: token.ADD, Y: value}
	}
	s.take(value)
}

// asides are functions whose arguments are no part of what is said.
var asides = []string{"HasPrefix", "Contains", "CutPrefix", "Cut", "Index", "LastIndex", "Format", "Info", "Warn", "Error", "Decode", "at", "At"}

// whole takes every text of a body, but those that are compared or logged.
func (s *source) whole(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.ADD_ASSIGN {
				s.add(n.Tok, n.Rhs[0])
				return false
			}
		case *ast.ReturnStmt:
			for _, r := range n.Results {
				if _, ok := r.(*ast.Ident); ok {
					s.take(r)
				}
			}
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				s.take(n)
				return false
			}
			return n.Op != token.EQL && n.Op != token.NEQ
		case *ast.BasicLit:
			s.take(n)
		case *ast.StructType:
			return false
		case *ast.CallExpr:
			switch name := called(n); {
			case formats(name):
				s.take(n)
				return false
			case slices.Contains(asides, name):
				return false
			}
		}
		return true
	})
}

func called(c *ast.CallExpr) string {
	switch f := c.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// formats tells whether a function's first argument is what it says.
func formats(name string) bool { return name == "Sprintf" || name == "Errorf" || name == "New" }

// letters are what every sentence has.
var letters = regexp.MustCompile(`[A-Za-z]{2}`)

// take notes what an expression says, clause by clause.
func (s *source) take(e ast.Expr) {
	for _, text := range s.texts(e) {
		for _, c := range clauses(text) {
			if letters.MatchString(c.text) {
				s.found = append(s.found, sourced{c.text, s.set.Position(e.Pos()).String()})
			}
		}
	}
}

var verbs = regexp.MustCompile(`%[-+#0-9.]*[a-zA-Z]`)

// texts are what an expression may say, with {} for what is put in when it runs.
func (s *source) texts(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.texts(e.X)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []string{text}
		}
	case *ast.Ident:
		if v := s.values[e.Name]; v != nil {
			return s.texts(v)
		}
	case *ast.BinaryExpr:
		var all []string
		for _, x := range s.texts(e.X) {
			for _, y := range s.texts(e.Y) {
				all = append(all, x+y)
			}
		}
		return all
	case *ast.CallExpr:
		return s.made(e)
	}
	return []string{hole}
}

// made are the texts that a call makes.
func (s *source) made(c *ast.CallExpr) (all []string) {
	switch name := called(c); {
	case formats(name) && len(c.Args) > 0:
		for _, t := range s.texts(c.Args[0]) {
			all = append(all, verbs.ReplaceAllString(t, hole))
		}
		return all
	case name == "Or", name == "joined", name == "string":
		for _, a := range c.Args {
			all = append(all, s.texts(a)...)
		}
		return all
	}
	return []string{hole}
}
