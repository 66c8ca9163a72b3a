package skills

import (
	"slices"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/match"
)

// entry is one skill with all that routing needs to know of it.
type entry struct {
	skill engine.Skill
	run   engine.Skill // what answers: skill, or what stands around it
	kind  kind.Kind
	draft *kind.Draft
}

// miss is why a skill does not answer an event.
type miss uint8

const (
	fits miss = iota
	disabled
	otherKind
	otherAccount
	notAmong
	shutOut
	groupsOnly
	privateOnly
	notMentioned
	notText
	noMatch
)

// fit compares an event with the skill's rule. text is the event's.
func (e *entry) fit(ev *engine.Event, text *match.Text) (match.Hit, miss) {
	d := e.draft
	message := ev.Kind == engine.Message
	switch {
	case !d.Enabled:
		return match.Hit{}, disabled
	case d.On != string(ev.Kind):
		return match.Hit{}, otherKind
	case len(d.Accounts) > 0 && !slices.Contains(d.Accounts, ev.Account):
		return match.Hit{}, otherAccount
	case !d.Admits(ev.Conversation):
		return match.Hit{}, notAmong
	case d.ShutsOut(ev.Conversation):
		return match.Hit{}, shutOut
	case d.Where == kind.Group && !ev.Group:
		return match.Hit{}, groupsOnly
	case d.Where == kind.Private && ev.Group:
		return match.Hit{}, privateOnly
	case message && ev.Group && d.Mention && ev.Mention != engine.MentionMe:
		return match.Hit{}, notMentioned
	case message && !ev.Spoken() && !d.Rule.IsBare():
		return match.Hit{}, notText
	}
	if hit, ok := d.Rule.Match(text); ok {
		return hit, fits
	}
	return match.Hit{}, noMatch
}

// stateful tells whether the skill leaves states and goes on with them.
func (e *entry) stateful() bool { return e.kind.Stateful || e.draft.Sensitive }

// scope is whose state the skill keeps.
func (e *entry) scope() engine.Scope {
	if e.draft.Scope == "conversation" {
		return engine.ScopeConversation
	}
	return engine.ScopeSender
}

// choice puts the skill forward for an event it answers.
func (e *entry) choice(hit match.Hit) engine.Choice {
	return engine.Choice{
		Skill: e.run, Match: hit.Match, Scope: e.scope(),
		Timeout: e.draft.Timeout.Std(), Stop: e.draft.Stop, Why: because(e, hit),
		Waits: e.draft.Waits, Concurrency: e.draft.Concurrency,
	}
}
