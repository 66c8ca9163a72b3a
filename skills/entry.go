package skills

import (
	"slices"
	"time"

	"bot/engine"
	"bot/skills/kind"
	"bot/skills/later"
	"bot/skills/match"
	"bot/skills/sensitive"
)

// entry is one skill with all that routing needs to know of it.
type entry struct {
	skill engine.Skill
	run   engine.Skill // what answers: skill, or what stands around it
	later *later.Skill // that lets its commands be called off; nil: nothing does
	kind  kind.Kind
	draft *kind.Draft
	// location is where an account is.
	location func(account string) *time.Location
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
	wrongTime
	tooDear
)

// bars says why the skill does not answer an event whatever its text says; fits
// where the text decides.
func (e *entry) bars(ev *engine.Event) miss {
	d := e.draft
	message := ev.Kind == engine.Message
	switch {
	case !d.Enabled:
		return disabled
	case d.On != string(ev.Kind):
		return otherKind
	case len(d.Accounts) > 0 && !slices.Contains(d.Accounts, ev.Account):
		return otherAccount
	case !d.Admits(ev.Conversation):
		return notAmong
	case d.ShutsOut(ev.Conversation):
		return shutOut
	case d.Where == kind.Group && !ev.Group:
		return groupsOnly
	case d.Where == kind.Private && ev.Group:
		return privateOnly
	case ev.Degraded != "" && e.dear():
		return tooDear
	case message && ev.Group && d.Mention && ev.Mention != engine.MentionMe:
		return notMentioned
	case message && !ev.Spoken() && !d.Rule.IsBare():
		return notText
	case d.Hours != "" && d.Times.Open(e.local(ev)) == d.Outside:
		return wrongTime
	}
	return fits
}

// leaves tells whether the skill may have left the state, and goes on with it.
func (e *entry) leaves(st engine.State) bool {
	return e.kind.Stateful || e.draft.Sensitive && st.Node == sensitive.Node
}

// local is when an event was received, by the clock of its account.
func (e *entry) local(ev *engine.Event) time.Time { return ev.Received.In(e.location(ev.Account)) }

// scope is whose state the skill keeps.
func (e *entry) scope() engine.Scope {
	if e.draft.Scope == "conversation" {
		return engine.ScopeConversation
	}
	return engine.ScopeSender
}

// waits tells whether a turn that finds the state may wait for another system, and
// of how many such turns there may be at once.
func (e *entry) waits(st engine.State) (waits bool, atOnce int) {
	w, sometimes := e.skill.(kind.Waiter)
	switch {
	case !sometimes || !e.draft.Waits || w.WaitsIn(st):
		return e.draft.Waits, e.draft.Concurrency
	case e.draft.Has("concurrency"): // by the operator's own word
		return false, e.draft.Concurrency
	}
	return false, 0
}

// dear tells whether the skill waits for another system whenever it answers.
func (e *entry) dear() bool {
	_, sometimes := e.skill.(kind.Waiter)
	return e.draft.Waits && !sometimes
}

// choice puts the skill forward for an event it answers.
func (e *entry) choice(hit match.Hit) engine.Choice {
	waits, atOnce := e.waits(engine.State{})
	return engine.Choice{
		Skill: e.run, Match: hit.Match, Scope: e.scope(),
		Timeout: e.draft.Timeout.Std(), Stop: e.draft.Stop, Why: because(e, hit),
		Aside: e.kind.Aside && !e.draft.Sensitive, Waits: waits, Concurrency: atOnce,
	}
}
