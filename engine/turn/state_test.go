package turn_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

// noting answers with a state and notes the turn it was given.
func noting(name string, into *engine.Turn, next *engine.State) skill {
	return skill{name, func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
		*into = *t
		return engine.Outcome{State: next}, nil
	}}
}

func TestASkillSeesOnlyItsOwnStateInItsOwnScope(t *testing.T) {
	states := map[engine.StateKey]engine.State{
		own:    {Skill: "form", Node: "own", Version: 1},
		common: {Skill: "game", Node: "common", Version: 2},
	}
	for name, tc := range map[string]struct {
		skill string
		scope engine.Scope
		node  string
	}{
		"the sender's":                 {"form", engine.ScopeSender, "own"},
		"the conversation's":           {"game", engine.ScopeConversation, "common"},
		"another's in the same place":  {"menu", engine.ScopeSender, ""},
		"its own name in other scope":  {"form", engine.ScopeConversation, ""},
		"its own name in other scope2": {"game", engine.ScopeSender, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got engine.Turn
			r := router{rules: []engine.Choice{{Skill: noting(tc.skill, &got, nil), Scope: tc.scope}}}
			mustPlay(t, &memory{states: states}, r, message())
			if got.State.Node != tc.node {
				t.Errorf("saw state %+v, want node %q", got.State, tc.node)
			}
		})
	}
}

func TestAStateIsWrittenOverTheVersionThatWasRead(t *testing.T) {
	var seen engine.Turn
	data := map[string]string{"phone": "1"}
	r := router{rules: []engine.Choice{
		{Skill: noting("form", &seen, &engine.State{Skill: "another", Node: "code", Data: data})},
		{Skill: noting("game", &seen, &engine.State{Skill: "game"}), Scope: engine.ScopeConversation},
	}}
	m := &memory{states: map[engine.StateKey]engine.State{own: {Skill: "form", Version: 9}}}
	_, c := mustPlay(t, m, r, message())
	data["phone"] = "changed later"
	want := []store.StateWrite{
		{Key: own, Read: 9, State: engine.State{Skill: "form", Node: "code", Data: map[string]string{"phone": "1"}}},
		{Key: common, Read: 0, State: engine.State{Skill: "game"}},
	}
	if !reflect.DeepEqual(c.States, want) {
		t.Errorf("wrote %+v, want %+v", c.States, want)
	}
}

func TestTheReportTellsWhereStatesCameFromAndWent(t *testing.T) {
	for _, tt := range []struct {
		name           string
		found          map[engine.StateKey]engine.State
		sender, shared *engine.State
		want           string
	}{
		{"nothing is written", map[engine.StateKey]engine.State{own: {Skill: "form", Version: 9}}, nil, nil, ""},
		{"a dialogue begins", nil, &engine.State{Node: "phone"}, nil, "- → form/phone"},
		{"it goes on", map[engine.StateKey]engine.State{own: {Skill: "form", Node: "phone", Version: 9}}, &engine.State{Skill: "form", Node: "code"}, nil, "form/phone → form/code"},
		{"it ends", map[engine.StateKey]engine.State{own: {Skill: "form", Node: "phone", Version: 9}}, &engine.State{}, nil, "form/phone → -"},
		{"what never was ends", nil, &engine.State{}, nil, ""},
		{"the conversation's beside the sender's", nil, &engine.State{Skill: "form"}, &engine.State{Skill: "game"}, "- → form; - → game"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var seen engine.Turn
			r := router{rules: []engine.Choice{
				{Skill: noting("form", &seen, tt.sender)},
				{Skill: noting("game", &seen, tt.shared), Scope: engine.ScopeConversation},
			}}
			report, _ := mustPlay(t, &memory{states: tt.found}, r, message())
			if report.States != tt.want {
				t.Errorf("got %q, want %q", report.States, tt.want)
			}
		})
	}
}

func TestASkillCannotChangeTheStateThroughItsCopy(t *testing.T) {
	greedy := skill{"form", func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
		t.State.Data["phone"] = "changed"
		return engine.Outcome{}, nil
	}}
	m := &memory{states: map[engine.StateKey]engine.State{own: {Skill: "form", Version: 1, Data: map[string]string{"phone": "1"}}}}
	_, c := mustPlay(t, m, router{rules: []engine.Choice{{Skill: greedy}}}, message())
	if got := m.states[own].Data["phone"]; got != "1" || len(c.States) != 0 {
		t.Errorf("the state says %q, wrote %+v", got, c.States)
	}
}

func TestTheLaterOfTwoWritersStays(t *testing.T) {
	var seen engine.Turn
	r := router{rules: []engine.Choice{
		{Skill: noting("a", &seen, &engine.State{Skill: "a"})},
		{Skill: noting("b", &seen, &engine.State{Skill: "b"})},
	}}
	_, c := mustPlay(t, &memory{}, r, message())
	if len(c.States) != 1 || c.States[0].State.Skill != "b" {
		t.Errorf("wrote %+v, want one state of b", c.States)
	}
}

func TestAnEventWithoutSenderHasOnlyTheSharedState(t *testing.T) {
	var seen engine.Turn
	e := message()
	e.Sender = ""
	m := &memory{states: map[engine.StateKey]engine.State{common: {Skill: "form", Node: "x", Version: 4}}}
	_, c := mustPlay(t, m, router{rules: []engine.Choice{{Skill: noting("form", &seen, &engine.State{})}}}, e)
	want := []store.StateWrite{{Key: common, Read: 4}}
	if seen.State.Node != "x" || !reflect.DeepEqual(c.States, want) {
		t.Errorf("saw %+v, wrote %+v", seen.State, c.States)
	}
}

func TestExpiryIsJudgedByTheReceiptOfTheMessage(t *testing.T) {
	for name, tc := range map[string]struct {
		expires time.Time
		want    bool
	}{
		"in time although it was handled late": {received, false},
		"too late":                             {received.Add(-time.Nanosecond), true},
		"a state without limit":                {time.Time{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var seen engine.Turn
			m := &memory{states: map[engine.StateKey]engine.State{own: {Skill: "form", Version: 1, Expires: tc.expires}}}
			mustPlay(t, m, router{rules: []engine.Choice{{Skill: noting("form", &seen, nil)}}}, message())
			if seen.Expired != tc.want {
				t.Errorf("Turn.Expired = %v, want %v", seen.Expired, tc.want)
			}
		})
	}
}

func TestAnExpiryEvent(t *testing.T) {
	ends := func(key engine.StateKey, version uint64) []store.StateWrite {
		return []store.StateWrite{{Key: key, Read: version}}
	}
	both := map[engine.StateKey]engine.State{
		own:    {Skill: "form", Version: 5, Expires: received.Add(-time.Second)},
		common: {Skill: "game", Version: 6, Expires: received.Add(-time.Second)},
	}
	for name, tc := range map[string]struct {
		states  map[engine.StateKey]engine.State
		event   *engine.Event
		known   bool // its skill is still configured
		ran     string
		outcome turn.Outcome
		writes  []store.StateWrite
	}{
		"goes to the skill of the sender's state":      {both, expiry("u1", "5"), true, "form", turn.Reply, ends(own, 5)},
		"goes to the skill of the shared state":        {both, expiry("", "6"), true, "game", turn.Reply, ends(common, 6)},
		"is void when the state was written again":     {both, expiry("u1", "4"), true, "", turn.Void, nil},
		"is void when the state has ended":             {nil, expiry("u1", "5"), true, "", turn.Void, nil},
		"is void when a version 0 is named":            {nil, expiry("u1", "0"), true, "", turn.Void, nil},
		"ends the state of a skill that is gone":       {both, expiry("u1", "5"), false, "", turn.State, ends(own, 5)},
		"does not reach the other state's skill":       {map[engine.StateKey]engine.State{common: both[common]}, expiry("u1", "6"), true, "", turn.Void, nil},
		"is void when it names no version and no data": {nil, &engine.Event{Account: "shop", Kind: engine.Expired, Received: received}, true, "", turn.Void, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var ran string
			var seen engine.Turn
			told := func(name string, scope engine.Scope) engine.Choice {
				return engine.Choice{Scope: scope, Skill: skill{name, func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
					ran, seen = name, *t
					return text1("time is up"), nil
				}}}
			}
			r := router{state: map[string]engine.Choice{}}
			if tc.known {
				r.state["form"], r.state["game"] = told("form", engine.ScopeSender), told("game", engine.ScopeConversation)
			}
			report, c := mustPlay(t, &memory{states: tc.states}, r, tc.event)
			if ran != tc.ran || report.Outcome != tc.outcome || !reflect.DeepEqual(c.States, tc.writes) {
				t.Errorf("ran %q, outcome %q, wrote %+v; want %q, %q, %+v", ran, report.Outcome, c.States, tc.ran, tc.outcome, tc.writes)
			}
			if ran != "" && !seen.Expired {
				t.Error("Turn.Expired is false")
			}
		})
	}
}

func TestAnExpiryMayStartTheStateAnew(t *testing.T) {
	var seen engine.Turn
	next := &engine.State{Skill: "form", Node: "again", Expires: received.Add(time.Hour)}
	m := &memory{states: map[engine.StateKey]engine.State{own: {Skill: "form", Version: 5}}}
	r := router{state: map[string]engine.Choice{"form": {Skill: noting("form", &seen, next)}}}
	_, c := mustPlay(t, m, r, expiry("u1", "5"))
	if len(c.States) != 1 || c.States[0].State.Node != "again" {
		t.Errorf("wrote %+v", c.States)
	}
}

func TestAFormWhoseTimeRanOutEndsAndBeginsAnewInOneTurn(t *testing.T) {
	var turns []engine.Turn
	form := skill{"form", func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
		turns = append(turns, *t)
		if t.State.Exists() {
			out := text1("time is up")
			out.State, out.Pass = &engine.State{}, true
			return out, nil
		}
		out := text1("phone?")
		out.State = &engine.State{Node: "phone"}
		return out, nil
	}}
	m := &memory{states: map[engine.StateKey]engine.State{own: {Skill: "form", Node: "code", Version: 5, Expires: received.Add(-time.Second)}}}
	r := router{
		state: map[string]engine.Choice{"form": {Skill: form, Stop: true}},
		rules: []engine.Choice{{Skill: form, Match: []string{"hi"}, Stop: true}},
	}
	_, c := mustPlay(t, m, r, message())
	if len(turns) != 2 || !turns[0].Expired || turns[1].Expired || turns[1].State.Exists() {
		t.Errorf("turns %+v, want one with the expired state and one with none", turns)
	}
	want := []store.StateWrite{{Key: own, Read: 5, State: engine.State{Skill: "form", Node: "phone"}}}
	if !reflect.DeepEqual(c.States, want) || len(c.Commands) != 2 {
		t.Errorf("wrote %+v and %d commands", c.States, len(c.Commands))
	}
}
