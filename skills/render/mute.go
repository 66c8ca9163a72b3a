package render

import (
	"strings"
	"text/template/parse"
	"unicode"

	"bot/engine/glyph"
)

// blank tells a text in which there is nothing to be seen.
func blank(text string) bool {
	return strings.TrimFunc(text, func(r rune) bool { return unicode.IsSpace(r) || glyph.Unseen(r) }) == ""
}

// Mute tells a text that comes out blank whatever is filled in: one that sets
// variables only, or is a remark.
func (t *Template) Mute() bool { return mute(t.tree.Root) }

func mute(l *parse.ListNode) bool {
	if l == nil {
		return true
	}
	for _, n := range l.Nodes {
		silent := true
		switch n := n.(type) {
		case *parse.TextNode:
			silent = blank(string(n.Text))
		case *parse.ActionNode:
			silent = len(n.Pipe.Decl) > 0 || blankText(n.Pipe) || counts(n)
		case *parse.IfNode:
			silent = muteBranch(&n.BranchNode)
		case *parse.WithNode:
			silent = muteBranch(&n.BranchNode)
		case *parse.RangeNode:
			silent = mute(n.List) && mute(n.ElseList)
		}
		if !silent {
			return false
		}
	}
	return true
}

// counts tells the call that countRounds has put into a loop.
func counts(n *parse.ActionNode) bool { return n.String() == round().String() }

// muteBranch leaves aside what is never reached.
func muteBranch(b *parse.BranchNode) bool {
	then, otherwise := mute(b.List), mute(b.ElseList)
	if len(b.Pipe.Decl) > 0 || len(b.Pipe.Cmds) != 1 || len(b.Pipe.Cmds[0].Args) != 1 {
		return then && otherwise
	}
	always := false
	switch v := b.Pipe.Cmds[0].Args[0].(type) {
	case *parse.BoolNode:
		always = v.True
	case *parse.StringNode:
		always = v.Text != ""
	default:
		return then && otherwise
	}
	if always {
		return then
	}
	return otherwise
}

// blankText tells an action that shows a blank text in quotes. The checker has put
// the function that shows it behind.
func blankText(p *parse.PipeNode) bool {
	if len(p.Cmds) != 2 || len(p.Cmds[0].Args) != 1 {
		return false
	}
	s, ok := p.Cmds[0].Args[0].(*parse.StringNode)
	return ok && blank(s.Text)
}
