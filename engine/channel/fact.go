package channel

import "bot/engine"

// Once gives an event that begins or ends a friendship or the membership of a
// group the fact that it tells (Event.Fact), where a platform tells of one in
// several ways: by a notice about the contact, by lines in the chat.
func Once(e *engine.Event) {
	switch {
	case !e.Kind.Begins() && !e.Kind.Parts() && !e.NotedAs.Begins():
	case e.Group:
		e.Fact = "group/" + e.Conversation
	default:
		e.Fact = "friend/" + e.Conversation
	}
}
