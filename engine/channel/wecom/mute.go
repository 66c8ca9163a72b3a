package wecom

import (
	"time"

	"bot/engine"
)

// Why nothing is said in answer to some events.
const (
	noGroup   = "no interface writes to a customer group; the members do, or a mass message that one of them confirms"
	noWelcome = "a customer can only be written to within 20 s of being added, or through customer service"
	noFriend  = "no interface accepts a friend: the member does, or a contact way with skip_verify"
	// noCode: somebody else greets (the console's own welcome, another app), or
	// the two talk already.
	noCode    = "the platform gave no welcome code: somebody else greets, or they talk already"
	noEnter   = "an AI bot answers what was said to it; who opens the chat is told the welcome of the account"
	noComment = "feedback takes no answer"
)

// Cannot implements channel.Explainer.
func (s *appSender) Cannot(on engine.Kind, a engine.Action) (reason string) {
	switch {
	case a == engine.AcceptFriend:
		return noFriend
	case on.InGroup():
		return noGroup // all groups that an app hears of are of customers
	case on.OfFriend() && on != engine.FriendAdded:
		return noWelcome
	}
	return ""
}

// Within implements channel.Hurried.
func (s *appSender) Within(on engine.Kind) (limit time.Duration, reason string) {
	if on == engine.FriendAdded {
		return welcomeLives, welcomeBrief
	}
	return 0, ""
}

// Cannot implements channel.Explainer.
func (s *botSender) Cannot(on engine.Kind, a engine.Action) (reason string) {
	switch {
	case a == engine.AcceptFriend:
		return noFriend
	case on == engine.EnterChat:
		return noEnter
	case on == engine.Feedback:
		return noComment
	}
	return ""
}

// Cannot implements channel.Explainer.
func (s *robotSender) Cannot(_ engine.Kind, a engine.Action) (reason string) {
	if a == engine.AcceptFriend {
		return noFriend
	}
	return ""
}
