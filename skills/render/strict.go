package render

import (
	"fmt"
	"reflect"
	"slices"
	"text/template/parse"
)

// need refuses to show what is not there.
func need(what string, v any) (any, error) {
	if v == nil {
		return nil, missingError(what)
	}
	return v, nil
}

// missingError names what a strict text was to show, as the operator wrote it.
type missingError string

func (e missingError) Error() string { return fmt.Sprintf("there is no value for {{%s}}", string(e)) }

// asking are the functions that have an answer to what is missing.
var asking = []string{"default", "or", "and", "not", "len", "eq", "ne"}

// asks tells whether an action is about what may be missing.
func asks(p *parse.PipeNode) bool {
	return slices.ContainsFunc(p.Cmds, func(cmd *parse.CommandNode) bool {
		return slices.ContainsFunc(cmd.Args, func(arg parse.Node) bool {
			switch arg := arg.(type) {
			case *parse.IdentifierNode:
				return slices.Contains(asking, arg.Ident)
			case *parse.PipeNode:
				return asks(arg)
			}
			return false
		})
	})
}

// need has the i-th argument of a command be there, where only the run can tell.
func (c *checker) need(cmd *parse.CommandNode, i int, was parse.Node, t reflect.Type) {
	if !c.needs || t != nil || i == 0 && len(cmd.Args) > 1 {
		return
	}
	pos := was.Position()
	get := needing(pos, was.String())
	get.Args = append(get.Args, cmd.Args[i])
	cmd.Args[i] = &parse.PipeNode{NodeType: parse.NodePipe, Pos: pos, Cmds: []*parse.CommandNode{get}}
}

// needing is {{_need "what"}}, its value still to come.
func needing(pos parse.Pos, what string) *parse.CommandNode {
	n := call(pos, needed)
	n.Args = append(n.Args, text(pos, what))
	return n
}
