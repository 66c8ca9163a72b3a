package render

import (
	"strings"
	"text/template"
)

// program is what Parse makes of a simple text beside its tree. It writes what
// text/template writes of that tree, without reflection and deep stacks, which
// cost a busy engine more than all else that a skill does. A text that holds
// anything out of the ordinary has none.
type program []step

// step writes a value, or runs one of two programs as the value tells.
type step struct {
	value           value
	branches        bool
	then, otherwise program
}

// value is what a pipeline comes to.
type value func(*Data) any

// fill runs the program. It fails when the result passes Limit, and in no
// other way: what can fail is not lowered.
func (p program) fill(d *Data) (string, error) {
	var room [8]string // for most; more cost an allocation
	pieces, left := p.run(d, room[:0], Limit)
	if left < 0 {
		return "", errTooLong
	}
	return strings.Join(pieces, ""), nil
}

// run adds what the program writes, and returns how many bytes are left to the
// limit. It goes no further than past it.
func (p program) run(d *Data, pieces []string, left int) ([]string, int) {
	for i := range p {
		s := &p[i]
		if v := s.value(d); s.branches {
			pieces, left = s.choose(v).run(d, pieces, left)
		} else {
			text := show(v)
			pieces, left = append(pieces, text), left-len(text)
		}
		if left < 0 {
			break
		}
	}
	return pieces, left
}

func (s *step) choose(v any) program {
	if truth, _ := template.IsTrue(v); truth {
		return s.then
	}
	return s.otherwise
}
