package render

import (
	"fmt"
	"text/template"
	"text/template/parse"
)

// maxRounds bounds how often the loops of one text go round, all together. A
// text of Limit bytes needs fewer; without the bound a loop that writes nothing
// would outlive its skill's time limit, since nothing can stop it from outside.
const maxRounds = 10_000

// Round is called by every round of every loop. It is for templates only, which
// cannot call what is not exported; operators cannot name it, since it is no
// field.
func (d Data) Round() (string, error) {
	if d.rounds == nil {
		return "", nil
	}
	if *d.rounds++; *d.rounds > maxRounds {
		return "", fmt.Errorf("the loops go round more than %d times", maxRounds)
	}
	return "", nil
}

// countRounds puts the call at the head of every loop's body.
func countRounds(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, n := range list.Nodes {
		switch n := n.(type) {
		case *parse.RangeNode:
			countRounds(n.List)
			countRounds(n.ElseList)
			n.List.Nodes = append([]parse.Node{round()}, n.List.Nodes...)
		case *parse.IfNode:
			countRounds(n.List)
			countRounds(n.ElseList)
		case *parse.WithNode:
			countRounds(n.List)
			countRounds(n.ElseList)
		}
	}
}

// round is {{$.Round}}: $ is the Data whatever the dot has become.
func round() parse.Node {
	return template.Must(template.New("").Parse("{{$.Round}}")).Root.Nodes[0]
}
