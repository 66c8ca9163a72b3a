package turn

import (
	"fmt"
	"slices"

	"bot/engine"
)

// QuietKey is the key of an account's note that somebody answers a conversation by
// hand, so that the bot keeps quiet there while it stands (engine.Account.StaffQuiet).
func QuietKey(conversation string) string { return noteKey("quiet/", conversation) }

// hush has the bot keep quiet where the event says that somebody answered by hand.
// A conversation that a skill has given to people is not their first answer, and
// one that they give back is the bot's at once.
func (d *draft) hush() {
	e := d.event
	if d.account.StaffQuiet == 0 {
		return
	}
	note := engine.Note{Key: QuietKey(e.Conversation)}
	switch {
	case e.Kind == engine.Released:
	case e.Kind == engine.Message && e.Self && !d.held():
		d.notes = append(d.notes, "answered by hand")
		note.Value, note.Expires = "1", e.Received.Add(d.account.StaffQuiet)
	default:
		return
	}
	d.remembered = append(d.remembered, note)
}

// held tells whether a skill has given the conversation to people. A form that all
// of it share is none of that: whoever answers by hand there wants it to wait as well.
func (d *draft) held() bool {
	h, ok := d.Setup.Router.(engine.Holder)
	return ok && d.board.shared.state.Exists() && h.Holds(d.board.shared.state)
}

// quiet tells whether somebody answers the conversation by hand, so that the bot
// is to say nothing of its own accord.
func (d *draft) quiet() (bool, error) {
	e := d.event
	if d.account.StaffQuiet == 0 || e.Self || e.Kind != engine.Message && e.Kind != engine.Expired || d.held() {
		return false, nil
	}
	note, err := d.Memory.Recall(e.Account, QuietKey(e.Conversation))
	if err != nil {
		return false, fmt.Errorf("look up whether somebody answers by hand: %w", err)
	}
	if note != "" {
		d.notes = append(d.notes, "quiet: somebody answers by hand")
	}
	return note != "", nil
}

// aside leaves of the rules' choices those that do not talk to whoever they hear:
// what people ask not to be sent any more, what is relayed, what staff say.
func aside(choices []engine.Choice) []engine.Choice {
	return slices.DeleteFunc(slices.Clone(choices), func(c engine.Choice) bool { return !c.Aside })
}
