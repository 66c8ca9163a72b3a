package egress

import "bot/engine"

// passes is how often a lane that has something to send is passed over before
// it gets a turn: one send in ten.
const passes = 9

// turns shares the sends among the lanes: strictly by precedence, but for the
// small share that lower lanes are sure of. It counts how often each lane was
// passed over.
type turns [engine.Lanes]uint8

// next chooses among the lanes that have something to send; there is one.
func (t *turns) next(has [engine.Lanes]bool) engine.Lane {
	first := engine.Lane(engine.Lanes)
	for l := range has {
		if !has[l] {
			continue
		}
		if t[l] >= passes {
			return engine.Lane(l)
		}
		first = min(first, engine.Lane(l))
	}
	return first
}

// took records that the lane sent while those of has could have.
func (t *turns) took(lane engine.Lane, has [engine.Lanes]bool) {
	t[lane] = 0
	for l := int(lane) + 1; l < engine.Lanes; l++ {
		if has[l] && t[l] < passes {
			t[l]++
		}
	}
}
