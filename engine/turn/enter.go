package turn

import "bot/engine"

// BusyError says that the skill runs as often as it may at once. Nobody failed
// and nothing was done: the event is to be played anew when one of the others is
// over.
type BusyError struct {
	Skill string
	Most  int // runs of it at once
}

func (e *BusyError) Error() string { return "skill " + e.Skill + " runs as often as it may at once" }

// enter asks whoever gives the turn whether the choice may run now.
func (d *draft) enter(c engine.Choice) (leave func(), ok bool) {
	if d.Enter == nil || c.Concurrency == 0 && !c.Waits {
		return func() {}, true
	}
	return d.Enter(c)
}
