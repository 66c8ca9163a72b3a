package turn

import (
	"fmt"

	"bot/engine"
)

// quietKey is the note that somebody answers a conversation by hand.
func quietKey(conversation string) string { return noteKey("quiet/", conversation) }

// hush has the bot keep quiet where the event says that somebody answered by hand.
func (d *draft) hush() {
	e := d.event
	if d.account.StaffQuiet == 0 || !e.Self || e.Kind != engine.Message {
		return
	}
	d.notes = append(d.notes, "answered by hand")
	d.remembered = append(d.remembered, engine.Note{
		Key: quietKey(e.Conversation), Value: "1", Expires: e.Received.Add(d.account.StaffQuiet),
	})
}

// quiet tells whether somebody answers the conversation by hand, so that the bot
// is to say nothing. A skill that has the whole conversation in hand goes on.
func (d *draft) quiet() (bool, error) {
	e := d.event
	if d.account.StaffQuiet == 0 || e.Self || e.Kind != engine.Message || d.board.shared.state.Exists() && d.board.sender.key != d.board.shared.key {
		return false, nil
	}
	note, err := d.Memory.Recall(e.Account, quietKey(e.Conversation))
	if err != nil {
		return false, fmt.Errorf("look up whether somebody answers by hand: %w", err)
	}
	if note != "" {
		d.notes = append(d.notes, "quiet: somebody answers by hand")
	}
	return note != "", nil
}
