package turn_test

import (
	"context"
	"reflect"
	"strings"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

func TestWhatASkillRemembersIsItsOwn(t *testing.T) {
	until := received.Add(time.Hour)
	remembers := func(name string) skill {
		return skill{name, func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
			had, err := t.Recall("k")
			if err != nil {
				return engine.Outcome{}, err
			}
			n, err := t.Counted("n")
			return engine.Outcome{
				Notes:  []engine.Note{{Key: "k", Value: had + name, Expires: until}},
				Counts: []engine.Count{{Key: "n", Add: n + 1, Expires: until}},
			}, err
		}}
	}
	m := &memory{notes: map[string]string{"shop skill/1/a/k": "before ", "shop skill/1/a/n": "41"}}
	_, c := mustPlay(t, m, router{rules: []engine.Choice{{Skill: remembers("a")}, {Skill: remembers("b")}}}, message())
	wantNotes := []engine.Note{
		{Key: "skill/1/a/k", Value: "before a", Expires: until}, {Key: "skill/1/b/k", Value: "b", Expires: until},
	}
	wantCounts := []engine.Count{{Key: "skill/1/a/n", Add: 42, Expires: until}, {Key: "skill/1/b/n", Add: 1, Expires: until}}
	if !reflect.DeepEqual(c.Learned, wantNotes) || !reflect.DeepEqual(c.Counts, wantCounts) || c.Account != "shop" {
		t.Errorf("account %q, notes %+v, counts %+v; want %+v, %+v", c.Account, c.Learned, c.Counts, wantNotes, wantCounts)
	}
}

func TestAKeyThatIsTooLongForTheStoreIsKeptByItsHash(t *testing.T) {
	long := strings.Repeat("k", 600)
	s := skill{"s", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{Notes: []engine.Note{{Key: long, Value: "v"}}}, nil
	}}
	_, c := mustPlay(t, &memory{}, router{rules: []engine.Choice{{Skill: s}}}, message())
	if err := store.CheckNote(c.Learned[0]); err != nil {
		t.Error(err)
	}
}

func TestWhatASkillRaisesIsCompletedFromTheEvent(t *testing.T) {
	e := message()
	s := skill{"s", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{Raise: []*engine.Event{
			{Kind: engine.Released, Conversation: "u9"},
			{Account: "desk", Kind: engine.Released, Conversation: "u9", ID: "own", Time: received},
		}}, nil
	}}
	report, c := mustPlay(t, &memory{}, router{rules: []engine.Choice{{Skill: s}}}, e)
	want := []*engine.Event{
		{Account: "shop", Kind: engine.Released, Conversation: "u9", ID: e.Ref() + "-0", Time: received.Add(time.Second)},
		{Account: "desk", Kind: engine.Released, Conversation: "u9", ID: "own", Time: received},
	}
	if !reflect.DeepEqual(c.Raised, want) || report.Raised != 2 {
		t.Errorf("raised %d: %+v, want %+v", report.Raised, c.Raised, want)
	}
}

func TestASkillThatMayNotRunNowLeavesEverythingAsItIs(t *testing.T) {
	for name, tt := range map[string]struct {
		choice engine.Choice
		asked  bool
	}{
		"one that waits":               {engine.Choice{Waits: true}, true},
		"one whose runs are bounded":   {engine.Choice{Concurrency: 3}, true},
		"one that is neither is asked": {engine.Choice{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			tt.choice.Skill = says("s", "a")
			m, asked, left := &memory{}, 0, 0
			o := options(m, router{rules: []engine.Choice{tt.choice}})
			may := false
			o.Enter = func(engine.Choice) (func(), bool) {
				asked++
				return func() { left++ }, may
			}
			_, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: message()})
			if busy, ok := err.(*turn.BusyError); tt.asked != ok || ok && (busy.Skill != "s" || len(m.commits) != 0) {
				t.Errorf("error %v, committed %+v", err, m.commits)
			}
			may, m.commits = true, nil
			if _, err := turn.Play(t.Context(), o, store.Entry{Seq: 7, Event: message()}); err != nil || len(m.commits) != 1 {
				t.Errorf("error %v, committed %+v", err, m.commits)
			}
			if want := map[bool][2]int{true: {2, 1}, false: {0, 0}}[tt.asked]; [2]int{asked, left} != want {
				t.Errorf("asked %d times, left %d; want %v", asked, left, want)
			}
		})
	}
}
