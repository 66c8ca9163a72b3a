package kind

import (
	"slices"
	"time"

	"bot/engine"
	"bot/skills/match"
)

// CallOff is what calls a skill's commands off while they wait; nothing does where
// it has neither.
type CallOff struct {
	Kinds []engine.Kind
	Words match.Rule // of a message: one of the keywords; Message is not among Kinds then
}

// Any tells whether anything calls them off.
func (c *CallOff) Any() bool { return len(c.Kinds) > 0 || len(c.Words.Keywords) > 0 }

// maxDelay is the longest delay: beyond it nobody knows any more why something is
// said.
const maxDelay = 30 * 24 * time.Hour

// later checks how long commands wait, and reads what calls them off.
func (d *Draft) later() {
	if d.Delay.Max > maxDelay {
		d.Problem("delay", "a delay of %v is too long: at most %d days (a [[schedule]] is for what comes at a date)", d.Delay.Max, int(maxDelay.Hours()/24))
	}
	hasUnless, hasWords := d.Has("unless"), d.Has("unless_keywords")
	if !hasUnless && !hasWords {
		return
	}
	for _, key := range []string{"unless", "unless_keywords"} {
		if d.Has(key) && d.Delay.IsZero() && d.Lacks("delay", true) {
			d.Problem(key, `%s calls off what waits, and nothing waits without a delay (delay = "5m")`, key)
			break
		}
	}
	if d.Has("once") {
		d.Warn("once", "an answer that is called off keeps its once-key, so that the next one is told of a grant that never came (a grant wants neither unless nor unless_keywords)")
	}
	if hasUnless && d.Lacks("unless", len(d.Unless) == 0) {
		d.Problem("unless", `unless names kinds of event (unless = ["message"]), or is left out`)
	}
	if hasWords && d.Lacks("unless_keywords", len(d.UnlessKeywords) == 0) {
		d.Problem("unless_keywords", `unless_keywords names words (unless_keywords = ["已付款"]), or is left out`)
	}
	for i, name := range d.Unless {
		k, ok := engine.ParseKind(name)
		switch at := Path("unless", i); {
		case ok && slices.Contains(d.CallOff.Kinds, k):
			d.Warn(at, "%s is named twice", name)
		case ok:
			d.CallOff.Kinds = append(d.CallOff.Kinds, k)
		case name != "" || d.Lacks(at, true):
			d.Problem(at, "there is no event %q%s", name, Hint(name, engine.KindNames()))
		}
	}
	d.CallOff.Words.Keywords = d.words("unless_keywords", d.UnlessKeywords, match.Contains)
	if hasWords && slices.Contains(d.CallOff.Kinds, engine.Message) {
		d.Problem("unless_keywords", `every message calls it off already (leave "message" out of unless, or unless_keywords)`)
	}
}
