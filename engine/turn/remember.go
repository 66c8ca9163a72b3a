package turn

import (
	"cmp"
	"fmt"
	"strconv"

	"bot/engine"
)

// SkillKey is the note in which a skill's own is kept: keys of different skills
// do not meet, nor do they meet those of adapters and of the engine itself.
func SkillKey(skill, key string) string {
	return noteKey("skill/", strconv.Itoa(len(skill))+"/"+skill+"/"+key)
}

// counted reads a number that outcomes have added to.
func (d *draft) counted(key string) (int, error) {
	value, err := d.Memory.Recall(d.event.Account, key)
	if err != nil {
		return 0, fmt.Errorf("look up %s: %w", key, err)
	}
	n, _ := strconv.Atoi(value) // nothing yet
	return n, nil
}

// raise completes an event that a skill raises. Its identity is that of the event
// which brought it about, so that it is known whence it came.
func (d *draft) raise(e *engine.Event) *engine.Event {
	out := *e
	out.Account = cmp.Or(e.Account, d.event.Account)
	out.ID = cmp.Or(e.ID, engine.TaskIDOf(d.ref, len(d.commands)+len(d.raised)))
	if out.Time.IsZero() {
		out.Time = d.created
	}
	return &out
}
