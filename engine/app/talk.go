package app

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"bot/engine"
	"bot/engine/console"
	"bot/engine/recent"
	"bot/engine/talk"
	"bot/engine/trace"
	"bot/engine/turn"
)

// How much of a conversation is shown, and how far back it is looked for.
const (
	talkLines   = 200
	talkBack    = 48 * time.Hour
	talkWaiting = 2000 // events of the log that are looked at
	talkSenders = 5    // people whose states are shown
)

// talk is one conversation: what was said, and how it stands.
func (a *App) talk(ctx context.Context, account, conversation string) (t console.Talk, err error) {
	since := a.store.Now().Add(-talkBack)
	entries, err := a.trace.Talk(ctx, account, conversation, since, 2*talkLines)
	if err != nil {
		return t, err
	}
	handled, err := recent.Talk(ctx, recent.Dir(a.live.Load().Config.Store.Path), account, conversation, since, talkLines)
	if err != nil {
		return t, err
	}
	waiting, err := a.waiting(account, conversation)
	if err != nil {
		return t, err
	}
	t.Lines = talk.Timeline(entries, handled, waiting, talkLines)
	t.States, err = a.states(account, conversation, senders(conversation, append(handled, waiting...)))
	if err != nil {
		return t, err
	}
	t.Handed = slices.ContainsFunc(t.States, func(s console.State) bool { return s.Sender == "" && a.handsOff(s.Skill) })
	quiet, err := a.store.Recall(account, turn.QuietKey(conversation))
	if err != nil {
		return t, err
	}
	t.Quiet = quiet != ""
	t.Blocked = a.store.Standing(account, conversation).Blocked
	t.Listed = a.live.Load().people[account].blocked[conversation]
	return t, nil
}

// waiting are the conversation's events among the first of the log.
func (a *App) waiting(account, conversation string) (events []*engine.Event, err error) {
	rows, err := a.store.Read(0, talkWaiting)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		if r.Event.Account == account && r.Event.Conversation == conversation {
			events = append(events, r.Event)
		}
	}
	return events, nil
}

// senders are those who spoke last, of a private chat the other side at least.
func senders(conversation string, events []*engine.Event) (ids []string) {
	group := slices.ContainsFunc(events, func(e *engine.Event) bool { return e.Group })
	if !group {
		ids = append(ids, conversation)
	}
	for _, e := range slices.Backward(events) {
		if len(ids) < talkSenders && e.Sender != "" && !e.Self && !slices.Contains(ids, e.Sender) {
			ids = append(ids, e.Sender)
		}
	}
	return ids
}

// states are where the conversation and those people in it stand.
func (a *App) states(account, conversation string, people []string) (all []console.State, err error) {
	for _, sender := range append([]string{""}, people...) {
		st, err := a.store.State(engine.StateKey{Account: account, Conversation: conversation, Sender: sender})
		if err != nil {
			return nil, fmt.Errorf("look up the state of %s: %w", conversation, err)
		}
		if !st.Exists() {
			continue
		}
		s := console.State{Sender: sender, Skill: st.Skill, Node: st.Node, Expires: st.Expires}
		for _, name := range slices.Sorted(maps.Keys(st.Data)) {
			s.Data = append(s.Data, console.Field{Name: name, Value: masked(st.Data[name])})
		}
		all = append(all, s)
	}
	return all, nil
}

// masked leaves the last two characters of a value, and none where these would be
// half of it: what forms ask for is nobody's business on a page.
func masked(value string) string {
	const hidden = "••••"
	runes := []rune(value)
	switch {
	case value == "":
		return ""
	case len(runes) <= 4:
		return hidden
	}
	return hidden + string(runes[len(runes)-2:])
}

// handsOff tells whether a skill is one that gives conversations to people.
func (a *App) handsOff(skill string) bool {
	return slices.ContainsFunc(a.live.Load().Skills.Skills(), func(i engine.SkillInfo) bool {
		return i.Name == skill && i.Kind == "handoff"
	})
}

// How much of the trace is read at a start, for the list of conversations.
const (
	recallBack    = 6 * time.Hour
	recallEntries = 50_000
	recallTime    = 10 * time.Second
)

// recallTalks fills the list of conversations with those that were active before the
// start. It returns nil: without them the list fills by itself.
func (a *App) recallTalks(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, recallTime)
	defer cancel()
	type active struct {
		key engine.ConversationKey
		at  time.Time
	}
	last := make(map[engine.ConversationKey]time.Time)
	n := 0
	err := a.trace.Latest(ctx, a.store.Now().Add(-recallBack), func(e trace.Entry) bool {
		key := engine.ConversationKey{Account: e.Account, Conversation: e.Conversation}
		if at := e.Steps[len(e.Steps)-1].Time; of(&e) && at.After(last[key]) {
			last[key] = at
		}
		n++
		return n < recallEntries && ctx.Err() == nil
	})
	if err != nil && ctx.Err() == nil {
		a.o.Log.Warn("the list of conversations begins empty: the trace cannot be read", "error", err)
	}
	rows := make([]active, 0, len(last))
	for key, at := range last {
		rows = append(rows, active{key, at})
	}
	slices.SortFunc(rows, func(x, y active) int { return y.at.Compare(x.at) })
	for _, r := range rows {
		a.talks.Seen(r.key, r.at)
	}
	return nil
}

// of tells whether an entry is of a conversation, and no more of the account itself.
func of(e *trace.Entry) bool {
	first := e.Steps[0]
	return first.Step != trace.Received || !engine.Kind(first.Note).OfAccount() && first.Note != string(engine.Unknown)
}
