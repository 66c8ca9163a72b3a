package turn_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

func TestCommandsAreFilledInFromTheEvent(t *testing.T) {
	e := message()
	answer := skill{"s", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{Note: "two", Commands: []engine.Command{
			{Action: engine.SendText, Text: "a", Lane: engine.LaneReply},
			{Action: engine.SendText, Text: "b", Conversation: "staff", Lane: engine.LanePush},
		}}, nil
	}}
	report, c := mustPlay(t, &memory{}, router{rules: []engine.Choice{{Skill: answer, Why: "keyword hi"}}}, e)

	ref, created := e.Ref(), received.Add(time.Second)
	want := []engine.Command{
		{
			TaskID: ref + "-0", TraceID: "m1", Account: "shop", Conversation: "room", Action: engine.SendText, Text: "a",
			Created: created, Ticket: e.Ticket, Origin: ref, Skill: "s",
		},
		{ // to somebody else: the ticket does not go along
			TaskID: ref + "-1", TraceID: "m1", Account: "shop", Conversation: "staff", Action: engine.SendText, Text: "b",
			Lane: engine.LanePush, Created: created, Origin: ref, Skill: "s",
		},
	}
	if !reflect.DeepEqual(c.Commands, want) {
		t.Errorf("committed\n%+v\nwant\n%+v", c.Commands, want)
	}
	if c.Seq != 7 || c.Owner != ref {
		t.Errorf("committed seq %d owner %q, want 7 %q", c.Seq, c.Owner, ref)
	}
	wantReport := turn.Report{Skills: []string{"s"}, Why: "keyword hi", Outcome: turn.Reply, Kind: engine.Message, Commands: want, Note: "two"}
	if !reflect.DeepEqual(report, wantReport) {
		t.Errorf("report %+v, want %+v", report, wantReport)
	}
}

func TestNothingIsCreatedBeforeTheEventWasReceived(t *testing.T) {
	e := message()
	e.Received = received.Add(time.Hour) // the clock of the turn stands before it
	_, c := mustPlay(t, &memory{}, router{rules: []engine.Choice{{Skill: says("s", "a")}}}, e)
	if got := c.Commands[0].Created; !got.Equal(e.Received) {
		t.Errorf("created %v, want %v", got, e.Received)
	}
}

func TestWhatAnEventComesTo(t *testing.T) {
	silent := skill{"silent", func(context.Context, *engine.Turn) (engine.Outcome, error) { return engine.Outcome{}, nil }}
	stateful := skill{"form", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{State: &engine.State{Node: "phone"}}, nil // its name is filled in
	}}
	ending := skill{"end", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{State: &engine.State{}}, nil
	}}
	for name, tc := range map[string]struct {
		rules  []engine.Choice
		want   turn.Outcome
		skills []string
	}{
		"nobody answers: committed without effects": {nil, turn.NoReply, nil},
		"a skill that says nothing":                 {[]engine.Choice{{Skill: silent}}, turn.NoReply, []string{"silent"}},
		"a state and no command":                    {[]engine.Choice{{Skill: stateful}}, turn.State, []string{"form"}},
		"ending a state that never was":             {[]engine.Choice{{Skill: ending}}, turn.NoReply, []string{"end"}},
		"a command":                                 {[]engine.Choice{{Skill: says("s", "a")}}, turn.Reply, []string{"s"}},
	} {
		t.Run(name, func(t *testing.T) {
			report, _ := mustPlay(t, &memory{}, router{rules: tc.rules}, message())
			if report.Outcome != tc.want || !reflect.DeepEqual(report.Skills, tc.skills) {
				t.Errorf("outcome %q of %v, want %q of %v", report.Outcome, report.Skills, tc.want, tc.skills)
			}
		})
	}
}

func TestChoicesRunInOrderUntilStop(t *testing.T) {
	r := router{rules: []engine.Choice{
		{Skill: says("one", "1"), Why: "w1"}, {Skill: says("two", "2"), Stop: true, Why: "w2"}, {Skill: says("three", "3")},
	}}
	report, c := mustPlay(t, &memory{}, r, message())
	if !reflect.DeepEqual(report.Skills, []string{"one", "two"}) || report.Why != "w1; w2" {
		t.Errorf("ran %v because %q", report.Skills, report.Why)
	}
	ref := message().Ref()
	if c.Commands[0].TaskID != ref+"-0" || c.Commands[1].TaskID != ref+"-1" || c.Commands[1].Skill != "two" {
		t.Errorf("commands %+v", c.Commands)
	}
}

func TestASkillThatPassesLetsTheRulesSeeTheEvent(t *testing.T) {
	passing := func(name string) skill {
		return skill{name, func(context.Context, *engine.Turn) (engine.Outcome, error) {
			return engine.Outcome{Pass: true}, nil
		}}
	}
	hit := []string{"hi"}
	form, log := passing("form"), passing("log")
	rules := []engine.Choice{
		{Skill: log, Match: hit, Stop: true}, {Skill: form, Match: hit, Stop: true},
		{Skill: says("menu", "menu"), Match: hit},
	}
	for name, tc := range map[string]struct {
		state engine.State
		want  []string
	}{
		"chosen by its state: its own rule among them": {engine.State{Skill: "form", Version: 3}, []string{"form", "log", "form", "menu"}},
		"chosen by a rule: not once more":              {engine.State{}, []string{"log", "form", "menu"}},
		"chosen by a rule although it keeps a state":   {engine.State{Skill: "log", Version: 3}, []string{"log", "form", "menu"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := router{rules: rules, state: map[string]engine.Choice{"form": {Skill: form, Stop: true}}}
			m := &memory{states: map[engine.StateKey]engine.State{own: tc.state}}
			report, _ := mustPlay(t, m, r, message())
			if !reflect.DeepEqual(report.Skills, tc.want) {
				t.Errorf("ran %v, want %v", report.Skills, tc.want)
			}
		})
	}
}

func TestAnEventThatCannotBePlayedChangesNothing(t *testing.T) {
	disk := errors.New("disk")
	for name, tc := range map[string]struct {
		memory *memory
		router engine.Router
		event  func(*engine.Event)
		is     error
	}{
		"unknown account":    {&memory{}, router{}, func(e *engine.Event) { e.Account = "gone" }, nil},
		"router that panics": {&memory{}, panicking{}, nil, nil},
		"unreadable state":   {&memory{failing: disk}, router{}, nil, disk},
		"store without room": {&memory{refuse: refusing(store.ErrFull)}, router{}, nil, store.ErrFull},
		"event already gone": {&memory{refuse: refusing(store.ErrGone)}, router{}, nil, store.ErrGone},
		"store that failed":  {&memory{refuse: refusing(store.ErrFailed)}, router{}, nil, store.ErrFailed},
	} {
		t.Run(name, func(t *testing.T) {
			e := message()
			if tc.event != nil {
				tc.event(e)
			}
			_, err := play(t, tc.memory, tc.router, e)
			if err == nil || tc.is != nil && !errors.Is(err, tc.is) {
				t.Errorf("error %v, want %v", err, tc.is)
			}
			if _, ok := errors.AsType[*turn.SkillError](err); ok || errors.Is(err, turn.ErrCancelled) {
				t.Errorf("error %v blames a skill or the context", err)
			}
			if len(tc.memory.commits) != 0 {
				t.Errorf("committed %+v", tc.memory.commits)
			}
		})
	}
}

func refusing(err error) func(store.Commit) error {
	return func(store.Commit) error { return err }
}

type panicking struct{}

func (panicking) Route(*engine.Event, engine.State, engine.State) []engine.Choice { panic("route") }
func (panicking) Rules(*engine.Event) []engine.Choice                             { panic("rules") }
