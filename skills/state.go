package skills

import (
	"context"
	"fmt"
	"strconv"

	"bot/engine"
	"bot/skills/kind"
)

// byState finds the skill whose state the event belongs to: it comes first and
// alone. Only messages and what the engine raises go on with a conversation;
// somebody joining a group is not an answer. The sender's own state goes before a
// shared one, unless that holds the whole conversation.
func (s *Set) byState(e *engine.Event, sender, shared engine.State) (engine.Choice, bool) {
	held := s.Holds(shared)
	switch e.Kind {
	case engine.Message:
		if held {
			return s.goOn(shared, engine.ScopeConversation), true
		}
	case engine.Released:
		return s.goOn(shared, engine.ScopeConversation), held
	case engine.Expired:
		switch {
		case e.Sender == "": // it is about the shared one
			sender = engine.State{}
		case held: // it is about somebody's own, and the bot is to be silent
			return engine.Choice{
				Skill: lapsed{sender.Skill}, Scope: engine.ScopeSender, Stop: true,
				Why: "its time was over while people have the conversation",
			}, sender.Exists()
		default:
			shared = engine.State{}
		}
	default:
		return engine.Choice{}, false
	}
	if e.Self {
		return engine.Choice{}, false
	}
	for _, st := range []struct {
		state engine.State
		scope engine.Scope
	}{{sender, engine.ScopeSender}, {shared, engine.ScopeConversation}} {
		if !st.state.Exists() || e.Kind == engine.Expired && !st.state.Expired(e.Received) {
			continue // an expiry that comes late finds the conversation gone on
		}
		return s.goOn(st.state, st.scope), true
	}
	return engine.Choice{}, false
}

// Holds implements engine.Holder.
func (s *Set) Holds(st engine.State) bool {
	e := s.byName[st.Skill]
	return e != nil && e.kind.Holds
}

// goOn chooses the state's skill, or what stands in for one that a reload
// removed, disabled or turned into one that keeps no state. The state is taken
// where it was found, whatever scope the skill has by now.
func (s *Set) goOn(st engine.State, scope engine.Scope) engine.Choice {
	c := engine.Choice{Scope: scope, Stop: true}
	e := s.byName[st.Skill]
	if e == nil || !e.leaves(st) {
		c.Skill = gone{st.Skill}
		c.Why = fmt.Sprintf("the conversation was with %q, which is not there any more", st.Skill)
		return c
	}
	c.Skill, c.Timeout = e.run, e.draft.Timeout.Std()
	c.Waits, c.Concurrency = e.waits(st)
	c.Why = "the conversation is with " + strconv.Quote(st.Skill)
	return c
}

// lapsed ends a state whose time is over, without a word. It bears the name of the
// skill whose state it is.
type lapsed struct{ name string }

// Name implements engine.Skill.
func (l lapsed) Name() string { return l.name }

// Handle implements engine.Skill.
func (l lapsed) Handle(context.Context, *engine.Turn) (engine.Outcome, error) {
	return engine.Outcome{State: new(engine.State), Note: "silent: people have the conversation"}, nil
}

// gone stands in for a skill that is not there any more. It bears the name of
// that skill, whose state it ends.
type gone struct{ name string }

// Name implements engine.Skill.
func (g gone) Name() string { return g.name }

// Handle tells the user, ends the state and lets the rules answer. A user
// whose time was up anyway is not told.
func (g gone) Handle(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
	out := engine.Outcome{State: new(engine.State), Note: "its skill is gone", Pass: t.Event.Kind == engine.Message}
	if t.Event.Kind == engine.Message && !t.Expired {
		out.Commands = []engine.Command{{Action: engine.SendText, Text: kind.Changed}}
	}
	return out, nil
}
