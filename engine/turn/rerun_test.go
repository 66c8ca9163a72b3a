package turn_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"bot/engine"
	"bot/engine/turn"
	"bot/store"
)

// granting asks for a once-key and answers kindly when it is taken.
func granting(name, key string, told *[]string) skill {
	return skill{name, func(_ context.Context, t *engine.Turn) (engine.Outcome, error) {
		*told = t.Taken
		if slices.Contains(t.Taken, key) {
			return text1("already"), nil
		}
		out := text1("granted")
		out.Once = []engine.Once{{Key: key, Keep: time.Hour}}
		return out, nil
	}}
}

// holding refuses a key that somebody else has taken.
func holding(skill, key string) func(store.Commit) error {
	return func(c store.Commit) error {
		for _, o := range c.Once {
			if o.Skill == skill && o.Key == key {
				return &store.TakenError{Key: key, Skill: skill, Owner: "earlier"}
			}
		}
		return nil
	}
}

func TestAOnceKeyIsTakenInTheNameOfItsSkill(t *testing.T) {
	var told []string
	_, c := mustPlay(t, &memory{}, router{rules: []engine.Choice{{Skill: granting("coupon", "u1 today", &told)}}}, message())
	want := []store.Once{{Account: "shop", Skill: "coupon", Key: "u1 today", Until: received.Add(time.Second + time.Hour)}}
	if !reflect.DeepEqual(c.Once, want) {
		t.Errorf("once %+v, want %+v", c.Once, want)
	}
}

func TestATakenKeyRunsItsSkillAgainWithoutTheGrant(t *testing.T) {
	var first, second []string
	r := router{rules: []engine.Choice{
		{Skill: granting("coupon", "k", &first)}, {Skill: granting("points", "k", &second)},
	}}
	m := &memory{refuse: holding("points", "k")}
	report, c := mustPlay(t, m, r, message())
	if first != nil || !reflect.DeepEqual(second, []string{"k"}) {
		t.Errorf("told coupon %v and points %v, want only points to know", first, second)
	}
	if c.Commands[0].Text != "granted" || c.Commands[1].Text != "already" || report.Reruns != 1 {
		t.Errorf("said %q and %q after %d reruns", c.Commands[0].Text, c.Commands[1].Text, report.Reruns)
	}
}

func TestASkillThatInsistsOnATakenKeyFails(t *testing.T) {
	runs := 0
	insisting := skill{"coupon", func(context.Context, *engine.Turn) (engine.Outcome, error) {
		runs++
		return engine.Outcome{Once: []engine.Once{{Key: "k"}}}, nil
	}}
	m := &memory{refuse: holding("coupon", "k")}
	_, err := play(t, m, router{rules: []engine.Choice{{Skill: insisting}}}, message())
	se, ok := errors.AsType[*turn.SkillError](err)
	if !ok || se.Skill != "coupon" || runs != 2 {
		t.Errorf("error %v after %d runs, want coupon to fail at its second", err, runs)
	}
}

func TestAStateThatMovedIsReadAgain(t *testing.T) {
	m := &memory{states: map[engine.StateKey]engine.State{own: {Skill: "form", Node: "old", Version: 1}}}
	m.refuse = func(c store.Commit) error {
		if c.States[0].Read == 1 {
			m.states[own] = engine.State{Skill: "form", Node: "new", Version: 2}
			return store.ErrConflict
		}
		return nil
	}
	var seen engine.Turn
	r := router{rules: []engine.Choice{{Skill: noting("form", &seen, &engine.State{Skill: "form"})}}}
	report, c := mustPlay(t, m, r, message())
	if seen.State.Node != "new" || c.States[0].Read != 2 || report.Reruns != 1 {
		t.Errorf("saw %q, wrote over %d, %d reruns", seen.State.Node, c.States[0].Read, report.Reruns)
	}
}

func TestAStateThatNeverHoldsStillIsAnErrorInTheEnd(t *testing.T) {
	m := &memory{refuse: refusing(store.ErrConflict)}
	_, err := play(t, m, router{}, message())
	if !errors.Is(err, store.ErrConflict) || m.tried > 10 {
		t.Errorf("error %v after %d commits", err, m.tried)
	}
}
