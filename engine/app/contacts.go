package app

import (
	"bot/engine"
	"bot/engine/ingress"
)

// The reasons for which people's events are not taken in and commands for them
// not sent. They are metric labels, and begin the reason of a dead letter.
const (
	blocked      = "blocked"
	unsubscribed = "unsubscribed"
)

// admit tells why an event is not welcome, "" when it is. Who unsubscribed is
// still heard when they turn to us by themselves: an answer is not sent unasked,
// and a message, or a friend request before it, is their only way back.
func (a *App) admit(e *engine.Event) string {
	s := a.store.Standing(e.Account, e.Sender)
	switch {
	case e.Self && !a.ear.Typed(e):
		return ingress.Self
	case s.Blocked || a.store.Standing(e.Account, e.Conversation).Blocked:
		return blocked
	case s.Unsubscribed && e.Kind != engine.Message && e.Kind != engine.FriendRequest:
		return unsubscribed
	}
	return ""
}

// unwanted tells why a command is not to be sent, "" when it is. In a private
// chat the conversation is the other side; a group can be blocked like a person.
func (a *App) unwanted(c *engine.Command) string {
	s := a.store.Standing(c.Account, c.Conversation)
	switch {
	case s.Blocked:
		return blocked + ": nothing is sent to this conversation"
	case s.Unsubscribed && c.Lane != engine.LaneReply:
		return unsubscribed + ": only replies are sent to this conversation"
	}
	return ""
}
