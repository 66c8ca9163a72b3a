package render

import (
	"strconv"
	"text/template/parse"
)

// lower makes the program of a checked tree: nil where it holds anything but
// text, if, fields of Data, constants, and those functions of this package
// whose arguments are sure to fit. All else text/template does better.
func lower(list *parse.ListNode) program {
	p := program{}
	if list == nil {
		return p
	}
	for _, n := range list.Nodes {
		s, ok := lowerNode(n)
		if !ok {
			return nil
		}
		p = append(p, s)
	}
	return p
}

func lowerNode(n parse.Node) (s step, ok bool) {
	switch n := n.(type) {
	case *parse.TextNode:
		s.value = constant(string(n.Text))
	case *parse.ActionNode:
		pipe := *n.Pipe
		if len(pipe.Decl) == 0 { // its last command shows the value, which run does by itself
			pipe.Cmds = pipe.Cmds[:len(pipe.Cmds)-1]
		}
		s.value = lowerPipe(&pipe)
	case *parse.IfNode:
		s = step{value: lowerPipe(n.Pipe), branches: true, then: lower(n.List), otherwise: lower(n.ElseList)}
		if s.then == nil || s.otherwise == nil {
			return step{}, false
		}
	}
	return s, s.value != nil
}

// lowerPipe, like all that return a value, returns nil for what is not lowered.
func lowerPipe(p *parse.PipeNode) (v value) {
	if len(p.Decl) > 0 {
		return nil
	}
	for i, cmd := range p.Cmds {
		var piped []operand // the last argument
		if i > 0 {
			piped = []operand{{value: v}}
		}
		if v = lowerCommand(cmd, piped); v == nil {
			return nil
		}
	}
	return v
}

func lowerCommand(cmd *parse.CommandNode, piped []operand) value {
	var args []operand
	for _, n := range cmd.Args[1:] {
		args = append(args, lowerOperand(n))
	}
	args = append(args, piped...)
	if name, ok := cmd.Args[0].(*parse.IdentifierNode); ok {
		return lowerCall(name.Ident, args)
	}
	if len(args) > 0 {
		return nil
	}
	return lowerOperand(cmd.Args[0]).value
}

// operand is an argument of a function or a command of its own. Where a
// parameter is no any, only a constant is sure to have its type.
type operand struct {
	value    value
	constant any // nil: it is none
}

func lowerOperand(n parse.Node) operand {
	switch n := n.(type) {
	case *parse.StringNode:
		return operand{constant(n.Text), n.Text}
	case *parse.NumberNode:
		// Only the plain way to write an int: 1.0, 'a' and 0x1 are of many types.
		if i := int(n.Int64); n.IsInt && n.Text == strconv.Itoa(i) {
			return operand{constant(i), i}
		}
	case *parse.FieldNode:
		return operand{value: lowerField(n.Ident)}
	case *parse.VariableNode:
		if n.Ident[0] == "$" { // nothing that is lowered moves the dot
			return operand{value: lowerField(n.Ident[1:])}
		}
	case *parse.PipeNode:
		return operand{value: lowerPipe(n)}
	}
	return operand{}
}

func constant(v any) value { return func(*Data) any { return v } }

func lowerField(names []string) value {
	if len(names) == 2 && names[0] == "Data" {
		return func(d *Data) any { return d.Data[names[1]] }
	}
	if len(names) == 2 && names[0] == "Params" {
		return func(d *Data) any { return d.Params[names[1]] }
	}
	if len(names) != 1 {
		return nil
	}
	switch names[0] {
	case "User":
		return func(d *Data) any { return d.User }
	case "UserName":
		return func(d *Data) any { return d.UserName }
	case "Conversation":
		return func(d *Data) any { return d.Conversation }
	case "Account":
		return func(d *Data) any { return d.Account }
	case "Text":
		return func(d *Data) any { return d.Text }
	case "Members":
		return func(d *Data) any { return d.Members }
	case "Actor":
		return func(d *Data) any { return d.Actor }
	case "Params":
		return func(d *Data) any { return d.Params }
	case "Match":
		return func(d *Data) any { return d.Match }
	case "Data":
		return func(d *Data) any { return d.Data }
	case "Day":
		return func(d *Data) any { return d.Day }
	}
	return nil
}

// lowerCall knows functions by their types, so that what is called is what
// templates call.
func lowerCall(name string, args []operand) value {
	for _, a := range args {
		if a.value == nil {
			return nil
		}
	}
	switch f := functions[name].(type) {
	case func(any) string: // upper, trim, urlquery, …
		if len(args) == 1 {
			return func(d *Data) any { return f(args[0].value(d)) }
		}
	case func(any, any) any: // default
		if len(args) == 2 {
			return func(d *Data) any { return f(args[0].value(d), args[1].value(d)) }
		}
	case func(any, ...any) any: // index
		if len(args) == 2 {
			return func(d *Data) any { return f(args[0].value(d), args[1].value(d)) }
		}
	case func(string, string, any) string: // replace
		if len(args) == 3 {
			if c, ok := constants[string](args[:2]); ok {
				return func(d *Data) any { return f(c[0], c[1], args[2].value(d)) }
			}
		}
	case func(any, int, ...int) string: // slice
		if len(args) >= 2 {
			if c, ok := constants[int](args[1:]); ok {
				return func(d *Data) any { return f(args[0].value(d), c[0], c[1:]...) }
			}
		}
	}
	return nil
}

// constants are the operands' where all have one of type T.
func constants[T any](args []operand) (all []T, ok bool) {
	for _, a := range args {
		c, ok := a.constant.(T)
		if !ok {
			return nil, false
		}
		all = append(all, c)
	}
	return all, true
}
