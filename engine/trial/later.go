package trial

import (
	"slices"
	"time"

	"bot/engine"
)

// A trial shows what is to be sent at once, whatever its delay: nothing can come
// between. What can be called off (engine.Command.Unless) is shown when its time
// has come.

// waiting is a command whose time has not come, and the event that it answers.
type waiting struct {
	command engine.Command
	event   *engine.Event
}

// wait keeps a command until leave.
func (m *memory) wait(c engine.Command, e *engine.Event) {
	i, _ := slices.BinarySearchFunc(m.later, c.Due(), func(w waiting, due time.Time) int {
		if w.command.Due().After(due) {
			return 1
		}
		return -1 // behind those of the same time
	})
	m.later = slices.Insert(m.later, i, waiting{c, e})
}

// leave sends what is due until then, one after the other, and tells of each.
func (t *Trial) leave(until time.Time, told func(e *engine.Event, r Reply, err error)) {
	for len(t.memory.later) > 0 && !t.memory.later[0].command.Due().After(until) {
		w := t.memory.later[0]
		t.memory.later = t.memory.later[1:]
		t.advance(w.command.Due())
		reason, err := t.memory.Recall(w.command.Account, w.command.Unless)
		var r Reply
		if reason != "" {
			r.Notes = []string{string(w.command.Action) + " of skill " + w.command.Skill + " is not sent: " + reason}
		} else {
			t.send(&r, w.event, &w.command)
		}
		told(w.event, r, err)
	}
}
