package app

import (
	"time"

	"bot/engine"
	"bot/engine/config"
	"bot/engine/ingress"
)

// The reasons for which people's events are not taken in and commands for them
// not sent. They are metric labels, and begin the reason of a dead letter.
const (
	blocked      = "blocked"
	unsubscribed = "unsubscribed"
	notTestUser  = "not_test_user"
)

// people are whom an account's configuration names.
type people struct {
	blocked map[string]bool
	tests   map[string]bool // nil: everybody is served
	within  time.Duration   // since when people may have been silent and be sent something unasked; 0: ever
}

func peopleOf(accounts []config.Account) map[string]people {
	all := make(map[string]people)
	for i := range accounts {
		a := &accounts[i]
		all[a.Name] = people{setOf(a.Blocked), setOf(a.TestUsers), a.PushActiveWithin.Std()}
	}
	return all
}

func setOf(ids []string) map[string]bool {
	if len(ids) == 0 {
		return nil
	}
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set
}

// admit tells why an event is not welcome, "" when it is. The risk matrix is
// asked last, so that it counts only what would be taken in without it.
func (a *App) admit(e *engine.Event) string {
	if reason := a.barred(e); reason != "" {
		return reason
	}
	return a.guard.Admit(e)
}

// barred tells why people are not heard. Who unsubscribed still is when they
// turn to us by themselves: an answer is not sent unasked, and a message, or a
// friend request before it, is their only way back. What is about the account
// itself has nothing to do with test users.
func (a *App) barred(e *engine.Event) string {
	named := a.live.Load().people[e.Account]
	s := a.store.Standing(e.Account, e.Sender)
	switch {
	case e.Self && !a.ear.Typed(e):
		return ingress.Self
	case s.Blocked || a.store.Standing(e.Account, e.Conversation).Blocked,
		named.blocked[e.Sender] || named.blocked[e.Conversation]:
		return blocked
	case named.tests != nil && !named.tests[e.Sender] && !named.tests[e.Conversation] && !e.Kind.OfAccount():
		return notTestUser
	case s.Unsubscribed && e.Kind != engine.Message && e.Kind != engine.FriendRequest:
		return unsubscribed
	}
	return ""
}

// unwanted tells why a command is not to be sent, "" when it is. In a private
// chat the conversation is the other side; a group can be blocked like a person.
// With test users alone to be served, whoever else was heard is still answered.
func (a *App) unwanted(c *engine.Command) string {
	if why := a.notServed(c.Account, c.Conversation, c.Lane); why != "" {
		return why
	}
	return a.contacts.Unwanted(c)
}

// notServed tells why a conversation is sent nothing in a lane, "" when it is.
func (a *App) notServed(account, conversation string, lane engine.Lane) string {
	named := a.live.Load().people[account]
	s := a.store.Standing(account, conversation)
	switch {
	case s.Blocked || named.blocked[conversation]:
		return blocked + ": nothing is sent to this conversation"
	case named.tests != nil && lane != engine.LaneReply && !named.tests[conversation]:
		return "not a test user: only test_users are sent anything but replies"
	case s.Unsubscribed && lane != engine.LaneReply:
		return unsubscribed + ": only replies are sent to this conversation"
	}
	return ""
}
