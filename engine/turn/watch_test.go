package turn_test

import (
	"context"
	"errors"
	"testing"

	"bot/engine"
	"bot/engine/turn"
)

// watching is a router with skills that take note of every event.
type watching struct {
	router
	watch []engine.Choice
}

func (w watching) Watch(*engine.Event) []engine.Choice { return w.watch }

func TestWhatTakesNoteOfAnEventRunsBesideWhatAnswersIt(t *testing.T) {
	noted := engine.Outcome{Notes: []engine.Note{{Key: "k", Value: "v"}}, Note: "noted"}
	for _, tt := range []struct {
		name    string
		outcome engine.Outcome
		ran     int // skills
		notes   int
	}{
		{"and is told of when it took note", noted, 2, 1},
		{"and is not when there was nothing to note", engine.Outcome{Note: "nothing"}, 1, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := skill{"watcher", func(context.Context, *engine.Turn) (engine.Outcome, error) { return tt.outcome, nil }}
			memory := &memory{}
			r, err := play(t, memory, watching{
				router: router{rules: []engine.Choice{{Skill: says("s", "hi"), Stop: true}}},
				watch:  []engine.Choice{{Skill: w}},
			}, message())
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Skills) != tt.ran || len(r.Commands) != 1 {
				t.Errorf("ran %q with %d commands", r.Skills, len(r.Commands))
			}
			learned := memory.commits[0].Learned
			if len(learned) != tt.notes || tt.notes > 0 && learned[0].Key != turn.SkillKey("watcher", "k") {
				t.Errorf("remembered %+v", learned)
			}
		})
	}
}

func TestWhatTakesNoteAndFailsFailsTheTurn(t *testing.T) {
	w := skill{"watcher", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		return engine.Outcome{}, errors.New("no")
	}}
	memory := &memory{}
	_, err := play(t, memory, watching{
		router: router{rules: []engine.Choice{{Skill: says("s", "hi"), Stop: true}}}, watch: []engine.Choice{{Skill: w}},
	}, message())
	if failed, ok := errors.AsType[*turn.SkillError](err); !ok || failed.Skill != "watcher" || len(memory.commits) > 0 {
		t.Errorf("%v, %d commits", err, len(memory.commits))
	}
}

func TestWhatCallsACommandOffIsANoteOfItsSkill(t *testing.T) {
	out := text1("hi")
	out.Commands[0].Unless = "stop"
	s := skill{"s", func(context.Context, *engine.Turn) (engine.Outcome, error) { return out, nil }}
	r, err := play(t, &memory{}, router{rules: []engine.Choice{{Skill: s}}}, message())
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Commands[0].Unless; got != turn.SkillKey("s", "stop") {
		t.Errorf("named %q", got)
	}
}
