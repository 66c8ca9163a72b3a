package render

import (
	"errors"
	"fmt"
	"strings"
	"text/template"
	"text/template/parse"
)

// Pieces is a text whose values can be told from what the operator wrote, for
// places in which a value must not be able to pass for the latter: an address, a
// document. It is safe for concurrent use.
type Pieces struct {
	tree *template.Template
	// Head is what is written before the first action.
	Head string
	// Fixed says that there are no actions.
	Fixed bool
}

// Piece is what the operator wrote, or a value.
type Piece struct {
	Text  string
	Value bool
}

// The marks around a value in what a template of pieces writes. Values hold none.
const (
	opens  = "\x02"
	closes = "\x03"
)

var unmarked = strings.NewReplacer(opens, "\uFFFD", closes, "\uFFFD")

func mark(v any) string { return opens + unmarked.Replace(show(v)) + closes }

// ParsePieces is Parse for Pieces. own is the function by which operators are used
// to escape in such a place, such as urlquery: at the end of an action it is left
// out, since the place escapes, and anywhere else a problem.
func ParsePieces(text string, s Scope, own string) (*Pieces, error) {
	if strings.ContainsAny(text, opens+closes) {
		return nil, errors.New("bad template: the signs U+0002 and U+0003 have no place in a text")
	}
	t, err := parseText(text, &checker{scope: s, last: marked, own: own})
	if err != nil {
		return nil, err
	}
	p := &Pieces{tree: t}
	if len(t.Root.Nodes) > 0 {
		head, ok := t.Root.Nodes[0].(*parse.TextNode)
		if p.Fixed = ok && len(t.Root.Nodes) == 1; ok {
			p.Head = string(head.Text)
		}
	}
	return p, nil
}

// Execute is Template.Execute, piece by piece in their order.
func (p *Pieces) Execute(d *Data) ([]Piece, error) {
	out, err := walk(p.tree, d)
	if err != nil {
		return nil, fmt.Errorf("fill in template: %s", plain(err))
	}
	var all []Piece
	for rest, more := strings.ToValidUTF8(out, "\uFFFD"), true; more; {
		var written, value string
		if written, rest, more = strings.Cut(rest, opens); written != "" {
			all = append(all, Piece{Text: written})
		}
		if more {
			value, rest, _ = strings.Cut(rest, closes)
			all = append(all, Piece{Text: value, Value: true})
		}
	}
	return all, nil
}

// leaveOut drops the checker's own function from the end of an action.
func (c *checker) leaveOut(p *parse.PipeNode) {
	last := p.Cmds[len(p.Cmds)-1]
	name, ok := last.Args[0].(*parse.IdentifierNode)
	if !ok || name.Ident != c.own || len(p.Decl) > 0 {
		return
	}
	switch {
	case len(p.Cmds) > 1 && len(last.Args) == 1: // {{.Text | urlquery}}
		p.Cmds = p.Cmds[:len(p.Cmds)-1]
	case len(p.Cmds) == 1 && len(last.Args) == 2: // {{urlquery .Text}}
		last.Args = last.Args[1:]
	}
}
