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

func TestTheBotKeepsQuietWhereSomebodyAnswersByHand(t *testing.T) {
	const key = "quiet/room"
	for name, tt := range map[string]struct {
		quiet  time.Duration // the account's
		change func(*engine.Event)
		notes  map[string]string
		states map[engine.StateKey]engine.State
		says   bool
		learns bool
	}{
		"a message, and nobody did":               {10 * time.Minute, nil, nil, nil, true, false},
		"a message, and somebody did":             {10 * time.Minute, nil, map[string]string{"shop " + key: "1"}, nil, false, false},
		"in another conversation":                 {10 * time.Minute, nil, map[string]string{"shop quiet/other": "1"}, nil, true, false},
		"the account does not care":               {0, nil, map[string]string{"shop " + key: "1"}, nil, true, false},
		"an event that is no message":             {10 * time.Minute, func(e *engine.Event) { e.Kind = engine.MemberJoined }, map[string]string{"shop " + key: "1"}, nil, true, false},
		"what is typed by hand":                   {10 * time.Minute, func(e *engine.Event) { e.Self = true }, nil, nil, true, true},
		"typed where the account does not":        {0, func(e *engine.Event) { e.Self = true }, nil, nil, true, false},
		"a conversation that staff have":          {10 * time.Minute, nil, map[string]string{"shop " + key: "1"}, map[engine.StateKey]engine.State{common: {Skill: "staff", Version: 1}}, true, false},
		"a form of the sender's own, paused":      {10 * time.Minute, nil, map[string]string{"shop " + key: "1"}, map[engine.StateKey]engine.State{own: {Skill: "form", Version: 1}}, false, false},
		"a form that all share, paused":           {10 * time.Minute, nil, map[string]string{"shop " + key: "1"}, map[engine.StateKey]engine.State{common: {Skill: "form", Version: 1}}, false, false},
		"typed beside a form that all share":      {10 * time.Minute, func(e *engine.Event) { e.Self = true }, nil, map[engine.StateKey]engine.State{common: {Skill: "form", Version: 1}}, true, true},
		"typed in a conversation that staff have": {10 * time.Minute, func(e *engine.Event) { e.Self = true }, nil, map[engine.StateKey]engine.State{common: {Skill: "staff", Version: 1}}, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := &memory{notes: tt.notes, states: tt.states}
			// The router here answers whatever it is asked about; skills.Set would not
			// answer what the account said itself.
			o := options(m, router{rules: []engine.Choice{{Skill: says("s", "a")}}})
			account := o.Setup.Accounts["shop"]
			account.StaffQuiet = tt.quiet
			o.Setup.Accounts = map[string]engine.Account{"shop": account}
			e := message()
			if tt.change != nil {
				tt.change(e)
			}
			report, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: e})
			if err != nil {
				t.Fatal(err)
			}
			c := m.commits[0]
			if (len(c.Commands) > 0) != tt.says {
				t.Errorf("said %+v (%s), want an answer: %v", c.Commands, report.Note, tt.says)
			}
			want := []engine.Note{{Key: key, Value: "1", Expires: received.Add(tt.quiet)}}
			if tt.learns && !reflect.DeepEqual(c.Learned, want) || !tt.learns && len(c.Learned) > 0 {
				t.Errorf("learned %+v", c.Learned)
			}
		})
	}
}

func TestWhatIsGivenBackIsTheBotsAtOnce(t *testing.T) {
	o := options(&memory{}, router{})
	o.Setup.Accounts = map[string]engine.Account{"shop": {Name: "shop", StaffQuiet: time.Minute}}
	m := o.Memory.(*memory)
	e := &engine.Event{Account: "shop", Kind: engine.Released, ID: "r1", Conversation: "room", Received: received}
	if _, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: e}); err != nil {
		t.Fatal(err)
	}
	if want := []engine.Note{{Key: "quiet/room"}}; !reflect.DeepEqual(m.commits[0].Learned, want) {
		t.Errorf("learned %+v, want the note forgotten", m.commits[0].Learned)
	}
}

func TestWhatDoesNotTalkGoesOnWhileTheBotIsQuiet(t *testing.T) {
	m := &memory{notes: map[string]string{"shop quiet/room": "1"}, states: map[engine.StateKey]engine.State{own: {Skill: "form", Version: 5}}}
	o := options(m, router{
		rules: []engine.Choice{{Skill: says("talk", "a"), Stop: true}, {Skill: says("unsubscribe", "b"), Aside: true}},
		state: map[string]engine.Choice{"form": {Skill: says("form", "c"), Stop: true}},
	})
	o.Setup.Accounts = map[string]engine.Account{"shop": {Name: "shop", StaffQuiet: time.Minute}}
	report, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: message()})
	if err != nil || !reflect.DeepEqual(report.Skills, []string{"unsubscribe"}) || len(m.commits[0].States) > 0 {
		t.Errorf("ran %v, wrote %+v, %v", report.Skills, m.commits[0].States, err)
	}
}

// Whoever passes the event on hands it to those alone that go on while it is quiet.
func TestPassingOnBreaksNoQuiet(t *testing.T) {
	passes := skill{"log", func(context.Context, *engine.Turn) (engine.Outcome, error) { return engine.Outcome{Pass: true}, nil }}
	m := &memory{notes: map[string]string{"shop quiet/room": "1"}}
	o := options(m, router{rules: []engine.Choice{{Skill: passes, Aside: true}, {Skill: says("talk", "a"), Stop: true}}})
	o.Setup.Accounts = map[string]engine.Account{"shop": {Name: "shop", StaffQuiet: time.Minute}}
	report, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: message()})
	if err != nil || !reflect.DeepEqual(report.Skills, []string{"log"}) || len(report.Commands) > 0 {
		t.Errorf("ran %v, said %+v, %v", report.Skills, report.Commands, err)
	}
}
