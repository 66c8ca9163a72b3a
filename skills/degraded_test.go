package skills_test

import (
	"context"
	"testing"

	"bot/engine"
	"bot/skills"
	"bot/skills/kind"
	"bot/skills/skilltest"
)

// waiting is a skill that would wait, if it were asked.
type waiting struct{ kind.Base }

func (*waiting) Handle(context.Context, *engine.Turn) (engine.Outcome, error) {
	return engine.Outcome{}, nil
}

func TestADegradedEventIsAnsweredByWhatDoesNotWait(t *testing.T) {
	slow := kind.Kind{Key: "slow", Name: "slow", New: func(d *kind.Draft) engine.Skill {
		var c struct {
			kind.Keys
			Slow string `toml:"slow"`
		}
		d.Decode(&c)
		d.Waits = true
		return &waiting{d.Base(d.Seen())}
	}}
	c := skilltest.Parse(t, `
[[skill]]
name = "model"
keywords = ["你好"]
slow = "x"
[[skill]]
name = "cheap"
match = "any"
reply = "稍后再试"
`)
	set, err := skills.Build(c.Sections, skills.Options{Kinds: []kind.Kind{slow}})
	if err != nil {
		t.Fatal(err)
	}
	e := skilltest.NewChat(t, set).Message("你好")
	for degraded, want := range map[string]string{"": "model", "flood": "cheap"} {
		e.Degraded = degraded
		if got := set.Rules(e); len(got) != 1 || got[0].Skill.Name() != want {
			t.Errorf("degraded by %q: %+v, want %s", degraded, got, want)
		}
	}
	e.Degraded = "flood"
	const want = `it waits for other systems, and the risk row "flood" lets only those answer that do not`
	for _, v := range set.Explain(e, engine.State{}, engine.State{}) {
		if v.Skill == "model" && (v.Won || v.Why != want) {
			t.Errorf("%+v", v)
		}
	}
}
