package skills

import (
	"fmt"

	"bot/skills/kind"
)

// Graphs draws the skills that lead people through several turns, each as a
// state machine to be read in a terminal, in the order of the files. Each ends
// with a line's end.
func (s *Set) Graphs() []string {
	all := []string{}
	for _, e := range s.entries {
		g, ok := e.skill.(kind.Grapher)
		if !ok {
			continue
		}
		off := ""
		if !e.draft.Enabled {
			off = ", disabled"
		}
		all = append(all, fmt.Sprintf("%s %q (%s%s): %s\n%s", e.kind.Name, e.draft.Name, e.draft.At(""), off, rule(e), g.Graph()))
	}
	return all
}
