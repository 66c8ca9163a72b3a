package form

import "bot/skills/render"

// A place in a form is the index of a step; their number is the last question,
// whether all is right, where there is one.

// open is the place that a state's node names, -1 for none that is there.
func (f *form) open(node string) int {
	if node == confirmNode && f.confirm != nil {
		return len(f.steps)
	}
	return find(f.steps, node)
}

// node is the name of a place in a state.
func (f *form) node(i int) string {
	if i == len(f.steps) {
		return confirmNode
	}
	return f.steps[i].save
}

// question is what is asked at a place.
func (f *form) question(i int) *render.Template {
	if i == len(f.steps) {
		return f.confirm.ask
	}
	return f.steps[i].ask
}

// notText is what a message gets there that says nothing.
func (f *form) notText(i int) *render.Template {
	switch {
	case i == len(f.steps):
		return f.confirm.notText
	case f.steps[i].wants.medium != "":
		return f.steps[i].invalid
	}
	return f.steps[i].notText
}
