package kind

import (
	"maps"
	"slices"
	"strings"

	"bot/engine/nearest"
)

// hours looks up when the skill answers.
func (d *Draft) hours() {
	if !d.Has("hours") || !d.Lacks("hours", d.Hours == "") && d.Hours == "" {
		return
	}
	name, outside := strings.CutPrefix(d.Hours, "!")
	times, known := d.World.Hours[name]
	switch names := slices.Sorted(maps.Keys(d.World.Hours)); {
	case known:
		d.Times, d.Outside = times, outside
	case name == "":
		d.Problem("hours", `hours names one of [hours], with ! for outside of it (hours = "shop" or "!shop")`)
	case len(names) == 0:
		d.Problem("hours", "there are no hours %q (write them: [hours], then %s = [\"mon-fri 09:00-18:00\"])", name, name)
	default:
		d.Problem("hours", "there are no hours %q in [hours]%s", name, nearest.Hint(name, names))
	}
}
