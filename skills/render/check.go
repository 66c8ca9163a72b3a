package render

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"text/template/parse"

	"bot/engine/nearest"
)

var root = reflect.TypeFor[Data]()

// checker walks a parsed text, notes every reference to what cannot be there,
// and rewrites it so that what merely is not there comes out empty.
type checker struct {
	scope    Scope
	last     string // the function that gets the value of every action
	own      string // what an action's last function may be, and is then left out; "": none
	problems []string
	// dynamic says that the text depends on a web service's answer, whose
	// shape nobody knows at load.
	dynamic bool
	needs   bool // within an action whose values must be there
}

func (c *checker) problem(format string, args ...any) {
	c.problems = append(c.problems, fmt.Sprintf(format, args...))
}

// list walks one block. dot is the type of the dot in it, nil when unknown.
func (c *checker) list(l *parse.ListNode, dot reflect.Type) {
	if l == nil {
		return
	}
	for _, n := range l.Nodes {
		switch n := n.(type) {
		case *parse.ActionNode:
			c.action(n, dot)
		case *parse.IfNode:
			c.pipe(n.Pipe, dot)
			c.list(n.List, dot)
			c.list(n.ElseList, dot)
		case *parse.WithNode:
			c.list(n.List, c.pipe(n.Pipe, dot))
			c.list(n.ElseList, dot)
		case *parse.RangeNode:
			c.list(n.List, element(c.pipe(n.Pipe, dot)))
			c.list(n.ElseList, dot)
		case *parse.TemplateNode:
			c.problem("a text cannot call other templates")
		}
	}
}

// action walks what writes a value, or sets a variable.
func (c *checker) action(n *parse.ActionNode, dot reflect.Type) {
	c.leaveOut(n.Pipe)
	what := n.Pipe.String()
	c.needs = c.scope.Strict && len(n.Pipe.Decl) == 0 && !asks(n.Pipe)
	c.pipe(n.Pipe, dot)
	if len(n.Pipe.Decl) > 0 {
		return
	}
	if c.needs {
		n.Pipe.Cmds = append(n.Pipe.Cmds, needing(n.Pos, what))
	}
	n.Pipe.Cmds = append(n.Pipe.Cmds, call(n.Pos, c.last))
	c.needs = false
}

// pipe walks a pipeline and returns its type where it is one plain reference.
func (c *checker) pipe(p *parse.PipeNode, dot reflect.Type) reflect.Type {
	var t reflect.Type
	for _, cmd := range p.Cmds {
		t = c.command(cmd, dot)
	}
	if len(p.Cmds) != 1 {
		return nil
	}
	return t
}

func (c *checker) command(cmd *parse.CommandNode, dot reflect.Type) reflect.Type {
	c.function(cmd, dot)
	var t reflect.Type
	for i, arg := range cmd.Args {
		t = nil
		switch arg := arg.(type) {
		case *parse.DotNode:
			t = dot
		case *parse.FieldNode:
			t = c.reference(dot, arg.Ident)
			if dot == root {
				cmd.Args[i] = lenient(arg, nil, arg.Ident)
			}
			c.need(cmd, i, arg, t)
		case *parse.VariableNode:
			if arg.Ident[0] == "$" {
				t = c.reference(root, arg.Ident[1:])
				cmd.Args[i] = lenient(arg, arg.Ident[:1], arg.Ident[1:])
			}
			c.need(cmd, i, arg, t)
		case *parse.PipeNode:
			t = c.pipe(arg, dot)
		case *parse.ChainNode:
			if inner, ok := arg.Node.(*parse.PipeNode); ok {
				c.reference(c.pipe(inner, dot), arg.Field)
			}
		}
	}
	if len(cmd.Args) != 1 {
		return nil
	}
	return t
}

// function checks the arguments of the calls whose arguments matter.
func (c *checker) function(cmd *parse.CommandNode, dot reflect.Type) {
	name, ok := cmd.Args[0].(*parse.IdentifierNode)
	if !ok {
		return
	}
	switch {
	case name.Ident == c.own && c.own != "":
		c.problem("%s stands at the end of its {{…}} here, or is left out: values are escaped for where they stand", c.own)
	case name.Ident == "printf":
		// A format that a user writes could ask for megabytes.
		if len(cmd.Args) < 2 || cmd.Args[1].Type() != parse.NodeString {
			c.problem(`printf takes its format as a text in quotes`)
		}
	case name.Ident == "index" && len(cmd.Args) > 2:
		switch key := cmd.Args[2].(type) {
		case *parse.NumberNode:
			if refers(cmd.Args[1], dot, "Match") && c.scope.Groups > 0 && key.IsInt && key.Int64 >= int64(c.scope.Groups) {
				c.problem("there is no group %d in .Match, the last one is %d", key.Int64, c.scope.Groups-1)
			}
		case *parse.StringNode:
			if refers(cmd.Args[1], dot, "Data") {
				c.saved(key.Text)
			}
		}
	}
}

// refers tells whether n is the field of Data with that name.
func refers(n parse.Node, dot reflect.Type, field string) bool {
	switch n := n.(type) {
	case *parse.FieldNode:
		return dot == root && slices.Equal(n.Ident, []string{field})
	case *parse.VariableNode:
		return slices.Equal(n.Ident, []string{"$", field})
	}
	return false
}

// reference follows names from a type, notes where they lead nowhere, and
// returns the type at their end, nil when it cannot be known.
func (c *checker) reference(t reflect.Type, names []string) reflect.Type {
	if t == root && len(names) > 0 {
		c.field(names)
	}
	for i, name := range names {
		if t == nil {
			return nil
		}
		next, ok := follow(t, name)
		if !ok {
			if i > 0 || t != root {
				c.problem("%s has nothing named %s", t, name)
			}
			return nil
		}
		t = next
	}
	return t
}

// field checks a reference into Data itself.
func (c *checker) field(names []string) {
	switch first := names[0]; {
	case len(c.scope.Only) > 0 && !slices.Contains(c.scope.Only, first):
		c.problem("there is no .%s here, only .%s", first, strings.Join(c.scope.Only, ", ."))
	case first == "Response" && !c.scope.Response:
		c.problem("there is no .Response here: no web service has answered")
	case first == "Response":
		c.dynamic = true
	case first == "Match" && c.scope.Groups == 0:
		c.problem("there is no .Match here: no keyword or pattern has just matched")
	case first == "Data" && len(names) > 1:
		c.saved(names[1])
	default:
		if !slices.Contains(fields(), first) {
			c.problem("there is no .%s%s", first, nearest.Hint(first, fields()))
		}
	}
}

func (c *checker) saved(name string) {
	if !slices.Contains(c.scope.Saves, name) {
		c.problem("no step saves %q, so there is no .Data.%s%s", name, name, nearest.Hint(name, c.scope.Saves))
	}
}

func fields() []string {
	var names []string
	for i := range root.NumField() {
		if root.Field(i).IsExported() {
			names = append(names, root.Field(i).Name)
		}
	}
	return names
}

// follow is one step of a reference as text/template makes it; a nil type with
// true means that only the run can tell.
func follow(t reflect.Type, name string) (reflect.Type, bool) {
	if m, ok := t.MethodByName(name); ok {
		return m.Type.Out(0), true
	}
	switch t.Kind() {
	case reflect.Struct:
		f, ok := t.FieldByName(name)
		return f.Type, ok && f.IsExported()
	case reflect.Map:
		return t.Elem(), true
	case reflect.Interface:
		return nil, true
	}
	return nil, false
}

// element is the type of the dot inside a range over t.
func element(t reflect.Type) reflect.Type {
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Map) {
		return t.Elem()
	}
	return nil
}

// lenient turns .Response.a.b into (index .Response "a" "b"), which is empty
// where text/template would fail: when a is not there.
func lenient(n parse.Node, variable, names []string) parse.Node {
	if len(names) < 2 || names[0] != "Response" {
		return n
	}
	pos := n.Position()
	get := call(pos, "index")
	if variable == nil {
		get.Args = append(get.Args, &parse.FieldNode{NodeType: parse.NodeField, Pos: pos, Ident: names[:1]})
	} else {
		get.Args = append(get.Args, &parse.VariableNode{NodeType: parse.NodeVariable, Pos: pos, Ident: append(slices.Clone(variable), names[0])})
	}
	for _, name := range names[1:] {
		get.Args = append(get.Args, text(pos, name))
	}
	return &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{get}}
}

func text(pos parse.Pos, s string) parse.Node {
	return &parse.StringNode{NodeType: parse.NodeString, Pos: pos, Text: s, Quoted: fmt.Sprintf("%q", s)}
}

func call(pos parse.Pos, function string) *parse.CommandNode {
	name := parse.NewIdentifier(function).SetPos(pos)
	return &parse.CommandNode{NodeType: parse.NodeCommand, Pos: pos, Args: []parse.Node{name}}
}
